/** What decisions are made of. */
import { expect, it } from "vitest";
import { keepsRecord, promptOf } from "../../../src/host/session/decision.js";

it("a command keeps a record where the protocol says so, and one that is unknown does not", () => {
  expect(keepsRecord("turn/start")).toBe(true);
  expect(keepsRecord("turn/interrupt")).toBe(false);
  expect(keepsRecord("no/suchMethod")).toBe(false);
});

it("a prompt is what the texts of an input say, in their order", () => {
  const image = { type: "image", text: "no text of the prompt" } as const;
  expect(promptOf([{ type: "text", text: "Prune" }, image, { type: "text", text: " it" }])).toBe("Prune it");
  expect(promptOf([{ type: "text" }])).toBe("");
  expect(promptOf([])).toBe("");
});
