/** Commands once per id, in one process: who is carried out, who waits, and what is remembered. */
import { describe, expect, it } from "vitest";
import { ABANDONED, InMemoryCommandResults, Workspaces } from "../../src/commands/index.js";
import { accepted, command, handleOf, idAt, reasonOf } from "../support/commands.js";

const NOW = Date.now();
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("an id", () => {
  it.each<[string, unknown, string, string?]>([
    ["absent", undefined, "command_id_missing"],
    ["null", null, "command_id_missing"],
    ["empty", "", "command_id_malformed", "empty"],
    ["a number", 7, "command_id_malformed", "notText"],
    ["of 300 characters", "x".repeat(300), "command_id_malformed", "tooLong"],
    ["of 129 characters", "x".repeat(129), "command_id_malformed", "tooLong"],
    ["of 129 emoji", "😀".repeat(129), "command_id_malformed", "tooLong"],
    ["of 1 MB", "x".repeat(1_000_000), "command_id_malformed", "tooLong"],
    ["with NUL", "a\0b", "command_id_malformed", "unprintable"],
    ["with a newline", "a\nb", "command_id_malformed", "unprintable"],
    ["with a line separator", "a\u2028b", "command_id_malformed", "unprintable"],
    ["with a zero-width joiner", "a\u200db", "command_id_malformed", "unprintable"],
    ["with half of a surrogate pair", "a\ud800", "command_id_malformed", "unprintable"],
    ["with white space at an end", "a ", "command_id_malformed", "unprintable"],
    ["whose time lies ahead", idAt(NOW + 86_400_000), "command_id_malformed", "ahead"],
  ])("%s is refused, and nothing is carried out", async (_what, commandId, reason, fault) => {
    const results = new InMemoryCommandResults();
    const workspaces = new Workspaces({ results });
    const handle = handleOf(() => accepted(1));
    const result = await workspaces.execute(handle, command(), { commandId });
    expect(result).toMatchObject({ status: "rejected", rejection: { reason, retryable: false } });
    if (fault !== undefined) expect(result).toMatchObject({ rejection: { data: { fault } } });
    expect([handle.effects.size, results.forget().settled]).toEqual([0, 0]);
  });

  it.each([
    "a",
    "é",
    "x".repeat(128),
    "😀".repeat(128),
    "a b",
    "toString",
    "__proto__",
    "00000000-0000-0000-0000-000000000000",
    "6fa459ea-ee8a-4ca4-894e-db77e160355e",
    idAt(NOW),
    idAt(NOW + 60_000),
  ])("%s is one", async (commandId) => {
    const workspaces = new Workspaces();
    const handle = handleOf(() => accepted(1));
    for (let i = 0; i < 2; i++)
      expect(await workspaces.execute(handle, command(), { commandId })).toEqual(accepted(1));
    expect([...handle.effects.values()]).toEqual([1]);
  });

  it("that is a UUID has no letter case, any other has", async () => {
    const workspaces = new Workspaces();
    const handle = handleOf((_, { commandId }) => accepted(commandId));
    const id = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    const ask = (commandId: string) => workspaces.execute(handle, command(), { commandId });
    expect([await ask(id.toUpperCase()), await ask(id)]).toEqual([accepted(id), accepted(id)]);
    expect([await ask("Abc"), await ask("abc")]).toEqual([accepted("Abc"), accepted("abc")]);
  });
});

