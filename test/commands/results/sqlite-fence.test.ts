/** Effects beside results in SQLite, in one process: they wait for nobody who waits for them, and leave nothing behind. */
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Claim, type CommandResults, Workspaces } from "../../../src/commands/index.js";
import { sqliteResults } from "../../../src/commands/node.js";
import { accepted, command, handleOf } from "../../support/commands.js";
import { scratchFolder } from "../../support/repo.js";
import { sqliteEffects } from "../../support/results-subjects.js";

let path: string;
let results: CommandResults;

beforeEach(() => {
  path = join(scratchFolder(), "results.db");
  const db = new Sqlite(path);
  db.exec("create table effects (id text not null)");
  db.close();
  results = sqliteResults(path);
});
afterEach(() => results.close());

const keyOf = (commandId: string) => ({ tenant: "t", workspace: "w", participant: "p", commandId });
const never = new Promise<never>(() => undefined);

async function claimOf(commandId: string, deadlineMs = 60_000): Promise<Claim> {
  const request = { key: keyOf(commandId), idTime: undefined, signature: undefined, deadlineMs };
  const claimed = await results.claim(request);
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  return claimed.claim;
}

const insert = (handle: unknown, id: string): void =>
  void (handle as Database).prepare("insert into effects values (?)").run(id);

/** Runs an effect: what came of it, by the word of its error. */
async function ran(claim: Claim, effect: (handle: Database) => Promise<unknown>): Promise<unknown> {
  try {
    return await results.fence!(claim).run((handle) => effect(handle as Database));
  } catch (error) {
    return (error as { kind?: string }).kind ?? (error as Error).message;
  }
}

