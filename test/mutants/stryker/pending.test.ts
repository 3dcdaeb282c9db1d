/** The pending set by its law, with fewer runs than elsewhere: enough to notice a change, and quick. */
import { expect, test } from "vitest";
import { inRenderOrder, type PendingEntry } from "../../../src/client/pending/entry.js";
import { PendingCommandSet } from "../../../src/client/pending/index.js";
import { pendingLaw } from "../../client/pending/law.js";

test("the law of the pending set holds", () => {
  const counts = pendingLaw(PendingCommandSet, { runs: 200 });
  expect(Object.keys(counts).length).toBeGreaterThan(10);
});

test("what does not wait in a queue is shown in the order of its submission, however it comes", () => {
  const entry = (submissionIndex: number) => ({ submissionIndex }) as PendingEntry<string>;
  const shown = inRenderOrder([entry(2), entry(0), entry(1)]);
  expect(shown.map(({ submissionIndex }) => submissionIndex)).toEqual([0, 1, 2]);
});
