/** Faults in the life of a turn. */
import type { Mutant } from "../mutant.js";

const TURNS = "src/host/session/decide/turns.ts";
const LIFECYCLE = "src/host/session/decide/lifecycle.ts";
const STATE = "src/host/session/state.ts";
const COMPLETE = 'draft.runEvent("turn/completed", { turnId, ...terminal, ...duration }, turnId);';

/** See the top of the file. */
export const turnMutants: readonly Mutant[] = [
  {
    id: "steer-leaks",
    fault: "A steer lands in the turn that runs, whichever it was meant for.",
    law: "steer-stays",
    patches: [
      {
        file: TURNS,
        find: 'if (active === undefined || active.phase === "stopping" || keyOf(active.turnId) !== keyOf(expected)) {',
        replace: 'if (active === undefined || active.phase === "stopping") {',
      },
    ],
  },
  {
    id: "late-cancel-hits",
    fault: "A cancel that comes too late stops the turn that runs by then.",
    law: "late-cancel",
    patches: [
      {
        file: TURNS,
        find: "if (active === undefined || (target !== undefined && keyOf(active.turnId) !== keyOf(target))) {",
        replace: "if (active === undefined) {",
      },
    ],
  },
  {
    id: "unqueue-cancels",
    fault: "An unqueue that comes too late cancels the turn.",
    law: "unqueue-no-cancel",
    patches: [
      {
        file: TURNS,
        find: 'if (turn?.phase !== "queued") {',
        replace: `if (turn !== undefined && turn === state.active) {
    stop(draft, turn, "unqueued by the client");
    return draft.accept(command, { turnId: turn.turnId });
  }
  if (turn?.phase !== "queued") {`,
      },
    ],
  },
  {
    id: "two-ends",
    fault: "The end of a turn is told twice.",
    law: "one-end",
    patches: [{ file: LIFECYCLE, find: COMPLETE, replace: `${COMPLETE}\n  ${COMPLETE}` }],
  },
  {
    id: "no-end",
    fault: "Nobody is told the end of a turn that failed.",
    law: "one-end",
    patches: [
      {
        file: "src/host/session/view.ts",
        find: 'case "event":\n',
        replace: `case "event":
        if (record.method === "turn/completed" && record.params.terminal === "failed") return undefined;
`,
      },
    ],
  },
  {
    id: "launch-failure-forgotten",
    fault: "A turn that waited and could not be launched is settled as accepted.",
    law: "deferred-launch-failure",
    patches: [{ file: LIFECYCLE, find: "if (active.deferred)\n", replace: "if (false)\n" }],
  },
  {
    id: "queue-reversed",
    fault: "The turn that came last is launched first.",
    law: "queue-order",
    patches: [
      { file: STATE, find: "else this.queue.push(turn);", replace: "else this.queue.unshift(turn);" },
    ],
  },
  {
    id: "steer-names-itself",
    fault: "The ack of a steer names the command, and not the turn that it went into.",
    law: "turn-identity",
    patches: [
      {
        file: TURNS,
        find: "steerInto(draft, active, command);\n  return draft.accept(command, { turnId: active.turnId });",
        replace:
          "steerInto(draft, active, command);\n  return draft.accept(command, { turnId: command.spelt });",
      },
    ],
  },
];