describe("an effect in SQLite", () => {
  it("that hangs is over at the deadline of its claim: others come through, and nothing of it is kept", async () => {
    const claim = await claimOf("hangs", 300);
    let left: Database | undefined;
    const hanging = ran(claim, (handle) => {
      left = handle;
      insert(handle, "hangs");
      return never;
    });
    const next = await claimOf("next");
    expect(await hanging).toBe("fenced");
    // What is left of it can do nothing any more.
    expect(() => insert(left, "hangs")).toThrow(TypeError);
    expect(await results.read(claim.key)).toMatchObject({ result: { rejection: { reason: "abandoned" } } });
    expect(await ran(next, async (handle) => insert(handle, "next"))).toBe(undefined);
    expect(sqliteEffects(path)).toEqual(["next"]);
  });

  it("that waits for another command of its process waits until its deadline, and no longer", async () => {
    const claim = await claimOf("waits", 300);
    let other: Promise<Claim> | undefined;
    const waiting = ran(claim, (handle) => {
      insert(handle, "waits");
      other = claimOf("other");
      return other;
    });
    expect(await waiting).toBe("fenced");
    expect((await other)?.key.commandId).toBe("other");
    expect(sqliteEffects(path)).toEqual([]);
  });

  it("that fails leaves nothing, also of what goes on in it afterwards", async () => {
    const claim = await claimOf("fails");
    let after: (() => void) | undefined;
    const failed = await ran(claim, async (handle) => {
      insert(handle, "before");
      after = () => insert(handle, "after");
      throw new RangeError("no such run");
    });
    expect(failed).toBe("no such run");
    expect(after).toThrow(TypeError);
    expect(sqliteEffects(path)).toEqual([]);
    expect(await results.release(claim)).toBe(true);
  });

  it("that fails before it gives a promise, or whose result cannot be told, leaves nothing either", async () => {
    const claim = await claimOf("a");
    const thrown = results.fence!(claim).run((handle) => {
      insert(handle, "a");
      throw new RangeError("at once");
    });
    await expect(thrown).rejects.toThrow(RangeError);
    const untold = results.fence!(claim).run(
      async (handle) => insert(handle, "a"),
      () => {
        throw new TypeError("no result");
      },
    );
    await expect(untold).rejects.toThrow(TypeError);
    expect(sqliteEffects(path)).toEqual([]);
    expect(await results.settle(claim, accepted(1))).toEqual({ kind: "settled", result: accepted(1) });
  });

  it.each(["commit", "rollback"])(
    "that ends its transaction by itself (%s) settles nothing",
    async (word) => {
      const claim = await claimOf("ends");
      const ended = results.fence!(claim).run(
        async (handle) => {
          insert(handle, "ends");
          (handle as Database).exec(word);
        },
        () => accepted(1),
      );
      await expect(ended).rejects.toMatchObject({ kind: "failed" });
      expect((await results.read(claim.key)).kind).toBe("pending");
    },
  );

  /** Whether others can write: of this process, and of other results in the file. */
  async function othersWrite(): Promise<void> {
    expect(await ran(await claimOf("next"), async (handle) => insert(handle, "next"))).toBe(undefined);
    const others = sqliteResults(path);
    const request = { key: keyOf("others"), idTime: undefined, signature: undefined, deadlineMs: 60_000 };
    expect((await others.claim(request)).kind).toBe("claimed");
    await others.close();
    expect(sqliteEffects(path)).toEqual(["next"]);
  }

  it("that fails while something is read in it step by step is rolled back at once, and writes nothing more", async () => {
    const claim = await claimOf("reads");
    let left: Database | undefined;
    let rows: IterableIterator<unknown> | undefined;
    const reading = ran(claim, async (handle) => {
      left = handle;
      insert(handle, "one");
      insert(handle, "two");
      rows = handle.prepare("select id from effects").iterate();
      rows.next();
      throw new RangeError("in the middle");
    });
    expect(await reading).toBe("in the middle");
    expect(() => insert(left, "after")).toThrow(TypeError);
    await othersWrite();
    // It reads on, if at all, what was there before; and can write no more when it has come to the end.
    rows!.return?.();
    expect(() => insert(left, "after")).toThrow(/readonly/);
    while (left!.open) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sqliteEffects(path)).toEqual(["next"]);
    expect(await results.release(claim)).toBe(true);
  });

  it("that hangs in the middle of reading is over at its deadline, and in nobody's way", async () => {
    const hanging = ran(await claimOf("hangs", 300), async (handle) => {
      insert(handle, "hangs");
      for (const _row of handle.prepare("select id from effects").iterate()) await never;
    });
    expect(await hanging).toBe("fenced");
    await othersWrite();
  });

  it("that ends well, but leaves a query open, is refused and in nobody's way", async () => {
    const workspaces = new Workspaces({ results, waitMs: 60_000 });
    const errors: unknown[] = [];
    const handle = handleOf(async (_command, { fence }) => {
      const first = fence!.run(async (db) => {
        insert(db, "open");
        return (db as Database).prepare("select id from effects").iterate().next().value;
      });
      await first.catch((error: unknown) => void errors.push(error));
      return accepted("answered");
    });
    const answer = workspaces.execute(handle, command(), { commandId: "open" });
    expect(await answer).toEqual(accepted("answered"));
    expect(errors).toEqual([
      expect.objectContaining({ kind: "failed", message: expect.stringMatching(/left a query open/) }),
    ]);
    await othersWrite();
  });

  it("is waited for when results are closed, and refused afterwards", async () => {
    const claim = await claimOf("runs");
    const second = await claimOf("second");
    const order: string[] = [];
    let end: (() => void) | undefined;
    const running = ran(claim, async (handle) => {
      await new Promise<void>((resolve) => (end = resolve));
      insert(handle, "runs");
    }).then(() => order.push("first"));
    const behind = ran(second, async (handle) => insert(handle, "second")).then(() => order.push("second"));
    while (end === undefined) await new Promise(setImmediate);
    const closing = results.close().then(() => order.push("closed"));
    expect(await ran(claim, async () => order.push("late"))).toBe("closed");
    end();
    await Promise.all([running, behind, closing]);
    expect(order).toEqual(["first", "second", "closed"]);
    expect(sqliteEffects(path)).toEqual(["runs", "second"]);
  });

  it("lets commands of its process have their turn between two effects, all of them in one transaction", async () => {
    const claims = [await claimOf("a"), await claimOf("b")];
    const order: string[] = [];
    let end: (() => void) | undefined;
    const effects = claims.map((claim, i) =>
      ran(claim, async (handle) => {
        if (i === 0) await new Promise<void>((resolve) => (end = resolve));
        insert(handle, claim.key.commandId);
        order.push(claim.key.commandId);
      }),
    );
    while (end === undefined) await new Promise(setImmediate);
    const commands = Array.from({ length: 20 }, async (_, i) => {
      await claimOf(`c${i}`);
      if (!order.includes("commands")) order.push("commands");
    });
    // They have asked by then; the second effect was there before them, but the first has had a turn.
    for (let i = 0; i < 10; i++) await new Promise(setImmediate);
    expect(order).toEqual([]);
    end();
    await Promise.all([...effects, ...commands]);
    expect(order).toEqual(["a", "commands", "b"]);
  });
});
