/**
 * The types of the second bundle, as they were last looked at. After a change that is meant, re-record them with
 * `UPDATE_GOLDEN=1 npx vitest run test/codegen/emit/types/golden.test.ts` and read the difference.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SURFACES } from "../../../../codegen/index.js";
import { planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, ROOT, scratchFolder } from "../../../support/repo.js";

const GOLDEN = join(ROOT, "test/codegen/emit/types/golden");

/** The files that there should be, by name. */
async function expectedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const surface of SURFACES)
    files.set(`depot.${surface}.ts`, await textOf(planOfFile(DEPOT_SCHEMA, surface), "types"));
  return files;
}

/** What a folder has wrong. */
function mistakesIn(folder: string, files: ReadonlyMap<string, string>): readonly string[] {
  const found = readdirSync(folder);
  return [
    ...found.filter((name) => !files.has(name)).map((name) => `${name}: extra`),
    ...[...files.keys()].filter((name) => !found.includes(name)).map((name) => `${name}: missing`),
    ...[...files]
      .filter(([name]) => found.includes(name))
      .filter(([name, text]) => !readFileSync(join(folder, name)).equals(Buffer.from(text)))
      .map(([name]) => `${name}: stale`),
  ];
}

function record(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
}

test("the types of the depot are as recorded, on both surfaces", async () => {
  const files = await expectedFiles();
  if (process.env["UPDATE_GOLDEN"] === "1") record(GOLDEN, files);
  expect(mistakesIn(GOLDEN, files)).toEqual([]);
});

test("a stale, a missing and an extra file are each reported", async () => {
  const files = await expectedFiles();
  const folder = join(scratchFolder(), "golden");
  record(folder, files);
  expect(mistakesIn(folder, files)).toEqual([]);
  const [first, second] = [...files.keys()];
  writeFileSync(join(folder, first!), `${files.get(first!)} `);
  rmSync(join(folder, second!));
  writeFileSync(join(folder, "other.ts"), "");
  expect(mistakesIn(folder, files)).toEqual(["other.ts: extra", `${second}: missing`, `${first}: stale`]);
});
