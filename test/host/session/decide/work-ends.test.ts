/** What the end of a compaction and of a command of the user's shell comes to. */
import { describe, expect, it } from "vitest";
import type { Item } from "../../../../generated/msp/experimental/types.js";
import { compacted, shellEnded } from "../../../../src/host/session/decide/lifecycle.js";
import { end, eventsOf, LATER, NOW, othersOf, Stage, settled } from "./stage.js";

describe("a compaction that ends", () => {
  function compacting() {
    const stage = new Stage();
    end(stage, stage.run());
    const { id, effects } = stage.command("session/compact", {});
    const { itemId } = effects[0] as { readonly itemId: string };
    return { stage, ids: { itemId, commandId: id } };
  }

  it.each([
    ["noop", { status: "completed", outcome: "noop" }],
    [{ failure: "too long" }, { status: "failed", outcome: "failed", failureReason: "too long" }],
    [
      { tokensBefore: 9, tokensAfter: 2 },
      { status: "completed", outcome: "compacted", tokensBefore: 9, tokensAfter: 2 },
    ],
  ] as const)("as %j", (result, members) => {
    const { stage, ids } = compacting();
    stage.now += 1_500;
    const decision = stage.happens((draft) => compacted(draft, ids, result));
    const [told] = eventsOf(decision);
    expect(eventsOf(decision)).toHaveLength(1);
    expect(told![0]).toBe("item/completed");
    const { item } = told![1] as { readonly item: Item };
    expect(item).toEqual({
      itemId: ids.itemId,
      kind: "compaction",
      turnId: stage.state.lastTurn!.turnId,
      trigger: "manual",
      commandId: ids.commandId,
      revision: 2,
      recordedAt: LATER,
      ...members,
    });
    expect(othersOf(decision)).toEqual([{ ...settled(ids.commandId, "accepted"), at: NOW + 1_500 }]);
    expect(stage.state.compactedThrough).toBe(members.outcome === "compacted" ? 1 : 0);
  });

  it("settles its command even where its item is over already", () => {
    const { stage, ids } = compacting();
    stage.happens((draft) => compacted(draft, ids, "noop"));
    expect(stage.happens((draft) => compacted(draft, ids, "noop")).records).toEqual([]);
  });
});

describe("a command of the shell that ends", () => {
  it.each([
    [0, "completed"],
    [3, "failed"],
    [undefined, "failed"],
  ])("with %j", (exitCode, status) => {
    const stage = new Stage();
    const { effects, id } = stage.command("session/userShell", { commandText: "date" });
    const { itemId } = effects[0] as { readonly itemId: string };
    stage.now += 1_500;
    const decision = stage.happens((draft) => shellEnded(draft, itemId, { exitCode, output: "out" }));
    expect(eventsOf(decision).map(([method]) => method)).toEqual(["item/completed"]);
    const { item } = eventsOf(decision)[0]![1] as { readonly item: Item };
    expect(item).toMatchObject({
      itemId,
      kind: "userShell",
      commandId: id,
      revision: 2,
      recordedAt: LATER,
      status,
      visibleOutput: "out",
    });
    expect(Object.hasOwn(item, "exitCode") ? item.exitCode : undefined).toBe(exitCode);
    expect(Object.hasOwn(item, "exitCode")).toBe(exitCode !== undefined);
    expect(stage.happens((draft) => shellEnded(draft, itemId, { exitCode, output: "" })).records).toEqual([]);
  });
});