describe("a repeat", () => {
  it("gets the first result, outcome or rejection, whatever command it comes with", async () => {
    const workspaces = new Workspaces();
    const rejection = { reason: "no_such_run", message: "there is none", retryable: false };
    const handle = handleOf(({ method }) =>
      method === "run/retry" ? { status: "rejected", rejection } : accepted({ n: [1] }),
    );
    const first = await workspaces.execute(handle, command("event/publish", { a: 1 }), { commandId: "a" });
    const other = await workspaces.execute(handle, command("run/retry"), { commandId: "b" });
    expect([first, other]).toEqual([accepted({ n: [1] }), { status: "rejected", rejection }]);
    expect(await workspaces.execute(handle, command("run/retry"), { commandId: "a" })).toEqual(first);
    expect(await workspaces.execute(handle, command("event/publish"), { commandId: "b" })).toEqual(other);
    expect(handle.effects).toEqual(
      new Map([
        ["a", 1],
        ["b", 1],
      ]),
    );
  });

  it("of 64 at once waits for the first, and all get one result", async () => {
    const workspaces = new Workspaces();
    const handle = handleOf(async () => {
      await later(50);
      return accepted({ at: Math.random() });
    });
    const results = await Promise.all(
      Array.from({ length: 64 }, () => workspaces.execute(handle, command(), { commandId: "a" })),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(handle.effects.get("a")).toBe(1);
  });

  it("that waits too long is told that the first still runs, and remembers nothing", async () => {
    const workspaces = new Workspaces({ waitMs: 20 });
    let end: (() => void) | undefined;
    const handle = handleOf(async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return accepted("done");
    });
    const first = workspaces.execute(handle, command(), { commandId: "a" });
    const told = await workspaces.execute(handle, command(), { commandId: "a" });
    expect(told).toMatchObject({ rejection: { reason: "still_running", retryable: true } });
    end?.();
    expect(await first).toEqual(accepted("done"));
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted("done"));
    expect(handle.effects.get("a")).toBe(1);
  });

  it("after an opposite command replays its own, and changes nothing", async () => {
    const workspaces = new Workspaces();
    let goal = "";
    const handle = handleOf(({ params }) => accepted((goal = String(params["goal"]))));
    const set = (commandId: string, text: string) =>
      workspaces.execute(handle, command("goal/set", { goal: text }), { commandId });
    await set("c1", "A");
    await set("c2", "B");
    expect(await set("c1", "A")).toEqual(accepted("A"));
    expect(goal).toBe("B");
  });

  it("gets what the first got, however that is changed afterwards", async () => {
    const workspaces = new Workspaces();
    const kept = { list: [1] };
    const handle = handleOf(() => accepted(kept));
    const first = await workspaces.execute(handle, command(), { commandId: "a" });
    kept.list.push(2);
    expect(first).toEqual(accepted({ list: [1] }));
    expect(Object.isFrozen((first as { result: object }).result)).toBe(true);
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted({ list: [1] }));
  });
});

