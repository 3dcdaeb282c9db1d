/** The rules and the laws can fail: each way in which a fold goes wrong is caught by one of them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dice, gapLaw, noCounts } from "../client/fold/delivery.js";
import { history } from "../client/fold/history.js";
import { replayLaw, snapshotLaw } from "../client/fold/laws.js";
import { holds } from "../client/fold/rules.js";
import type { FoldModule } from "../client/fold/session.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import { erase } from "../support/typescript.js";

const FOLD = join(ROOT, "src/client/fold");

interface Poison {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The fold, compiled with one place of its text changed, or as it is. */
async function compiled(poison?: Poison): Promise<FoldModule> {
  const folder = scratchFolder();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const name of readdirSync(FOLD)) {
    let text = readFileSync(join(FOLD, name), "utf8");
    if (name === poison?.file) {
      expect(text.split(poison.from), `${poison.from} stands once in ${name}`).toHaveLength(2);
      text = text.replace(poison.from, poison.to);
    }
    writeFileSync(join(folder, name.replace(/\.ts$/, ".js")), erase(text));
  }
  const [client, served] = await Promise.all(
    ["index.js", "serve-snapshot.js"].map((name) => import(pathToFileURL(join(folder, name)).href)),
  );
  return { ...client, ...served } as FoldModule;
}

/** The laws, each over enough histories to catch what it is there for; their own tests count them. */
const LAWS: Readonly<Record<string, (kit: FoldModule, numRuns?: number) => Promise<void>>> = {
  snapshot: async (kit, numRuns = 100) =>
    fc.assert(
      fc.property(history(), (events) => {
        replayLaw(kit, events);
        snapshotLaw(kit, events);
      }),
      { numRuns, seed: 6, endOnFailure: true },
    ),
  splice: (kit, numRuns = 1_500) =>
    fc.assert(
      fc.asyncProperty(history(), dice, (events, chance) => gapLaw(kit, events, chance, "splice")),
      { numRuns, seed: 6, endOnFailure: true },
    ),
  broken: (kit, numRuns = 1_500) =>
    fc.assert(
      fc.asyncProperty(history(), dice, (events, chance) =>
        gapLaw(kit, events, chance, "splice", noCounts(), true),
      ),
      { numRuns, seed: 6, endOnFailure: true },
    ),
  reanchor: (kit, numRuns = 1_500) =>
    fc.assert(
      fc.asyncProperty(history({ compacted: true }), dice, (events, chance) =>
        gapLaw(kit, events, [{ ...chance[0]!, drops: false }, ...chance], "reanchor"),
      ),
      { numRuns, seed: 6, endOnFailure: true },
    ),
};

const LAW_POISONS: readonly (Poison & { readonly law: keyof typeof LAWS })[] = [
  {
    what: "an older revision replaces a newer one",
    law: "splice",
    file: "items.ts",
    from: "item.revision <= revision && !endsAnyway",
    to: "false",
  },
  {
    what: "the paged events are not told from those that are delivered",
    law: "splice",
    file: "gap-recovery.ts",
    from: "if (this.#paged.delete(viewCursor)) return true;",
    to: "this.#paged.delete(viewCursor);",
  },
  {
    what: "live frames do not wait",
    law: "splice",
    file: "gap-recovery.ts",
    from: 'walk !== undefined && method !== "view/gap"',
    to: 'walk !== undefined && method === "item/delta"',
  },
  {
    what: "frames that waited are lost",
    law: "splice",
    file: "gap-recovery.ts",
    from: "this.#held.splice(0))",
    to: "this.#held.splice(0).slice(1))",
  },
  {
    what: "a gap that grows is filled to its first end only",
    law: "splice",
    file: "events.ts",
    from: "state.gap = { after: gap?.after ?? after, next };",
    to: "state.gap ??= { after, next };",
  },
  {
    what: "a gap that grows is filled from its last beginning",
    law: "broken",
    file: "events.ts",
    from: "after: gap?.after ?? after",
    to: "after",
  },
  {
    what: "a walk believes what an earlier one had read ahead",
    law: "splice",
    file: "gap-recovery.ts",
    from: "    this.#paged.clear();\n    const done",
    to: "    const done",
  },
  {
    what: "the item of the frame after a hole stays before those of the hole",
    law: "splice",
    file: "session-fold.ts",
    from: "    moveToEnd(this.#state, itemId);",
    to: "",
  },
  {
    what: "a snapshot lacks the text that was streamed",
    law: "snapshot",
    file: "serve-snapshot.ts",
    from: "items: [...items.values()].map(shownItem)",
    to: "items: [...items.values()].map(({ item }) => item)",
  },
  {
    what: "a snapshot lacks the turn that runs",
    law: "snapshot",
    file: "serve-snapshot.ts",
    from: "activeTurn: activeTurnId === undefined ? null : ref(activeTurnId)",
    to: "activeTurn: null",
  },
  {
    what: "a snapshot lacks the requests that wait",
    law: "snapshot",
    file: "serve-snapshot.ts",
    from: 'approval.state === "pending" ?',
    to: "false ?",
  },
  {
    what: "a seed drops what it holds of a family",
    law: "snapshot",
    file: "session-fold.ts",
    from: "if (value === undefined) return;",
    to: 'if (value === undefined || family === "todoList") return;',
  },
  {
    what: "streamed text begins anew after a snapshot",
    law: "snapshot",
    file: "items.ts",
    from: '?? textAt(held.item, field) ?? "") + delta);\n  return APPLIED',
    to: '?? "") + delta);\n  return APPLIED',
  },
  {
    what: "a new anchor forgets the requests that wait",
    law: "reanchor",
    file: "session-fold.ts",
    from: "{ ...emptyState(), approvals, userInputs, gap, filled, discarded }",
    to: "{ ...emptyState(), gap, filled, discarded }",
  },
  {
    what: "a new anchor keeps what was known",
    law: "reanchor",
    file: "gap-recovery.ts",
    from: "    this.fold.forget();\n",
    to: "",
  },
  {
    what: "frames from before a boundary stand over those after it",
    law: "reanchor",
    file: "gap-recovery.ts",
    from: "walk.known = this.#held.length;",
    to: "walk.known = 0;",
  },
];

