import { expect, test } from "vitest";
import { mistakesOf } from "./typescript.js";

const TYPES = "export interface A { a?: string }\n";

test("a program that holds has no mistakes", () => {
  const program = `import type { A } from "./types.js";
export const good: A = { a: "x" };
export const bad: A = { a: 1 }; // error 2322
export const same: Same<A["a"], string | undefined> = true;
export const other: Not<Same<A["a"], string>> = true;
`;
  expect(mistakesOf(TYPES, program)).toEqual([]);
});

test("an error that nobody expects, and an expected one that does not come, are told by line", () => {
  const program = `import type { A } from "./types.js";
export const bad: A = { a: 1 };
export const good: A = { a: "x" }; // error 2322
export const code: A = { b: 1 }; // error 2322
export const same: Same<A["a"], string> = true;
`;
  expect(mistakesOf(TYPES, program).map((line) => line.replace(/: .*/s, ""))).toEqual([
    "program.ts:2 2322",
    "program.ts:4 2353",
    "program.ts:5 2322",
    "program.ts:3 2322",
    "program.ts:4 2322",
  ]);
});

test("an error in the types is one too", () => {
  expect(mistakesOf("export type T = Missing;\n", "export {};\n")).toEqual([
    "types.ts:1 2304: Cannot find name 'Missing'.",
  ]);
});