describe("where commands are compared", () => {
  it("another command under an id is refused, by what was sent and not by what a handler made of it", async () => {
    const workspaces = new Workspaces({ identity: "checked" });
    const handle = handleOf(({ params }) => {
      (params as { text: string }).text = String(params["text"]).trim();
      return accepted(1);
    });
    const send = (text: string, method = "event/publish") =>
      workspaces.execute(handle, command(method, { text }), { commandId: "a" });
    expect(await send(" Ship ")).toEqual(accepted(1));
    expect(await send(" Ship ")).toEqual(accepted(1));
    expect(reasonOf(await send("Ship"))).toBe("command_id_conflict");
    expect(reasonOf(await send(" Ship ", "run/skip"))).toBe("command_id_conflict");
    expect(handle.effects.get("a")).toBe(1);
  });

  it("also while the first one runs", async () => {
    const workspaces = new Workspaces({ identity: "checked" });
    const handle = handleOf(async () => {
      await later(20);
      return accepted(1);
    });
    const send = (n: number) => workspaces.execute(handle, command("m", { n }), { commandId: "a" });
    const results = await Promise.all([send(1), send(2), send(1), send(2)]);
    expect(results.map(reasonOf)).toEqual([
      "accepted",
      "command_id_conflict",
      "accepted",
      "command_id_conflict",
    ]);
  });

  it.each<[string, unknown, unknown, string]>([
    ["members in another order", { a: 1, b: 2 }, { b: 2, a: 1 }, "accepted"],
    ["0 and -0", { a: 0 }, { a: -0 }, "accepted"],
    ["one letter in two forms", { a: "é" }, { a: "e\u0301" }, "command_id_conflict"],
    ["a member named __proto__", { b: 1 }, JSON.parse('{"b":1,"__proto__":{"x":1}}'), "command_id_conflict"],
    ["an integer beyond 2^53", { n: 1 }, { n: 2 ** 53 }, "invalid_params"],
    ["half of a surrogate pair", { n: 1 }, { n: "\ud800" }, "invalid_params"],
  ])("%s: the verdict is %4$s", async (_what, one, other, verdict) => {
    const workspaces = new Workspaces({ identity: "checked" });
    const handle = handleOf(() => accepted(1));
    await workspaces.execute(handle, { method: "m", params: one as never }, { commandId: "a" });
    const result = await workspaces.execute(
      handle,
      { method: "m", params: other as never },
      { commandId: "a" },
    );
    expect(reasonOf(result)).toBe(verdict);
  });

  it("the tables of the bundle say what counts", async () => {
    const tables = {
      methods: { m: { params: "P" } },
      payloads: { P: { members: { a: {}, b: { null: true as const } } } },
    };
    const workspaces = new Workspaces({ identity: "checked", tables });
    const handle = handleOf(() => accepted(1));
    const send = (params: object) =>
      workspaces.execute(handle, { method: "m", params: params as never }, { commandId: "a" });
    await send({ a: 1 });
    expect(reasonOf(await send({ a: 1, unknown: 2, b: null }))).toBe("accepted");
    expect(reasonOf(await send({ a: 1, b: 2 }))).toBe("command_id_conflict");
  });
});

describe("a command that comes to nothing", () => {
  const failing: [string, () => unknown, string][] = [
    [
      "throws",
      () => {
        throw new Error("secret");
      },
      "handler_failed",
    ],
    [
      "rejects",
      async () => {
        throw undefined;
      },
      "handler_failed",
    ],
    ["gives nothing", () => undefined, "handler_failed"],
    ["gives no result", () => ({ status: "fine" }), "handler_failed"],
    ["gives a bigint", () => accepted(1n as never), "result_not_serialisable"],
    ["gives a function", () => accepted((() => 1) as never), "result_not_serialisable"],
    ["gives NaN", () => accepted({ a: [Number.NaN] }), "result_not_serialisable"],
    [
      "gives a circle",
      () => {
        const a: Record<string, unknown> = {};
        a["a"] = a;
        return accepted(a as never);
      },
      "result_not_serialisable",
    ],
    [
      "gives what throws when it is read",
      () =>
        accepted({
          get a(): never {
            throw new TypeError("secret");
          },
        }),
      "result_not_serialisable",
    ],
  ];

  it.each(failing)("when it %s is a rejection, remembered", async (_what, handler, reason) => {
    const errors: unknown[] = [];
    const workspaces = new Workspaces({ onError: (error) => errors.push(error) });
    const handle = handleOf(handler as never);
    const first = await workspaces.execute(handle, command(), { commandId: "a" });
    expect(first).toMatchObject({ status: "rejected", rejection: { reason, retryable: false } });
    expect(JSON.stringify(first)).not.toContain("secret");
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(first);
    expect(handle.effects.get("a")).toBe(1);
  });

  it("when it hangs is abandoned at its deadline, told so, and its late outcome changes nothing", async () => {
    const workspaces = new Workspaces({ deadlineMs: 30 });
    let signal: AbortSignal | undefined;
    let end: (() => void) | undefined;
    const handle = handleOf(async (_, context) => {
      signal = context.signal;
      await new Promise<void>((resolve) => (end = resolve));
      return accepted("late");
    });
    const results = await Promise.all([
      workspaces.execute(handle, command(), { commandId: "a" }),
      workspaces.execute(handle, command(), { commandId: "a" }),
    ]);
    expect(results).toEqual([ABANDONED, ABANDONED]);
    expect(signal?.aborted).toBe(true);
    end?.();
    await later(5);
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(ABANDONED);
    expect(handle.effects.get("a")).toBe(1);
  });

  it("and may be tried again is not remembered, and the next attempt is carried out", async () => {
    const workspaces = new Workspaces();
    let attempts = 0;
    const busy = { reason: "busy", message: "later", retryable: true };
    const handle = handleOf(() =>
      ++attempts === 1 ? { status: "rejected", rejection: busy } : accepted(attempts),
    );
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    expect([await ask(), await ask(), await ask()]).toEqual([
      { status: "rejected", rejection: busy },
      accepted(2),
      accepted(2),
    ]);
  });

  it("because there is no command or no workspace is a rejection too", async () => {
    const workspaces = new Workspaces({ identity: "checked" });
    for (const [handle, given] of [
      [undefined, command()],
      [handleOf(() => accepted(1)), undefined],
      [{}, { method: 1, params: null }],
    ] as never[][]) {
      const result = await workspaces.execute(handle!, given!, { commandId: "a" });
      expect(reasonOf(result)).toBe("internal_error");
    }
  });
});

