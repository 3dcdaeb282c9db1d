// The request that the wire is measured with, and its answer.

/** The id of the command; the same each time, so that minting one is not what is measured. */
export const COMMAND_ID = "0192f5c8-7a1e-7c3d-9b2a-000000000002";

/** Params of `turn/start` but for the id of the command; with it, some 300 bytes of JSON. */
export const PARAMS = {
  sessionId: "0192f5c8-7a1e-7c3d-9b2a-000000000001",
  input: [
    {
      type: "text",
      text: "Cap the backoff of the retry loop in src/net at thirty seconds, run the unit tests and say what changed.",
    },
  ],
  ifBusy: "queue",
  displayText: "Cap the backoff",
  reasoningEffort: "medium",
};

/** What every server answers. */
export function acknowledge({ commandId }) {
  return {
    commandId,
    disposition: "started",
    startedNewTurn: true,
    status: "accepted",
    turnId: "0192f5c8-7a1e-7c3d-9b2a-000000000003",
  };
}
