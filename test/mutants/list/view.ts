/** Faults in what a host shows, and in what it lets in. */
import type { Mutant } from "../mutant.js";

const VIEW = "src/host/session/view.ts";
const SERVER = "generated/msp/experimental/server.ts";
const QUERIES = "src/host/queries.ts";

/** See the top of the file. */
export const viewMutants: readonly Mutant[] = [
  {
    id: "gate-late",
    fault: "An experimental member is validated before it is asked whether the client may send it.",
    law: "experimental-gate",
    patches: [
      {
        file: SERVER,
        find: "  const refused: Refused = {};\n",
        replace: `  const found = violationsOf(check, params, strict);
  if (found.length > 0)
    return standardError("invalidParams", "the params are not valid", { details: { violations: found } });
  const refused: Refused = {};
`,
      },
    ],
  },
  {
    id: "gate-open",
    fault: "An experimental member is taken from a client that did not ask for it.",
    law: "experimental-gate",
    patches: [
      {
        file: SERVER,
        find: 'if (refused.experimental !== undefined) return experimental("invalidParams", refused.experimental);\n  const capability',
        replace: "const capability",
      },
    ],
  },
  {
    id: "experimental-leaks",
    fault: "An experimental member is in the results of a client that did not ask for it.",
    law: "experimental-stripped",
    patches: [
      {
        file: VIEW,
        find: "    return {\n      ...this.#session,\n      path,",
        replace: `    return {
      ...this.#session,
      currentLimits: {
        sandboxEnabled: false,
        sandboxNetwork: "restricted",
        shellEnabled: false,
        workspaceTrusted: true,
        writesEnabled: true,
      } as never,
      path,`,
      },
      {
        file: SERVER,
        find: "const shown = show({ ref: row.result }, value, { connection: context, check }, false, 0);",
        replace: "const shown: unknown = value;",
      },
    ],
  },
  {
    id: "open-word-dropped",
    fault: "A word that the host does not know is left out where it is told again.",
    law: "open-values",
    patches: [
      {
        file: QUERIES,
        find: 'return protocolError("noBoundary", { anchor, latestBoundaryCursor: null }, "nothing was compacted yet");',
        replace: `return protocolError(
        "noBoundary",
        { anchor: anchor === "latestCompaction" ? anchor : "", latestBoundaryCursor: null },
        "nothing was compacted yet",
      );`,
      },
    ],
  },
  {
    id: "cursor-repeats",
    fault: "The end of a turn has the cursor of the event before it.",
    law: "cursors-unique",
    patches: [
      {
        file: VIEW,
        find: "viewCursor: cursorOf(this.sessionId, ordinal),\n        sourceRange,",
        replace:
          'viewCursor: cursorOf(this.sessionId, method === "turn/completed" ? ordinal - 1 : ordinal),\n        sourceRange,',
      },
    ],
  },
  {
    id: "snapshot-without-queue",
    fault: "A snapshot does not show the turns that wait.",
    law: "late-joiner",
    patches: [
      {
        file: VIEW,
        find: "state.queuedTurns = [...this.#queued];",
        replace: "state.queuedTurns = [];",
      },
    ],
  },
  {
    id: "page-skips",
    fault: "A page leaves out the second event after its cursor.",
    law: "page-equals-push",
    patches: [
      {
        file: QUERIES,
        find: "room -= size;\n",
        replace: "room -= size;\n    if (at === from + 2 * step) continue;\n",
      },
    ],
  },
];
