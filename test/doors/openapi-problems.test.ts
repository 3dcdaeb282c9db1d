/** What the document says of rejections is what the door answers, operation by operation. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { createWorkspaceApp } from "../../examples/workspace-app/index.js";
import { rejections } from "../../generated/workspace/stable/tables.js";
import type { App, JsonObject } from "../../src/commands/app.js";
import { REJECTIONS } from "../../src/commands/index.js";
import { PROBLEM_TYPE } from "../../src/doors/http/problem.js";
import { openApiDocument, REASONS, reasonRow, surfaceOf } from "../../src/doors/index.js";
import {
  type DocumentedResponse,
  document,
  holdToDocument,
  type Operation,
  operationsOf,
  reasonsOf,
} from "../support/documented.js";
import { openDoors, post, request } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";
import { samplesOf } from "../support/workspace-samples.js";

const CHECKED = { anonymous: false, firstResult: false };

/** What takes the problems of a response, by its schema. */
function takerOf(ajv: Ajv2020, response: DocumentedResponse | undefined) {
  const { schema } = response?.content?.[PROBLEM_TYPE] ?? { schema: {} };
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc:#/')) as JsonObject);
}

/** The reasons of an operation, with their statuses. */
function told({ responses }: Operation): (readonly [reason: string, status: number])[] {
  return [...responses].flatMap(([status, response]) =>
    reasonsOf(response).map((reason) => [reason, status] as const),
  );
}

describe("the problems of the document", () => {
  const app = createWorkspaceApp();
  const surface = surfaceOf(app);
  const whole = openApiDocument(surface, CHECKED);
  const operations = operationsOf(whole);
  const nameOf = ({ path }: Operation): string => path.slice("/v1/".length);

  it("have for each operation the reasons that the bundle lists for it, and for no other", () => {
    let listed = 0;
    for (const operation of operations) {
      const reasons = new Set(told(operation).map(([reason]) => reason));
      for (const [reason, row] of Object.entries(rejections)) {
        if (Object.hasOwn(REASONS, reason)) continue;
        const { methods } = row as { readonly methods?: readonly string[] };
        const its = methods === undefined || methods.includes(nameOf(operation));
        expect([operation.path, reason, reasons.has(reason)]).toEqual([operation.path, reason, its]);
        if (its) listed++;
      }
    }
    expect(operations).toHaveLength(surface.methods.size);
    expect(listed).toBeGreaterThan(40);
  });

  it("have of the reasons of doors those that the operation may be answered", () => {
    const reasonsAt = (path: string) =>
      new Set(told(operations.find((at) => at.path === path) as Operation).map(([reason]) => reason));
    const command = reasonsAt("/v1/event/publish");
    const query = reasonsAt("/v1/event/list");
    for (const reason of Object.keys(REJECTIONS))
      expect([reason, command.has(reason)]).toEqual([reason, true]);
    for (const reason of ["command_id_missing", "still_running", "abandoned", "malformed_json"])
      expect([reason, query.has(reason)]).toEqual([reason, false]);
    for (const reason of ["unauthenticated", "rate_limited", "internal_error", "workspace_not_found"])
      expect([reason, query.has(reason), command.has(reason)]).toEqual([reason, true, true]);
    // Of a door on the first result no id is in conflict.
    const first = operationsOf(openApiDocument(surface, { anonymous: false, firstResult: true }));
    for (const operation of first) expect(operation.responses.has(422)).toBe(false);
  });

  it("have an example of each reason that the schema of its status takes, and of another status it does not", () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: "doc:", ...whole }, "doc:");
    let examples = 0;
    for (const operation of operations) {
      const query = surface.methods.get(nameOf(operation))?.kind === "query";
      for (const [status, response] of operation.responses) {
        if (status === 200) continue;
        const { examples: given = {} } = response.content?.[PROBLEM_TYPE] ?? {};
        const takes = takerOf(ajv, response);
        for (const [reason, { value }] of Object.entries(given)) {
          expect([reason, takes(value), takes({ ...value, status: 418 })]).toEqual([reason, true, false]);
          expect(value).toMatchObject({ reason, status, type: `urn:mspkit:problem:${reason}` });
          expect(reasonRow(reason, query ? "query" : "command")).toMatchObject({
            status,
            kind: value["kind"],
          });
          expect(response.description).toContain(`\`${reason}\``);
          examples++;
        }
      }
    }
    expect(examples).toBeGreaterThan(300);
  });

  it("are what the door answers to each operation that ends with the reason", async () => {
    let reason = "";
    const rejecting: App = {
      ...app,
      bundle: app.bundle,
      close: () => app.close(),
      open: async ({ tenant, participant }, workspace) => {
        const reject = async () =>
          ({ status: "rejected", rejection: { reason, message: "so it is", retryable: false } }) as const;
        return { tenant, participant, workspace, carryOut: reject, query: reject, subscribe: () => () => {} };
      },
    };
    const at = await openDoors(rejecting, {
      commands: { identity: "checked", tables: app.bundle.tables as never },
      limits: { perSecond: 1e6 },
    });
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: "doc:", ...whole }, "doc:");
    let asked = 0;
    for (const operation of operations) {
      const { commandId: _, ...params } = samplesOf(nameOf(operation), "params", 1, 4)[0] as JsonObject;
      const query = new URLSearchParams(
        Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const takers = new Map<number, ReturnType<typeof takerOf>>();
      for (const [told_, status] of told(operation)) {
        reason = told_;
        const answer =
          operation.verb === "GET"
            ? await request(`${at.url}${operation.path}?${query}`)
            : await post(`${at.url}${operation.path}`, { ...params, commandId: `c${++asked}` });
        expect([operation.path, answer.json["reason"], answer.status]).toEqual([
          operation.path,
          reason,
          status,
        ]);
        if (!takers.has(status)) takers.set(status, takerOf(ajv, operation.responses.get(status)));
        expect(takers.get(status)?.(answer.json)).toBe(true);
      }
    }
    expect(asked).toBeGreaterThan(200);
  });
});

describe("an answer", () => {
  it("that the document of its door has not is found, whichever test asked for it", async () => {
    const at = await openDoors(appOf());
    const url = `${at.url}/v1/event/list`;
    const answer = (status: number, reason?: string) => () =>
      holdToDocument(url, "get", { status, json: reason === undefined ? {} : { reason } });
    expect(answer(200)()).toBe(true);
    expect(answer(404, "a_reason_of_the_application")()).toBe(true);
    expect(answer(418)).toThrow();
    expect(answer(409, "still_running")).toThrow();
    expect(holdToDocument(`${at.url}/nothing`, "GET", { status: 418, json: {} })).toBe(false);
    document(at.url, { paths: {}, components: { responses: {} } });
    expect(answer(418)()).toBe(false);
  });
});
