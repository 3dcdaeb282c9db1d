// Prompts of the test agent, and what must come of each: the rows of schema/msp/vectors/test-agent.ndjson, by which
// another host can offer the same agent. docs/test-agent.md has the rules.
//
// A row: { version, name, why, prompt, steps, play? }.
//   steps: what the grammar makes of the prompt, in order
//   play: what happens, in order. A line of it is one of
//     { host: METHOD, ... }    what the host tells, with the members that matter. Items are numbered from 1 in the order
//                              in which they are first told, and named by their number. The item/delta of one item that
//                              follow each other are one line, with the text that they make.
//     { client: METHOD, ... }  a command. It comes when the host has told all that stands before it.
//     { passes: MS }           so much time goes by, on a clock that stands still otherwise.
// Left out of a play: the user's own messages, what a turn that is interrupted says of its open questions, and all
// that belongs to the host and not to the agent.

import { ASKS } from "./test-agent/asks.mjs";
import { GRAMMAR } from "./test-agent/grammar.mjs";
import { PLAYS } from "./test-agent/plays.mjs";

const VERSION = 1;

export const ROWS = [...GRAMMAR, ...PLAYS, ...ASKS].map(([name, why, prompt, steps, play]) => ({
  version: VERSION,
  name,
  why,
  prompt,
  steps,
  ...(play === undefined ? {} : { play }),
}));

/** The rows as lines of NDJSON. */
export function testAgentText() {
  return ROWS.map((row) => `${JSON.stringify(row)}\n`).join("");
}
