/** A law that every mutant keeps: it answers the handshake and carries one turn out. So it is its fault that is found. */

import fc from "fast-check";
import { law } from "../../src/laws/law.js";
import { completed } from "../../src/laws/trial.js";

/** See the top of the file. */
export const plainTurn = law<null>({
  id: "plain-turn",
  level: "core",
  promise: "A host carries a turn out.",
  needs: ["quick"],
  least: { turns: 1 },
  runs: 1,
  cases: () => fc.constant(null),
  async run(trial) {
    const sessionId = await trial.session();
    const { turnId } = await trial.turn(sessionId, trial.prompts.quick ?? "");
    await trial.need(completed(String(turnId)), "a turn did not end");
    trial.count("turns");
  },
});