const RULE_POISONS: readonly (Poison & { readonly rule: string })[] = [
  {
    what: "an open item does not end at its own revision",
    rule: "an open item ends at its own revision, an ended one does not end again",
    file: "items.ts",
    from: "const endsAnyway = completes",
    to: "const endsAnyway = false",
  },
  {
    what: "an ended item ends again",
    rule: "an open item ends at its own revision, an ended one does not end again",
    file: "items.ts",
    from: " && isOpen(held.item);",
    to: ";",
  },
  {
    what: "text of an item that was not seen is dropped",
    rule: "text of an item that was not seen waits for it",
    file: "items.ts",
    from: "  keepStreams(held, early);\n",
    to: "",
  },
  {
    what: "a replayed state counts",
    rule: "a state is the latest that arrived, a replay is refused, null clears",
    file: "states.ts",
    from: "return DUPLICATE;",
    to: "return setState(state, family, { value, cursor: viewCursor, event: params }), DUPLICATE;",
  },
  {
    what: "a declined retraction ends the turn",
    rule: "a retraction counts unless it is declined",
    file: "turns.ts",
    from: "if (outcome === DECLINED) {",
    to: "if (false) {",
  },
  {
    what: "a request that is sent again undoes the update",
    rule: "an approval is opened, refreshed and closed, the first time for good",
    file: "approvals.ts",
    from: "    return DUPLICATE;\n  const approval",
    to: "    held.update = undefined;\n  const approval",
  },
  {
    what: "a turn ends twice",
    rule: "a turn leaves running once",
    file: "turns.ts",
    from: 'if (before === "completed" || before === "unqueued") return STALE;',
    to: "turn.completed = undefined;",
  },
  {
    what: "a request that comes after its end is forgotten",
    rule: "an approval is opened, refreshed and closed, the first time for good",
    file: "approvals.ts",
    from: "    held.request = params;\n    held.itemId",
    to: "    held.itemId",
  },
  {
    what: "the last settlement wins",
    rule: "a question is opened and closed, the first time for good",
    file: "user-inputs.ts",
    from: '  if (input.state === "settled") return STALE;\n',
    to: "",
  },
  {
    what: "a gap is filled by whatever end",
    rule: "a gap stands until it is filled to its end",
    file: "session-fold.ts",
    from: "if (state.gap?.next !== next) return false;",
    to: "if (state.gap === undefined) return false;",
  },
  {
    what: "frames of other sessions are folded",
    rule: "a frame of another session is refused",
    file: "session-fold.ts",
    from: "sessionId !== this.sessionId) return FOREIGN_SESSION;",
    to: "sessionId !== this.sessionId) sessionId.at(0);",
  },
  {
    what: "a prototype is written to",
    rule: "names of every object are ordinary fields",
    file: "fields.ts",
    from: "return Object.defineProperty(copy, name, { value, configurable: true, enumerable: true, writable: true });",
    to: "copy[name] = value; return copy;",
  },
];

describe("a fold as it is", () => {
  it("keeps every law when it is compiled this way", async () => {
    const kit = await compiled();
    for (const law of Object.values(LAWS)) await law(kit, 100);
    for (const { rule } of RULE_POISONS) holds(kit, rule);
  });
});

describe("a poisoned fold is caught where", () => {
  it.each(LAW_POISONS)("$what", async ({ law, ...poison }) => {
    const kit = await compiled(poison);
    await expect(LAWS[law]?.(kit)).rejects.toThrow(/Property failed|Counterexample/);
  });

  it.each(RULE_POISONS)("$what", async ({ rule, ...poison }) => {
    const kit = await compiled(poison);
    expect(() => holds(kit, rule)).toThrow();
  });
});
