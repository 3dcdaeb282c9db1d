/**
 * The types of the second bundle, as they were last looked at. After a change that is meant, re-record them with
 * `UPDATE_GOLDEN=1 npx vitest run test/codegen/emit/types/golden.test.ts` and read the difference.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { SURFACES } from "../../../../codegen/index.js";
import { planOfFile, textOf } from "../../../support/compile.js";
import { isRecording, mistakesIn, record } from "../../../support/golden.js";
import { DEPOT_SCHEMA, ROOT } from "../../../support/repo.js";

const GOLDEN = join(ROOT, "test/codegen/emit/types/golden");

/** The files that there should be, by name. */
async function expectedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const surface of SURFACES)
    files.set(`depot.${surface}.ts`, await textOf(planOfFile(DEPOT_SCHEMA, surface), "types"));
  return files;
}

test("the types of the depot are as recorded, on both surfaces", async () => {
  const files = await expectedFiles();
  if (isRecording) record(GOLDEN, files);
  expect(mistakesIn(GOLDEN, files)).toEqual([]);
});
