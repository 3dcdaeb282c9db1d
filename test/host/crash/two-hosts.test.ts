/**
 * Two real hosts on one store: one effect for a command that both get, one holder for a session; the other takes over
 * when the holder is dead, or was fenced, and not before.
 */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mintCommandId } from "../../../src/client/index.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { openStore } from "../../../src/ledger/node.js";
import { Conversation, MSPKIT } from "../../support/conversation.js";
import type { Outcome, TestClient } from "../../support/host.js";
import { scratchFolder } from "../../support/repo.js";
import { ServeProcess } from "../../support/serve-process.js";

const IN_FLIGHT = 50;

const kindOf = (outcome: Outcome): string =>
  "result" in outcome ? "accepted" : String(outcome.error.data["kind"]);

/** How often each word is there. */
function counted(words: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

describe.skipIf(process.platform === "win32").each(["file", "sqlite"])(
  "two hosts on one %s store",
  (scheme) => {
    let url: string;
    let hosts: ServeProcess[];
    let one: TestClient;
    let two: TestClient;

    beforeEach(async () => {
      const folder = scratchFolder();
      url = `${scheme}:${join(folder, "store")}`;
      const words = ["--store", url, "--workspace", folder];
      hosts = await Promise.all([ServeProcess.start(words), ServeProcess.start(words)]);
      [one, two] = [await hosts[0]!.client(), await hosts[1]!.client()];
    });
    afterEach(async () => {
      await Promise.all(hosts.map((host) => host.kill()));
    });

    async function recordsOf(sessionId: string): Promise<SessionRecord[]> {
      const store = openStore(url);
      const entries = (await store.read("sessions", sessionId)) ?? [];
      await store.close();
      return entries.flatMap((entry) => JSON.parse(entry) as SessionRecord[]);
    }

    const received = (records: readonly SessionRecord[]): string[] =>
      records.flatMap((record) => (record.type === "received" ? [record.id] : []));

    const both = (method: string, params: object): Promise<[Outcome, Outcome]> =>
      Promise.all([one.ask(method, params), two.ask(method, params)]);

    test("trap A15: 1,000 commands sent to both at the same moment have one effect each", async () => {
      const mine = await one.start();
      const theirs = await two.start();
      const answers: string[] = [];
      const sent: string[] = [];
      for (let from = 0; from < 1_000; from += IN_FLIGHT) {
        await Promise.all(
          Array.from({ length: IN_FLIGHT }, async (_, i) => {
            const commandId = mintCommandId();
            sent.push(commandId);
            const sessionId = i % 2 === 0 ? mine : theirs;
            const params =
              i % 5 === 0
                ? { commandId, sessionId, name: commandId }
                : { commandId, sessionId, reasoningEffort: i % 3 === 0 ? "high" : "low" };
            const method = i % 5 === 0 ? "session/rename" : "session/setReasoningEffort";
            const [first, second] = (await both(method, params)).map(kindOf);
            answers.push(i % 2 === 0 ? `${first} ${second}` : `${second} ${first}`);
          }),
        );
      }
      // Nobody hears of a busy database.
      expect(counted(answers)).toEqual({ "accepted sessionInUse": 1_000 });
      const ids = [...received(await recordsOf(mine)), ...received(await recordsOf(theirs))];
      expect([ids.length, [...ids].sort()]).toEqual([1_000, [...sent].sort()]);
    });

    test("a session that both are asked to start is one session", async () => {
      const STARTS = 100;
      const answers: string[] = [];
      for (let from = 0; from < STARTS; from += 10) {
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            const params = { commandId: mintCommandId() };
            const outcomes = await both("session/start", params);
            answers.push(outcomes.map(kindOf).sort().join(" "));
            const results = outcomes.flatMap((outcome) => ("result" in outcome ? [outcome.result] : []));
            // Once it is begun, both say the same, value for value.
            const later = await both("session/start", params);
            for (const outcome of later) expect(outcome).toEqual({ result: results[0] });
            if (results.length === 2) expect(results[1]).toEqual(results[0]);
          }),
        );
      }
      const counts = counted(answers);
      // Who comes while the other begins it is told so; who comes later gets the same answer.
      expect(
        Object.keys(counts).every((pair) => ["accepted sessionInUse", "accepted accepted"].includes(pair)),
      ).toBe(true);
      expect(answers).toHaveLength(STARTS);
      console.info(`sessions that both were asked to start, ${scheme}: ${JSON.stringify(counts)}`);
      const store = openStore(url);
      expect(await store.list("sessions")).toHaveLength(STARTS);
      await store.close();
    });

    test("when the holder was killed the other takes over at once, and repeats what it answered", async () => {
      const sessionId = await one.start();
      const rename = { commandId: mintCommandId(), sessionId, name: "mine" };
      const first = await one.ask("session/rename", rename);
      const hang = { commandId: mintCommandId(), sessionId, input: [{ type: "text", text: "/hang" }] };
      expect(kindOf(await one.ask("turn/start", hang))).toBe("accepted");
      const resume = () => two.ask("session/resume", { commandId: mintCommandId(), sessionId });
      expect(kindOf(await resume())).toBe("sessionInUse");
      await hosts[0]!.kill();
      expect(kindOf(await resume())).toBe("accepted");
      expect(await two.ask("session/rename", rename)).toEqual(first);
      expect(await two.ask("turn/start", hang)).toMatchObject({ error: { data: { reason: "abandoned" } } });
    });

    test("a holder that was frozen, and not fenced, goes on where it was", async () => {
      const sessionId = await one.start();
      hosts[0]!.signal("SIGSTOP");
      const late = one.ask("session/rename", { commandId: mintCommandId(), sessionId, name: "late" });
      expect(kindOf(await two.ask("session/resume", { commandId: mintCommandId(), sessionId }))).toBe(
        "sessionInUse",
      );
      hosts[0]!.signal("SIGCONT");
      expect(kindOf(await late)).toBe("accepted");
      expect(received(await recordsOf(sessionId))).toHaveLength(1);
    });

    test("a holder that is frozen holds; once it was fenced, what it writes when it thaws counts for nothing", async () => {
      const sessionId = await one.start();
      const resume = () => two.ask("session/resume", { commandId: mintCommandId(), sessionId });
      const before = { commandId: mintCommandId(), sessionId, name: "before" };
      const answered = await one.ask("session/rename", before);
      hosts[0]!.signal("SIGSTOP");
      expect(kindOf(await resume())).toBe("sessionInUse");
      // Sent while it is frozen: the first things that it does when it thaws.
      const late = Array.from({ length: 5 }, (_, i) => ({
        commandId: mintCommandId(),
        sessionId,
        name: `late ${i}`,
      }));
      const outcomes = late.map((params) => one.ask("session/rename", params));
      const start = { commandId: mintCommandId(), sessionId, input: [{ type: "text", text: "late" }] };
      outcomes.push(one.ask("turn/start", start));
      const fence = new Conversation([MSPKIT, "store", "fence", "--store", url, sessionId]);
      const { code, stderr } = await fence.hangUp();
      expect([code, stderr]).toEqual([0, `${sessionId} was taken from its holder\n`]);
      expect(kindOf(await resume())).toBe("accepted");
      expect(
        kindOf(await two.ask("session/rename", { commandId: mintCommandId(), sessionId, name: "two" })),
      ).toBe("accepted");
      hosts[0]!.signal("SIGCONT");
      const kinds = (await Promise.all(outcomes)).map(kindOf);
      expect(kinds.filter((kind) => kind !== "sessionInUse" && kind !== "sessionNotLoaded")).toEqual([]);
      // Asked again, it says who has the session.
      expect(kindOf(await one.ask("session/rename", late[0]!))).toBe("sessionInUse");
      const ids = received(await recordsOf(sessionId));
      expect(ids).toContain(before.commandId);
      expect(late.filter(({ commandId }) => ids.includes(commandId))).toEqual([]);
      expect(ids).not.toContain(start.commandId);
      // What the first one had answered stands, and what was refused is free.
      expect(await two.ask("session/rename", before)).toEqual(answered);
      expect(kindOf(await two.ask("session/rename", late[0]!))).toBe("accepted");
    });
  },
);
