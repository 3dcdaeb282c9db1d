/** The compiler refuses a message of the host about which nobody has decided. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../support/repo.js";
import { check, type Problem } from "../../support/typescript.js";

const FOLD = "src/client/fold";
const TYPES = "generated/msp/experimental/types.ts";

/** The fold and the types of the schema, with a change in one of them. */
function compile(changed?: {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}): readonly Problem[] {
  const names = readdirSync(join(ROOT, FOLD)).map((name) => `${FOLD}/${name}`);
  const files = Object.fromEntries(
    [TYPES, ...names].map((name) => [name, readFileSync(join(ROOT, name), "utf8")]),
  );
  if (changed !== undefined) {
    const { file, from, to } = changed;
    const text = files[file] ?? "";
    expect(text.split(from), `${from} stands once in ${file}`).toHaveLength(2);
    files[file] = text.replace(from, to);
  }
  return check(files);
}

describe("the table of what is folded", () => {
  it("compiles, in a browser's world as well", () => {
    expect(compile()).toEqual([]);
  });

  it.each([
    ["an event is left out", `${FOLD}/events.ts`, '  "turn/unqueued": foldUnqueued,\n', ""],
    ["a notice is left out", `${FOLD}/events.ts`, '  "monitor/inboxItemVoided": notice,\n', ""],
    ["a request is left out", `${FOLD}/events.ts`, '  "approval/request": foldRequested,\n', ""],
    [
      "an event is made up",
      `${FOLD}/events.ts`,
      '  "usage/changed": outside,\n',
      '  "usage/changed": outside,\n  "usage/eclipsed": outside,\n',
    ],
    [
      "an event is folded as another",
      `${FOLD}/events.ts`,
      '"turn/completed": foldCompleted',
      '"turn/completed": foldResolved',
    ],
    [
      "the schema brings an event",
      TYPES,
      '  "view/gap": ViewGapParams;\n}',
      '  "view/gap": ViewGapParams;\n  "view/eclipsed": ViewGapParams;\n}',
    ],
    [
      "the schema brings a state",
      TYPES,
      "  effectiveModel: EffectiveModel | null;",
      "  effectiveModel: EffectiveModel | null;\n  weather: string | null;",
    ],
    ["a word is misspelt", `${FOLD}/items.ts`, 'const OPEN = "inProgress"', 'const OPEN = "inprogress"'],
  ])("does not compile when %s", (_, file, from, to) => {
    const problems = compile({ file, from, to });
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) expect(problem.file).toMatch(/^src\/client\/fold\//);
  });
});
