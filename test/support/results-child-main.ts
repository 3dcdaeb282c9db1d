/** A process that has command results, and does with them what its standard input says. See results-child.ts. */
import { openResults } from "../../src/commands/node.js";
import { answerCalls } from "./answer-calls.js";

const results = openResults(process.argv[2]!);

answerCalls({
  url: () => results.url,
  claim: results.claim.bind(results),
  settle: results.settle.bind(results),
  release: results.release.bind(results),
  read: results.read.bind(results),
  wait: results.wait.bind(results),
  forget: results.forget.bind(results),
  close: results.close.bind(results),
});
