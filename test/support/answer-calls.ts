/** A program of tests in a process of its own: it answers the calls on its standard input. See child-program.ts. */
import { createInterface } from "node:readline";
import { isStoreError } from "../../src/ledger/store.js";

/** Answers calls by name, each when it is done. */
export function answerCalls(calls: Readonly<Record<string, (...args: never[]) => unknown>>): void {
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { n, call, args } = JSON.parse(line) as { n: number; call: string; args: never[] };
    let answer: object;
    try {
      answer = { n, value: await calls[call]!(...args) };
    } catch (error) {
      const kind = isStoreError(error) ? error.kind : error instanceof TypeError ? "TypeError" : "other";
      answer = { n, kind, message: String(error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
}
