/** A process that has command results, and does with them what its standard input says. See results-child.ts. */
import { createInterface } from "node:readline";
import { openResults } from "../../src/commands/node.js";
import { isStoreError } from "../../src/ledger/store.js";

const results = openResults(process.argv[2]!);

const calls: Record<string, (...args: never[]) => unknown> = {
  url: () => results.url,
  claim: results.claim.bind(results),
  settle: results.settle.bind(results),
  release: results.release.bind(results),
  read: results.read.bind(results),
  wait: results.wait.bind(results),
  forget: results.forget.bind(results),
  close: results.close.bind(results),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { n, call, args } = JSON.parse(line) as { n: number; call: string; args: never[] };
  let answer: object;
  try {
    answer = { n, value: await calls[call]!(...args) };
  } catch (error) {
    answer = { n, kind: isStoreError(error) ? error.kind : "other", message: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
