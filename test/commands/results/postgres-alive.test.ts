/** A process goes on as long as somebody in it waits for an answer of PostgreSQL, and no longer. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundled, type Mutation } from "../../support/child-program.js";

/** What a process writes that runs a program to its end; it has nothing else to do. */
async function written(entry: string, program: string, mutation?: Mutation): Promise<string> {
  const from = await bundled(entry, mutation);
  const words = [
    "--input-type=module",
    "--eval",
    `import * as made from ${JSON.stringify(from)}; ${program}`,
  ];
  return (await promisify(execFile)(process.execPath, words)).stdout;
}

const RESULTS = "src/commands/results/postgres/results.ts";
const ANSWERS = "src/commands/results/postgres/answers.ts";

const CLAIM = `
  const results = made.postgresResults("postgres://nobody@127.0.0.1:1/none", { patienceMs: 300 });
  const key = { tenant: "t", workspace: "w", participant: "p", commandId: "a" };
  results.claim({ key, deadlineMs: 1_000 }).catch(({ kind }) => process.stdout.write(kind));
`;

it.each<[string, Mutation | undefined, string]>([
  ["is told that there is no server", undefined, "failed"],
  [
    "would end in a pause, if that did not hold it",
    {
      file: "src/commands/pause.ts",
      from: "void setTimeout(resolve, ms)",
      to: "void setTimeout(resolve, ms).unref()",
    },
    "",
  ],
])("who tries again %s", async (_what, mutation, said) => {
  expect(await written(RESULTS, CLAIM, mutation)).toBe(said);
});

it.each<[string, string, string]>([
  [
    "does not come",
    "new made.Answers(200).within(new Promise(() => undefined)).catch(({ message }) => process.stdout.write(message))",
    "no answer within 200 ms",
  ],
  [
    "does not come, after one that came",
    `const answers = new made.Answers(200);
     await answers.within(Promise.resolve());
     answers.within(new Promise(() => undefined)).catch(({ message }) => process.stdout.write(message))`,
    "no answer within 200 ms",
  ],
  // Were it held until the next look, that would be minutes.
  ["came", "process.stdout.write(await new made.Answers(3_600_000).within(Promise.resolve('it')))", "it"],
])("who waits for an answer that %s is told so, and ends", async (_what, program, said) => {
  expect(await written(ANSWERS, program)).toBe(said);
});
