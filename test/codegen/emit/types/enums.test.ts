import { beforeAll, expect, test } from "vitest";
import { bundleOf, planOf, textOf } from "../../../support/compile.js";
import { completionsOf, mistakesOf } from "../../../support/typescript.js";

const ENUMS = bundleOf({
  TurnTerminal: { type: "string", enum: ["completed", "failed"], "x-msp-openness": "open" },
  IfBusy: { type: "string", enum: ["queue", "steer"], "x-msp-openness": "closed" },
  Unstated: { type: "string", enum: ["a", "b"] },
  Words: { type: "string", enum: ["", "a b", "1", "__proto__", 'a"b', "</script>", "\u2028"] },
  Mixed: { enum: [1, "all", null, true, -1.5], "x-msp-openness": "closed" },
  Priority: {
    type: "string",
    enum: ["low", "urgent"],
    "x-msp-openness": "closed",
    "x-msp-value-stability": { urgent: "experimental" },
  },
  OpenA: { type: "string", enum: ["x"], "x-msp-openness": "open" },
  ClosedB: { type: "string", enum: ["x"], "x-msp-openness": "closed" },
});
let types: string;

beforeAll(async () => {
  types = await textOf(planOf(ENUMS), "types");
});

test("an open enum takes any string and nothing else, and a switch over it needs a default", () => {
  const program = `import type { TurnTerminal } from "./types.js";
export const known: TurnTerminal = "completed";
export const future: TurnTerminal = "paused";
export const any: (word: string) => TurnTerminal = (word) => word;
export const number: TurnTerminal = 1; // error 2322
export const nothing: TurnTerminal = null; // error 2322
export const same: Same<TurnTerminal, "completed" | "failed" | (string & {})> = true;
export const kept: Not<Same<TurnTerminal, string>> = true;
export const half = (word: TurnTerminal): number => { // error 2366
  switch (word) {
    case "completed":
      return 1;
    case "failed":
      return 2;
  }
};
`;
  expect(mistakesOf(types, program)).toEqual([]);
});

test("an editor offers the known words of an open enum", () => {
  const program = `import type { TurnTerminal } from "./types.js";\nexport const word: TurnTerminal = "|";\n`;
  expect(completionsOf(types, program)).toEqual(["completed", "failed"]);
  // It would offer none if the type were a plain string.
  const plain = types.replace('"completed" | "failed" | (string & {})', '"completed" | "failed" | string');
  expect(plain).not.toBe(types);
  expect(completionsOf(plain, program)).toEqual([]);
});

test("a closed enum is exhaustive, and so is one that does not say", () => {
  const program = `import type { IfBusy, Unstated } from "./types.js";
export const future: IfBusy = "drop"; // error 2322
export const other: Unstated = "c"; // error 2322
export const all = (word: IfBusy): number => {
  switch (word) {
    case "queue":
      return 1;
    case "steer":
      return 2;
  }
};
export const half = (word: IfBusy): number => {
  switch (word) {
    case "queue":
      return 1;
    default: {
      const rest: never = word; // error 2322
      return rest;
    }
  }
};
export const unstated = (word: Unstated): never | 0 => (word === "a" || word === "b" ? 0 : word);
`;
  expect(mistakesOf(types, program)).toEqual([]);
});

test("two enums of the same words stay two types where their openness differs", () => {
  const program = `import type { ClosedB, OpenA } from "./types.js";
export const widen = (word: ClosedB): OpenA => word;
export const narrow = (word: OpenA): ClosedB => word; // error 2322
export const open: OpenA = "y";
export const closed: ClosedB = "y"; // error 2322
`;
  expect(mistakesOf(types, program)).toEqual([]);
});

test("words and values of every kind are literal", () => {
  const program = `import type { Mixed, Words } from "./types.js";
export const words: Same<Words, "" | "a b" | "1" | "__proto__" | "a\\"b" | "</script>" | "\\u2028"> = true;
export const mixed: Same<Mixed, 1 | "all" | null | true | -1.5> = true;
`;
  expect(mistakesOf(types, program)).toEqual([]);
  expect(types).not.toContain("\u2028");
  expect(types).not.toContain("</script>");
});

test("an experimental word is not in the stable type", async () => {
  const program = `import type { Priority } from "./types.js";
export const same: Same<Priority, "low"> = true;
`;
  expect(mistakesOf(await textOf(planOf(ENUMS, "stable"), "types"), program)).toEqual([]);
  expect(mistakesOf(types, program.replace('"low"', '"low" | "urgent"'))).toEqual([]);
});
