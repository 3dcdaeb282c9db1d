/** ts-morph is an optional package: it is loaded for client and server, and for nothing else. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../../support/repo.js";

const CODEGEN = join(ROOT, "codegen");

/** The files that a file imports when it is loaded; `import()` waits until it is called. */
function importsOf(file: string): { readonly own: string[]; readonly packages: string[] } {
  const own: string[] = [];
  const packages: string[] = [];
  for (const [, clause = "", from = ""] of readFileSync(file, "utf8").matchAll(
    /^(?:import|export)\s+([^"';]*?)\s*(?:from\s+)?"([^"]+)";/gm,
  )) {
    if (clause.startsWith("type ")) continue;
    const target = join(dirname(file), from.replace(/\.js$/, ".ts"));
    // Not an import of its own: a line of the text that an emitter prints.
    if (!from.startsWith(".")) packages.push(from);
    else if (existsSync(target)) own.push(target);
  }
  return { own, packages };
}

/** All that is loaded with a file. */
function loadedWith(file: string): Set<string> {
  const seen = new Set<string>([file]);
  for (const one of seen) for (const next of importsOf(one).own) seen.add(next);
  return seen;
}

function loadsMorph(file: string): boolean {
  return [...loadedWith(file)].some((one) => importsOf(one).packages.includes("ts-morph"));
}

test("ts-morph is loaded for client and server alone", () => {
  const files = readdirSync(CODEGEN, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(CODEGEN, name));
  const loading = files.filter(loadsMorph).map((file) => relative(CODEGEN, file).replaceAll("\\", "/"));
  expect(loading.sort()).toEqual(["emit/client/emit.ts", "emit/declarations.ts", "emit/server/emit.ts"]);
});
