/** The checks of commands fail where they should: each is run on a host that breaks its promise. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { HostLedger } from "../../../src/host/host-ledger.js";
import type { CommandName } from "../../../src/host/payloads.js";
import type { CommandAnswer } from "../../../src/host/session/records.js";
import { SessionMemory } from "../../../src/host/session-memory.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { type CaseRow, caseRows } from "../../support/command-cases.js";
import { type SceneHost, sceneHost } from "../../support/command-scene.js";
import { doneOnce, manyAtOnce, rejectedForGood, standsForNothingElse } from "./checks.js";

const rowOf = (name: CommandName): CaseRow => caseRows.find(({ method }) => method === name)!;
const host = (): SceneHost => sceneHost(memoryStore({ durability: "durable" }));

/** Whether a check fails, by an expectation of its own. */
async function fails(
  check: (host: SceneHost, row: CaseRow) => Promise<void>,
  method: CommandName,
): Promise<boolean> {
  const of = host();
  const outcome = await check(of, rowOf(method)).then(
    () => "passes",
    (error: unknown) => (error as Error).name,
  );
  await of.host.close();
  expect(["passes", "AssertionError"]).toContain(outcome);
  return outcome !== "passes";
}

const { stand } = SessionMemory.prototype;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the checks fail on a host", () => {
  it("that is none of these: none of them fails", async () => {
    for (const check of [doneOnce, standsForNothingElse, manyAtOnce])
      expect(await fails(check, "goal/set")).toBe(false);
    expect(await fails(rejectedForGood, "goal/edit")).toBe(false);
  });

  it("that forgets", async () => {
    vi.spyOn(SessionMemory.prototype, "stand").mockReturnValue({ kind: "new" });
    expect(await fails(doneOnce, "turn/start")).toBe(true);
    expect(await fails(standsForNothingElse, "goal/set")).toBe(true);
    expect(await fails(manyAtOnce, "turn/start")).toBe(true);
    expect(await fails(rejectedForGood, "goal/edit")).toBe(true);
    expect(await fails(rejectedForGood, "turn/interrupt")).toBe(true);
  });

  it("that compares nothing", async () => {
    vi.spyOn(SessionMemory.prototype, "stand").mockImplementation(function (this: SessionMemory, command) {
      const standing = stand.call(this, command);
      if (standing.kind !== "conflict") return standing;
      const answer: CommandAnswer = { ack: { commandId: command.spelt, status: "accepted" } };
      return { kind: "answered", answer, row: { signature: "", answer, settled: true, position: 0 } };
    });
    expect(await fails(doneOnce, "session/setReasoningEffort")).toBe(false);
    expect(await fails(standsForNothingElse, "session/setReasoningEffort")).toBe(true);
  });

  it("that tells where the difference is, and what was there", async () => {
    vi.spyOn(SessionMemory.prototype, "difference").mockResolvedValue("/reasoningEffort was high");
    expect(await fails(standsForNothingElse, "session/setReasoningEffort")).toBe(true);
  });

  it("that does not remember what keeps no record", async () => {
    vi.spyOn(SessionMemory.prototype, "pass").mockReturnValue(undefined);
    expect(await fails(doneOnce, "turn/interrupt")).toBe(true);
    expect(await fails(manyAtOnce, "task/stop")).toBe(true);
  });

  it("that lets the second claim of its own commands win", async () => {
    const { command } = HostLedger.prototype;
    vi.spyOn(HostLedger.prototype, "command").mockImplementation(function (this: HostLedger, given, effect) {
      // An id of its own for each: nothing is found under it.
      const id = crypto.randomUUID();
      return command.call(this, { ...given, id }, effect);
    });
    const standing = sceneHost(memoryStore({ durability: "durable" }));
    await expect(standsForNothingElse(standing, rowOf("session/start"))).rejects.toThrow();
    await standing.host.close();
  });
});
