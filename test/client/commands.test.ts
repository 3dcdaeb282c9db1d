/** Commands of a client: one id, one payload, retries only where nothing was admitted, and errors that say what is known. */
import { describe, expect, it } from "vitest";
import { CommandPeer } from "../../src/client/commands.js";
import { isClientError, isMspError } from "../../src/client/errors.js";
import { UsedIds } from "../../src/client/used-ids.js";
import { Peer } from "../../src/wire/index.js";
import { ManualTransport, turn } from "../support/wire.js";

const ID = "01900000-0000-7000-8000-000000000001";
const PARAMS = { commandId: ID, sessionId: "s", objective: "ship" };

function connected(used = new UsedIds(), chance = 0): { transport: ManualTransport; commands: CommandPeer } {
  const transport = new ManualTransport();
  const peer = new Peer(transport, { answerMalformed: false });
  return { transport, commands: new CommandPeer(peer, used, undefined, () => chance) };
}

/** An error that the host answers to the latest request. */
function refuse(transport: ManualTransport, code: number, kind: string, more: object = {}): void {
  const id = transport.frames.at(-1)?.["id"];
  transport.say({ jsonrpc: "2.0", id, error: { code, message: "m", data: { kind, ...more } } });
}

function accept(transport: ManualTransport, result: object = { commandId: ID, status: "accepted" }): void {
  transport.say({ jsonrpc: "2.0", id: transport.frames.at(-1)?.["id"], result });
}

