/** Laws of a command that is sent again: the answer is the first one, and nothing happens twice. */
import fc from "fast-check";
import { canonicalJson } from "../../ledger/canonical.js";
import { law } from "../law.js";
import { isAck } from "../model/history.js";

/** Every ack is repeated value for value. */
export const replayIdentity = law<{ readonly times: number; readonly ends: boolean }>({
  id: "replay-identity",
  level: "core",
  promise:
    "A command that is sent again with the same payload gets the ack that it got first, value for value.",
  needs: ["quick"],
  least: { replays: 20 },
  runs: 15,
  cases: () => fc.record({ times: fc.integer({ min: 1, max: 3 }), ends: fc.boolean() }),
  async run(trial, { times, ends }) {
    const sessionId = await trial.session();
    const input = [{ type: "text", text: trial.prompts.quick ?? "" }];
    const params = { sessionId, commandId: trial.mint(), input };
    const first = await trial.ask("turn/start", params);
    if (!isAck(first)) return;
    const turnId = first.result["turnId"];
    if (ends)
      await trial.need(
        ({ method, params }) => method === "turn/completed" && params["turnId"] === turnId,
        "a turn did not end",
      );
    for (let i = 0; i < times; i++) {
      const again = await trial.ask("turn/start", params);
      trial.count("replays");
      trial.hold(canonicalJson(again) === canonicalJson(first), "a replay got another answer", {
        first,
        again,
      });
    }
  },
});
