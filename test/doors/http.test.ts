/** The door of REST: its document, its routes, and what it does with requests that no client would send. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { methods } from "../../generated/workspace/stable/tables.js";
import type { App, JsonObject } from "../../src/commands/app.js";
import { surfaceOf } from "../../src/doors/index.js";
import { counted, openDoors, post, problem, request, tokenOf } from "../support/doors.js";
import { headOf, rawAnswer, rawSocket } from "../support/raw-http.js";
import { appOf } from "../support/workspace-app.js";
import { samplesOf } from "../support/workspace-samples.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell", commandId: "one" };
const JSON_TYPE = { "content-type": "application/json" };

async function scene(options: Parameters<typeof openDoors>[1] = {}) {
  const { app, carriedOut } = counted(appOf());
  return { app, carriedOut, at: await openDoors(app, options) };
}

describe("the document", () => {
  it("is OpenAPI 3.1, and one that is not is told apart", async () => {
    const { at } = await scene();
    const { json, headers } = await request(at.openApiUrl);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    const copy = (): JsonObject => JSON.parse(JSON.stringify(json)) as JsonObject;
    expect(await new Validator().validate(copy())).toMatchObject({ valid: true });
    expect(json["openapi"]).toMatch(/^3\.1\./);
    const { info: _, ...poisoned } = copy();
    expect(await new Validator().validate(poisoned)).toMatchObject({ valid: false });
  });

  it("has every method of the bundle, and refers to nothing that it has not", async () => {
    const { at } = await scene();
    const { json, text } = await request(at.openApiUrl);
    const paths = json["paths"] as JsonObject;
    expect(Object.keys(paths)).toEqual(Object.keys(methods).map((name) => `/v1/${name}`));
    for (const [name, { kind }] of Object.entries(methods))
      expect([name, Object.keys(paths[`/v1/${name}`] as JsonObject)]).toEqual([
        name,
        [kind === "query" ? "get" : "post"],
      ]);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, pointer]) =>
      (pointer as string).split("/"),
    );
    expect(references.length).toBeGreaterThan(100);
    for (const steps of references) {
      let at_: unknown = json;
      for (const step of steps) at_ = (at_ as JsonObject)[step];
      expect([steps, typeof at_]).toEqual([steps, "object"]);
    }
  });

  it("takes in its bodies what the bundle takes", async () => {
    const { at, app } = await scene({ commands: { identity: "checked" } });
    const { json } = await request(at.openApiUrl);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: "doc:", ...json }, "doc:");
    let taken = 0;
    for (const { name, path, flat } of surfaceOf(app).methods.values()) {
      if (flat !== undefined) continue;
      const place = `doc:#/paths/${path.replaceAll("/", "~1").replaceAll("%", "%25")}/post`;
      const body = ajv.compile({ $ref: `${place}/requestBody/content/application~1json/schema` });
      const result = ajv.compile({ $ref: `${place}/responses/200/content/application~1json/schema` });
      for (const value of samplesOf(name, "params", 20, 3)) {
        expect(body(value)).toBe(true);
        expect(body({ ...value, workspaceId: 7 })).toBe(false);
        taken++;
      }
      for (const value of samplesOf(name, "result", 20, 3)) expect(result(value)).toBe(true);
      expect(result({})).toBe(false);
    }
    expect(taken).toBe(9 * 20);
  });
});

describe("a route", () => {
  it("that is not there is 404, and one that is asked otherwise 405 with what it takes", async () => {
    const { at } = await scene();
    for (const path of [
      "/",
      "/v1",
      "/v2/event/publish",
      "/v1/event",
      "/v1/event/publish/",
      "/V1/event/publish",
      "/v1/%00",
      "/v1/..%2f",
    ])
      expect([path, ...problem(await request(at.url + path))]).toEqual([path, 404, "unknown_method"]);
    for (const [method, path, allow] of [
      ["GET", "/v1/event/publish", "POST, OPTIONS"],
      ["PUT", "/v1/event/publish", "POST, OPTIONS"],
      ["POST", "/v1/event/list", "GET, OPTIONS"],
      ["DELETE", "/openapi.json", "GET, OPTIONS"],
      ["PROPFIND", "/v1/event/list", "GET, OPTIONS"],
    ] as const) {
      const answer = await request(at.url + path, { method });
      expect([method, path, ...problem(answer)]).toEqual([method, path, 405, "method_not_allowed"]);
      expect(answer.headers.get("allow")).toBe(allow);
    }
  });

  it("of a query reads its params from the address, each by its type", async () => {
    const { at } = await scene();
    await post(`${at.url}/v1/event/publish`, PUBLISH);
    const list = (query: string) => request(`${at.url}/v1/event/list?${query}`);
    expect((await list("workspaceId=w1&limit=1&type=apple.fell&unknown=7")).json["events"]).toHaveLength(1);
    expect((await list("workspaceId=w1&after=1")).json).toEqual({ events: [] });
    for (const [query, pointer, keyword] of [
      ["", "", "required"],
      ["workspaceId=w1&limit=ten", "/limit", "type"],
      ["workspaceId=w1&limit=", "/limit", "type"],
      ["workspaceId=w1&limit=0x1", "/limit", "type"],
      ["workspaceId=w1&limit=1.5", "/limit", "type"],
      ["workspaceId=w1&limit=1000", "/limit", "maximum"],
      ["workspaceId=w1&workspaceId=w2", "/workspaceId", "type"],
      ["workspaceId=a%20b", "/workspaceId", "pattern"],
      ["__proto__=w1", "", "required"],
    ]) {
      const answer = await list(query as string);
      expect([query, ...problem(answer)]).toEqual([query, 400, "invalid_params"]);
      const { violations } = answer.json["details"] as { violations: JsonObject[] };
      expect([query, violations[0]]).toMatchObject([query, { instanceLocation: pointer, keyword }]);
    }
  });

  it("answers a rejection by its reason", async () => {
    const { at } = await scene();
    const archive = await post(`${at.url}/v1/rule/archive`, {
      workspaceId: "w1",
      ruleId: "none",
      commandId: "a",
    });
    expect(problem(archive)).toEqual([404, "rule_not_found"]);
    expect(archive.json).toEqual({
      type: "urn:mspkit:problem:rule_not_found",
      title: "there is no rule none",
      status: 404,
      kind: "commandRejected",
      reason: "rule_not_found",
      retryable: false,
      commandId: "a",
    });
    const steps = [{ do: "wait", ms: 0 }];
    const install = (ruleId: string, on: string, commandId: string) =>
      post(`${at.url}/v1/rule/install`, { workspaceId: "w1", ruleId, commandId, definition: { on, steps } });
    expect((await install("r", "a", "b")).status).toBe(200);
    expect(problem(await install("r", "b", "c"))).toEqual([409, "rule_exists"]);
  });

  it("tells an expired id from one that is new", async () => {
    const { InMemoryCommandResults } = await import("../../src/commands/index.js");
    const { at } = await scene({
      commands: { results: new InMemoryCommandResults({ retention: { newest: 1 } }) },
    });
    const publish = (commandId: string) => post(`${at.url}/v1/event/publish`, { ...PUBLISH, commandId });
    const [old, newer, newest] = [1, 2, 3].map((n) => `0199c1a4-7d1${n}-7c3b-9a64-2f6f0d1e8b57`) as [
      string,
      string,
      string,
    ];
    for (const id of [newer, newest]) expect((await publish(id)).status).toBe(200);
    expect(problem(await publish(old))).toEqual([410, "command_id_expired"]);
  });
});

describe("a body", () => {
  it.each([
    ["no JSON", "{"],
    ["nothing", ""],
    ["JSON and more", "{} {}"],
    ["nested too deep", `{"data":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("of %s is refused", async (_what, body) => {
    const { at, carriedOut } = await scene();
    const answer = await request(`${at.url}/v1/event/publish`, { method: "POST", headers: JSON_TYPE, body });
    expect(problem(answer)).toEqual([400, "malformed_json"]);
    expect(carriedOut).toEqual([]);
  });

  it.each(["[]", "7", "null", '"text"'])("that is %s holds no params", async (body) => {
    const { at } = await scene();
    const answer = await post(`${at.url}/v1/event/publish`, body);
    expect(problem(answer)).toEqual([400, "invalid_params"]);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "nonsense",
  ])("of the type %s is refused", async (type) => {
    const { at, carriedOut } = await scene();
    const answer = await post(`${at.url}/v1/event/publish`, PUBLISH, { "content-type": type });
    expect(problem(answer)).toEqual([415, "unsupported_media_type"]);
    expect(carriedOut).toEqual([]);
  });

  it("of JSON with a charset is taken", async () => {
    const { at } = await scene();
    expect(
      (
        await post(`${at.url}/v1/event/publish`, PUBLISH, {
          "content-type": "application/json; charset=utf-8",
        })
      ).status,
    ).toBe(200);
  });

  it("keeps a member called __proto__, as every other door does", async () => {
    const { at, carriedOut } = await scene();
    const { status } = await post(
      `${at.url}/v1/event/publish`,
      `{"workspaceId":"w1","type":"t","commandId":"c","data":{"b":1,"__proto__":{"x":1}}}`,
    );
    expect(status).toBe(200);
    expect(Object.keys(carriedOut[0]?.params["data"] as object)).toEqual(["b", "__proto__"]);
  });

  it("over the limit is refused, whether it says so or not", async () => {
    const { at, carriedOut } = await scene({ limits: { bodyBytes: 2_000 } });
    const large = { ...PUBLISH, data: { text: "x".repeat(5_000) } };
    const answer = await post(`${at.url}/v1/event/publish`, large);
    expect(problem(answer)).toEqual([413, "payload_too_large"]);
    expect(answer.json["limitBytes"]).toBe(2_000);
    const socket = await rawSocket(at.url);
    const text = JSON.stringify(large);
    socket.write(
      headOf(`${at.url}/v1/event/publish`, "POST", [
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ]),
    );
    socket.write(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
    expect(await rawAnswer(socket)).toMatchObject({ status: 413, json: { reason: "payload_too_large" } });
    expect(carriedOut).toEqual([]);
  });

  it("that ends in the middle carries nothing out", async () => {
    const { at, carriedOut } = await scene();
    const text = JSON.stringify(PUBLISH);
    const head = headOf(`${at.url}/v1/event/publish`, "POST", [
      "Content-Type: application/json",
      `Content-Length: ${text.length + 10}`,
    ]);
    for (const part of [text, text.slice(0, 20), ""]) {
      const socket = await rawSocket(at.url);
      socket.end(head + part);
      expect((await rawAnswer(socket)).status).not.toBe(200);
    }
    // The door goes on, and the id is as new.
    expect((await post(`${at.url}/v1/event/publish`, PUBLISH)).json).toMatchObject({ position: 1 });
    expect(carriedOut).toHaveLength(1);
  });

  it("that never comes is not waited for", async () => {
    const { at } = await scene({ limits: { requestTimeoutMs: 200 } });
    const socket = await rawSocket(at.url);
    socket.write(
      headOf(`${at.url}/v1/event/publish`, "POST", ["Content-Type: application/json", "Content-Length: 100"]),
    );
    expect(await rawAnswer(socket)).toMatchObject({ status: 408, json: { reason: "request_timeout" } });
  });
});

describe("closing", () => {
  it("answers what was asked, and does not wait for ever for a body that never comes", async () => {
    const { at, carriedOut } = await scene({ limits: { drainMs: 300 } });
    const socket = await rawSocket(at.url);
    socket.write(
      headOf(`${at.url}/v1/event/publish`, "POST", ["Content-Type: application/json", "Content-Length: 100"]),
    );
    const asked = post(`${at.url}/v1/event/publish`, PUBLISH);
    while (carriedOut.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await at.close();
    expect((await asked).status).toBe(200);
    expect((await rawAnswer(socket)).status).toBe(0);
    await expect(request(at.openApiUrl)).rejects.toThrow();
  });
});

describe("what is no request", () => {
  it("is answered as one that cannot be read", async () => {
    const { at } = await scene();
    for (const text of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `GET /${"x".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    ]) {
      const socket = await rawSocket(at.url);
      socket.write(text);
      expect(await rawAnswer(socket)).toMatchObject({ status: 400, json: { reason: "malformed_request" } });
    }
  });
});

describe("too much", () => {
  it("of one participant is refused with a time to wait, and others are not", async () => {
    const { at } = await scene({ limits: { perSecond: 0.5, burst: 3 }, people: [["orchard", "bob"]] });
    const list = (token?: string) => request(`${at.url}/v1/event/list?workspaceId=w1`, { token });
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await list());
    expect(answers.slice(0, 3).map(({ status }) => status)).toEqual([200, 200, 200]);
    const last = answers.at(-1) as (typeof answers)[number];
    expect(problem(last)).toEqual([429, "rate_limited"]);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await list(tokenOf("orchard", "bob"))).status).toBe(200);
  });

  it("of connections are not taken", async () => {
    const { at } = await scene({ limits: { connections: 2 } });
    const open = [await rawSocket(at.url), await rawSocket(at.url)];
    const third = await rawSocket(at.url);
    expect((await rawAnswer(third)).status).toBe(0);
    for (const socket of open) socket.destroy();
  });
});

describe("an application that fails", () => {
  it("in a query, or in opening a workspace, is answered without what it said", async () => {
    const inner = appOf();
    const errors: unknown[] = [];
    const failing: App = {
      ...inner,
      bundle: inner.bundle,
      close: () => inner.close(),
      async open(actor, workspace) {
        if (workspace === "w2") throw new Error("the secret of the cellar");
        const handle = await inner.open(actor, workspace);
        if ("reason" in handle) return handle;
        return { ...handle, query: () => Promise.reject(new Error("the secret of the cellar")) };
      },
    };
    const at = await openDoors(failing, { onError: (error) => void errors.push(error) });
    for (const answer of [
      await request(`${at.url}/v1/event/list?workspaceId=w1`),
      await request(`${at.url}/v1/event/list?workspaceId=w2`),
      await post(`${at.url}/v1/event/publish`, { ...PUBLISH, workspaceId: "w2" }),
    ]) {
      expect(problem(answer)).toEqual([500, "internal_error"]);
      expect(answer.text).not.toMatch(/cellar/);
    }
    expect(errors).toHaveLength(3);
  });
});