/** The kind and the outcome of an error. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!isClientError(error)) throw error;
    const { kind, outcome, breach } = error as unknown as Record<string, unknown>;
    return breach === undefined ? { kind, outcome } : { kind, outcome, breach };
  }
}

describe("a command", () => {
  it("is sent in the turn that calls it, once", async () => {
    const { transport, commands } = connected();
    const call = commands.request("goal/set", PARAMS);
    await Promise.resolve();
    expect(transport.frames).toEqual([{ jsonrpc: "2.0", id: 1, method: "goal/set", params: PARAMS }]);
    accept(transport);
    expect(await call).toEqual({ commandId: ID, status: "accepted" });
  });

  it.each([
    ["overloaded", -32001],
    ["backpressured", -32031],
  ])("is tried again after %s: a new request id, the same command", async (kind, code) => {
    const { transport, commands } = connected();
    const call = failure(commands.request("goal/set", PARAMS, { retryDelay: () => 0 }));
    for (let attempt = 1; attempt <= 3; attempt++) {
      while (transport.frames.length < attempt) await turn();
      refuse(transport, code, kind, { retryable: true });
    }
    expect(await call).toEqual({ kind, outcome: "nothingAdmitted" });
    expect(transport.frames.map(({ id, params }) => [id, params])).toEqual(
      [1, 2, 3].map((id) => [id, PARAMS]),
    );
  });

  it.each([
    ["overloaded", -32031],
    ["backpressured", -32001],
    ["inputTooLarge", -32002],
    ["internal", -32603],
    ["daemonDraining", -32039],
  ])("is not tried again after %s with code %i, whatever it claims of itself", async (kind, code) => {
    const { transport, commands } = connected();
    const call = failure(commands.request("goal/set", PARAMS, { retryDelay: () => 0 }));
    await turn();
    refuse(transport, code, kind, { retryable: true });
    await call;
    expect(transport.frames).toHaveLength(1);
  });

  it("waits with full jitter: from 0 to 50 ms doubled each time, at most 2 s", async () => {
    const { transport, commands } = connected(new UsedIds(), 0.999_999);
    const delays: number[] = [];
    const real = globalThis.setTimeout;
    globalThis.setTimeout = ((run: () => void, ms: number) => {
      delays.push(ms);
      return real(run, 0);
    }) as typeof setTimeout;
    try {
      const call = failure(commands.request("goal/set", PARAMS, { maxAttempts: 9 }));
      for (let attempt = 1; attempt <= 9; attempt++) {
        while (transport.frames.length < attempt) await turn();
        refuse(transport, -32001, "overloaded");
      }
      await call;
    } finally {
      globalThis.setTimeout = real;
    }
    expect(delays).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  });

  it("may be given up while it waits for the next attempt; nothing is sent then", async () => {
    const { transport, commands } = connected();
    const stop = new AbortController();
    const call = failure(
      commands.request("goal/set", PARAMS, { retryDelay: () => 1_000_000, signal: stop.signal }),
    );
    await turn();
    refuse(transport, -32001, "overloaded");
    await turn();
    stop.abort();
    expect(await call).toEqual({ kind: "overloaded", outcome: "nothingAdmitted" });
    expect(transport.frames).toHaveLength(1);
  });

  it.each([0, 1.5, Number.NaN])("takes no number of attempts of %s", async (maxAttempts) => {
    await expect(connected().commands.request("goal/set", PARAMS, { maxAttempts })).rejects.toThrow(
      RangeError,
    );
  });
});

describe("an id", () => {
  it("with another payload throws before any frame is sent, also on the next connection", async () => {
    const used = new UsedIds();
    const first = connected(used);
    void failure(first.commands.request("goal/set", PARAMS));
    await turn();
    const second = connected(used);
    for (const [method, params] of [
      ["goal/set", { ...PARAMS, objective: "other" }],
      ["goal/edit", PARAMS],
    ] as const) {
      const call = second.commands.request(method, params);
      expect(await failure(call)).toEqual({
        kind: "protocolError",
        breach: "commandIdReused",
        outcome: "nothingAdmitted",
      });
      await expect(call).rejects.toThrow("was reused with a different payload");
    }
    await turn();
    expect(second.transport.frames).toEqual([]);
  });

  it("with the same payload is sent again, whatever the order of members", async () => {
    const { transport, commands } = connected();
    for (const params of [PARAMS, { objective: "ship", sessionId: "s", commandId: ID }]) {
      const call = commands.request("goal/set", params);
      await turn();
      accept(transport);
      await call;
    }
    expect(transport.frames).toHaveLength(2);
  });

  it("is remembered up to a bound, the oldest forgotten first, and never one in flight", async () => {
    const used = new UsedIds(2);
    const params = (n: number): { commandId: string } => ({ commandId: `id-${n}` });
    const pending = used.use("id-0", "m", params(0));
    for (let n = 1; n <= 3; n++) used.release(used.use(`id-${n}`, "m", params(n)));
    expect(used.size).toBe(2);
    // 0 is in flight and 3 is the newest; 1 and 2 may stand for something new.
    expect(() => used.use("id-0", "other", params(0))).toThrow("reused");
    expect(() => used.use("id-3", "other", params(3))).toThrow("reused");
    used.release(pending);
    expect(() => used.use("id-1", "other", params(1))).not.toThrow();
  });
});

describe("an answer", () => {
  it("that names another command is no answer to this one", async () => {
    const { transport, commands } = connected();
    const call = failure(commands.request("goal/set", PARAMS));
    await turn();
    accept(transport, { commandId: "other", status: "accepted" });
    expect(await call).toEqual({ kind: "protocolError", breach: "echoMismatch", outcome: "outcomeUnknown" });
  });

  it("without an echo is taken: some methods have none", async () => {
    const { transport, commands } = connected();
    const call = commands.request("session/start", { commandId: ID });
    await turn();
    accept(transport, { session: {}, viewCursor: "c" });
    expect(await call).toEqual({ session: {}, viewCursor: "c" });
  });

  it("to a repeated command must have the values of the first, in any order of members", async () => {
    const { transport, commands } = connected();
    const answers = [
      { commandId: ID, status: "accepted", turnId: "t" },
      { turnId: "t", status: "accepted", commandId: ID },
      { commandId: ID, status: "accepted", turnId: "u" },
    ];
    const ends: unknown[] = [];
    for (const answer of answers) {
      const call = failure(commands.request("goal/set", PARAMS));
      await turn();
      accept(transport, answer);
      ends.push(await call);
    }
    expect(ends.slice(0, 2)).toEqual(answers.slice(0, 2));
    expect(ends[2]).toEqual({ kind: "protocolError", breach: "replayMismatch", outcome: "outcomeUnknown" });
  });
});

describe("a failure says what is known", () => {
  it.each([
    [-32030, "commandRejected", "rejected"],
    [-32030, "someKindOfTomorrow", "rejected"],
    [-32602, "invalidParams", "nothingAdmitted"],
    [-32601, "experimentalRequired", "nothingAdmitted"],
    [-32010, "capabilityRequired", "nothingAdmitted"],
    [-32024, "sessionNotLoaded", "nothingAdmitted"],
    [-32051, "approvalAlreadyResolved", "nothingAdmitted"],
    [-32603, "internal", "outcomeUnknown"],
    [-32014, "cancelled", "outcomeUnknown"],
    [-32099, "someKindOfTomorrow", "outcomeUnknown"],
  ])("%i %s: %s", async (code, kind, outcome) => {
    const { transport, commands } = connected();
    const call = commands.request("goal/set", PARAMS);
    const end = failure(call);
    await turn();
    refuse(transport, code, kind, { reason: "r", retryable: false });
    expect(await end).toEqual({ kind, outcome });
    await expect(call).rejects.toMatchObject({ code, reason: "r", retryable: false, method: "goal/set" });
    expect(isMspError(await call.catch((error: unknown) => error))).toBe(true);
  });

  it("an attempt that was lost may have been admitted, so that a later refusal proves nothing; a rejection does", async () => {
    const used = new UsedIds();
    const first = connected(used);
    const lost = failure(first.commands.request("goal/set", PARAMS));
    await turn();
    first.transport.receiver.ended();
    expect(await lost).toEqual({ kind: "outcomeUnknown", outcome: "outcomeUnknown" });
    const closed = failure(first.commands.request("goal/set", PARAMS));
    expect(await closed).toEqual({ kind: "notSent", outcome: "outcomeUnknown" });
    const second = connected(used);
    for (const [code, kind, outcome] of [
      [-32001, "overloaded", "outcomeUnknown"],
      [-32024, "sessionNotLoaded", "outcomeUnknown"],
      [-32030, "commandRejected", "rejected"],
    ] as const) {
      const again = failure(second.commands.request("goal/set", PARAMS, { maxAttempts: 1 }));
      await turn();
      refuse(second.transport, code, kind);
      expect(await again).toEqual({ kind, outcome });
    }
  });

  it("also while another attempt is under way", async () => {
    const { transport, commands } = connected();
    const [one, two] = [0, 1].map(() => failure(commands.request("goal/set", PARAMS, { maxAttempts: 1 })));
    await turn();
    refuse(transport, -32001, "overloaded");
    expect(await two).toEqual({ kind: "overloaded", outcome: "outcomeUnknown" });
    transport.say({ jsonrpc: "2.0", id: 1, result: { commandId: ID } });
    expect(await one).toEqual({ commandId: ID });
  });

  it("nothing was admitted where nothing was sent", async () => {
    const { transport, commands } = connected();
    expect(await failure(commands.request("goal/set", { ...PARAMS, n: Number.NaN }))).toEqual({
      kind: "unencodable",
      outcome: "nothingAdmitted",
    });
    transport.receiver.ended();
    expect(await failure(commands.request("goal/clear", { commandId: "other" }))).toEqual({
      kind: "notSent",
      outcome: "nothingAdmitted",
    });
  });
});
