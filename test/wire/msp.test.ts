/** A peer carries the generated client and the generated server of MSP, both ways at once. */
import { describe, expect, it } from "vitest";
import { createClient } from "../../generated/msp/stable/client.js";
import { createServer, type Handlers, protocolError, withheld } from "../../generated/msp/stable/server.js";
import { errors, methods } from "../../generated/msp/stable/tables.js";
import type { ApprovalRequestParams, ItemDeltaParams } from "../../generated/msp/stable/types.js";
import { dispatchTo, inProcess, isAnsweredError, Peer, wireErrors } from "../../src/wire/index.js";

const CONNECTION = { grants: [], experimental: false };
const SESSION = "01900000-0000-7000-8000-000000000001";

/** A host that accepts turns, and a client on the other end. */
function connected() {
  const [left, right] = inProcess();
  const host = new Peer(right, { errors: wireErrors(errors) });
  const peer = new Peer(left, { answerMalformed: false });
  const notified: string[] = [];
  const server = createServer(
    {
      ...(Object.fromEntries(Object.keys(methods).map((name) => [name, withheld])) as unknown as Handlers),
      "turn/start": ({ commandId }) => ({
        commandId,
        status: "accepted",
        turnId: commandId,
        startedNewTurn: true,
        disposition: "started",
      }),
      "turn/unqueue": ({ commandId }) =>
        protocolError("commandRejected", { commandId, reason: "command_id_conflict" }),
    },
    {
      checkResults: true,
      notifications: { "userInput/engaged": ({ userInputId }) => void notified.push(userInputId) },
    },
  );
  dispatchTo(host, server, CONNECTION);
  let minted = 0;
  const client = createClient(peer, {
    mintCommandId: () => `01900000-0000-7000-8000-00000000010${minted++}`,
  });
  return { host, peer, server, client, notified };
}

describe("over a peer", () => {
  it("a command of the generated client is carried out by the generated server", async () => {
    const { client } = connected();
    const input = [{ type: "text" as const, text: "naïve 😀\u2028" }];
    await expect(client.turn.start({ sessionId: SESSION, input })).resolves.toMatchObject({
      commandId: "01900000-0000-7000-8000-000000000100",
      disposition: "started",
    });
  });

  it("wrong params, rejections and withheld methods come back as the errors that the registry has", async () => {
    const { client } = connected();
    const failure = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: unknown) => (isAnsweredError(error) ? { code: error.code, data: error.data } : error),
      );
    expect(await failure(client.turn.start({ sessionId: SESSION, input: "no" as never }))).toMatchObject({
      code: -32602,
      data: {
        kind: "invalidParams",
        details: { violations: [{ instanceLocation: "/input", keyword: "type" }] },
      },
    });
    expect(await failure(client.turn.unqueue({ sessionId: SESSION, turnId: SESSION }))).toMatchObject({
      code: -32030,
      data: { kind: "commandRejected", reason: "command_id_conflict" },
    });
    expect(await failure(client.usage.read())).toMatchObject({
      code: -32601,
      data: { kind: "methodNotFound" },
    });
  });

  it("the host notifies and asks, the client answers and notifies", async () => {
    const { host, server, client, notified } = connected();
    const deltas: string[] = [];
    client.on({ "item/delta": ({ delta }) => void deltas.push(delta) });
    client.handle({ "approval/request": () => ({}) });
    const delta = (text: string): ItemDeltaParams => ({
      sessionId: SESSION,
      viewCursor: `v:${SESSION}:1.${text}`,
      itemId: SESSION,
      delta: text,
    });
    for (const text of ["a", "b"]) {
      const message = server.notification("item/delta", delta(text), CONNECTION);
      await host.notify(message?.method as string, message?.params, { emittedAtMs: 1 });
    }
    const asked = server.request("approval/request", {} as ApprovalRequestParams, CONNECTION);
    await expect(host.request(asked?.method ?? "approval/request", {})).resolves.toEqual({});
    await client.notify.userInput.engaged({ sessionId: SESSION, userInputId: "u" });
    await client.turn.start({ sessionId: SESSION, input: [] });
    expect(deltas).toEqual(["a", "b"]);
    expect(notified).toEqual(["u"]);
  });
});
