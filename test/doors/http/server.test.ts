/** The server of HTTP: what fails where nobody waits for it, and addresses that are written in many ways. */
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/commands/app.js";
import { Workspaces } from "../../../src/commands/index.js";
import { Desk } from "../../../src/doors/desk.js";
import { addRest } from "../../../src/doors/http/rest.js";
import { httpServer } from "../../../src/doors/http/server.js";
import { Gate } from "../../../src/doors/identity/gate.js";
import { limitsOf } from "../../../src/doors/limits.js";
import { openDoors } from "../../support/doors.js";
import { rawAnswer, rawSocket } from "../../support/raw-http.js";
import { appOf } from "../../support/workspace-app.js";

/** The server of HTTP with the routes of REST, over a gate and a desk of one's own. */
async function poisoned(gate: Partial<Gate>, ask?: Desk["ask"]) {
  const app = appOf();
  const workspaces = new Workspaces();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const limits = limitsOf();
  const real = new Gate({
    ...limits,
    onError,
    loopback: true,
    authenticate: () => ({ tenant: "orchard", participant: "ann" }),
  });
  const at = {
    strange: (at_) => real.strange(at_),
    admit: (door, at_) => real.admit(door, at_),
    ...gate,
  } as Gate;
  const server = await httpServer({ gate: at, limits, mcpPath: "/mcp", onError }, () => undefined);
  const desk = new Desk({ app, workspaces, onError });
  if (ask !== undefined) desk.ask = ask;
  addRest(server, desk);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await server.close();
    await workspaces.close();
  });
  const answer = await fetch(`${url}/v1/event/list?workspaceId=w1`);
  return { errors, answer: [answer.status, ((await answer.json()) as JsonObject)["reason"]] };
}

describe("what fails behind a promise", () => {
  it("while it is said who asks is the server's, and ends nothing", async () => {
    const failure = new Error("nobody knows");
    const { errors, answer } = await poisoned({ admit: () => Promise.reject(failure) });
    expect(answer).toEqual([500, "internal_error"]);
    expect(errors).toEqual([failure]);
    // Nobody is not somebody.
    const nobody = await poisoned({ admit: () => Promise.resolve(null as never) });
    expect(nobody.answer).toEqual([500, "internal_error"]);
    expect(nobody.errors).toHaveLength(1);
  });

  it("while an answer is written is the server's, and ends nothing", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const result = { status: "accepted", result: circular as JsonObject } as const;
    const { errors, answer } = await poisoned({}, () => Promise.resolve({ result, commandId: undefined }));
    expect(answer).toEqual([500, "internal_error"]);
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toMatch(/circular/);
  });
});

describe("an address that is written in another way", () => {
  it("is of the same door, and takes the same methods", async () => {
    const doors: string[] = [];
    const at = await openDoors(appOf(), {
      authenticate({ door }) {
        doors.push(door);
        return { tenant: "orchard", participant: "ann" };
      },
    });
    const { host } = new URL(at.url);
    const ask = async (verb: string, target: string): Promise<readonly unknown[]> => {
      const socket = await rawSocket(at.url);
      const answer = rawAnswer(socket);
      socket.write(`${verb} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      const { status, head } = await answer;
      return [target, status, /^allow: (.*)$/im.exec(head)?.[1]];
    };
    const ways = (path: string) => [
      path,
      path.replace("p", "%70"),
      `${path}#x`,
      `${path}?x#y`,
      `http://${host}${path}`,
    ];
    for (const target of ways("/mcp")) {
      expect((await ask("POST", target))[1]).not.toBe(404);
      expect(await ask("GET", target)).toEqual([target, 405, "POST, OPTIONS"]);
      expect(await ask("OPTIONS", target)).toEqual([target, 204, "POST, OPTIONS"]);
    }
    expect(doors).toEqual(Array(10).fill("mcp"));
    doors.length = 0;
    for (const target of ways("/openapi.json")) {
      expect((await ask("GET", target))[1]).toBe(200);
      expect(await ask("PUT", target)).toEqual([target, 405, "GET, OPTIONS"]);
    }
    for (const target of ["/%zz", "/mcp%2f", "http://"]) await ask("GET", target);
    expect(new Set(doors)).toEqual(new Set(["http"]));
  });
});