describe("what is remembered", () => {
  it("of 10,000: the 10,001st forgets the oldest settled one, and never one that runs", async () => {
    const workspaces = new Workspaces();
    let end: (() => void) | undefined;
    const handle = handleOf(async ({ method }) => {
      if (method === "hangs") await new Promise<void>((resolve) => (end = resolve));
      return accepted(method);
    });
    const ask = (n: number, method = "m") =>
      workspaces.execute(handle, command(method), { commandId: idAt(NOW - 20_000 + n) });
    const hangs = ask(0, "hangs");
    // With the one that runs they are 10,000.
    for (let n = 1; n < 10_000; n++) await ask(n);
    expect(await ask(1)).toEqual(accepted("m"));
    await ask(10_000);
    expect(reasonOf(await ask(1))).toBe("command_id_expired");
    expect(await ask(2)).toEqual(accepted("m"));
    expect(handle.effects.size).toBe(10_001);
    const again = ask(0);
    end?.();
    expect([await hangs, await again]).toEqual([accepted("hangs"), accepted("hangs")]);
    expect([...handle.effects.values()].every((times) => times === 1)).toBe(true);
  });

  it("is never given up for more: where only running ones are left it is overloaded", async () => {
    const workspaces = new Workspaces({ results: new InMemoryCommandResults({ retention: { newest: 2 } }) });
    const ends: (() => void)[] = [];
    const handle = handleOf(async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return accepted(1);
    });
    const ask = (commandId: string) => workspaces.execute(handle, command(), { commandId });
    const running = [ask("a"), ask("b")];
    expect(await ask("c")).toMatchObject({ rejection: { reason: "overloaded", retryable: true } });
    const repeat = ask("a");
    for (const end of ends) end();
    expect(await Promise.all([...running, repeat])).toEqual([accepted(1), accepted(1), accepted(1)]);
    expect(handle.effects).toEqual(
      new Map([
        ["a", 1],
        ["b", 1],
      ]),
    );
  });

  it("is refused by an id that came late only of the same tenant", async () => {
    const workspaces = new Workspaces({ results: new InMemoryCommandResults({ retention: { newest: 2 } }) });
    const handle = handleOf(() => accepted(1));
    for (let n = 0; n < 5; n++) await workspaces.execute(handle, command(), { commandId: idAt(NOW + n) });
    const elder = { commandId: idAt(NOW - 1_000) };
    expect(reasonOf(await workspaces.execute(handle, command(), elder))).toBe("command_id_expired");
    const other = handleOf(() => accepted(1), { tenant: "u" });
    expect(reasonOf(await workspaces.execute(other, command(), elder))).toBe("accepted");
  });
});
