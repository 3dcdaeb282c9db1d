import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const parts = JSON.parse(readFileSync(new URL("parts.json", import.meta.url), "utf8")) as Readonly<
  Record<string, { readonly tests: readonly string[] }>
>;
const tests = parts[process.env["MSPKIT_PART"] ?? "signature"]?.tests ?? [];

/** In the order of the list: what notices most comes first, since nothing is run after the first that notices. */
class Listed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => tests.findIndex((test) => moduleId.endsWith(test));
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

/** The tests of one part: what is changed in it must make one of them fail. */
export default defineConfig({
  test: {
    root: process.cwd(),
    include: [...tests],
    sequence: { sequencer: Listed },
    testTimeout: 600_000,
    maxWorkers: 1,
  },
});
