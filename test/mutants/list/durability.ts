/** Faults in what outlives a host. */
import type { Mutant } from "../mutant.js";

const LIVE = "src/host/live-session.ts";
const STATE = "src/host/session/state.ts";
const LEDGER = "src/ledger/command-ledger.ts";
const LIFECYCLE = "src/host/session/decide/lifecycle.ts";
const SESSIONS = "src/host/sessions.ts";
const THROUGH = "test/mutants/through-store.ts";

/** See the top of the file. */
export const durabilityMutants: readonly Mutant[] = [
  {
    id: "dedupe-in-memory",
    fault: "What is remembered of commands is in memory alone.",
    law: "dedupe-after-crash",
    process: true,
    patches: [
      {
        file: STATE,
        find: "this.ledger.receive(record.id, record.signature, record.answer, position);",
        replace:
          "if (position > 0) this.ledger.receive(record.id, record.signature, record.answer, position);",
      },
      {
        file: STATE,
        find: "this.ledger.settle(record.id, position, record.answer);",
        replace:
          "if (this.ledger.get(record.id) !== undefined) this.ledger.settle(record.id, position, record.answer);",
      },
    ],
  },
  {
    id: "rows-lost-on-load",
    fault: "Rows of commands that are settled are left out when a log is loaded again.",
    law: "dedupe-after-crash",
    process: true,
    patches: [
      {
        file: LEDGER,
        find: "this.#open.delete(id);\n  }",
        replace: "this.#open.delete(id);\n    if (position === 0) this.#rows.delete(id);\n  }",
      },
    ],
  },
  {
    id: "ack-before-write",
    fault: "A command is acked before it is durable.",
    law: "ack-implies-durable",
    process: true,
    patches: [
      {
        file: LIVE,
        find: "this.#work.admitted();\n    });",
        replace: "this.#work.admitted();\n      resolve(told(method, spelt, answer));\n    });",
      },
    ],
    // On a disk that is quick the write is done before the ack has left the process: here it comes a while later.
    programPatches: [
      {
        file: LIVE,
        find: "this.#work.admitted();\n    });",
        replace: "this.#work.admitted();\n      resolve(told(method, spelt, answer));\n    });",
      },
      {
        file: "src/ledger/log-writer.ts",
        find: "queueMicrotask(this.#turn);",
        replace: "setTimeout(this.#turn, 50);",
      },
    ],
  },
  {
    id: "recovery-skipped",
    fault: "A session is loaded as it was left: nothing that was under way is closed.",
    law: "abandoned-settlement",
    process: true,
    patches: [{ file: SESSIONS, find: "if (recovers) await session.recover();", replace: "" }],
  },
  {
    id: "abandoned-as-accepted",
    fault: "A command whose outcome was lost is said to be accepted.",
    law: "abandoned-settlement",
    process: true,
    patches: [
      {
        file: LIFECYCLE,
        find: 'draft.records.push({ type: "settled", id, outcome: "rejected", answer: ABANDONED, at: draft.at });',
        replace: 'draft.records.push({ type: "settled", id, outcome: "accepted", at: draft.at });',
      },
    ],
  },
  {
    id: "queue-lost",
    fault: "Turns that wait are gone when their session is loaded again.",
    law: "queued-ack-survives",
    process: true,
    patches: [
      {
        file: STATE,
        find: 'case "resumed":\n        this.#leaving = [];',
        replace: 'case "resumed":\n        this.#leaving = [];\n        this.queue = [];',
      },
    ],
  },
  {
    id: "clock-adopts",
    fault: "A session that was not written for a while is taken from the host that has it.",
    law: "recovery-spares-the-living",
    patches: [
      {
        file: SESSIONS,
        find: `  async #open(sessionId: string, options: OpenOptions): Promise<Log> {
    try {`,
        replace: `  async #open(sessionId: string, options: OpenOptions): Promise<Log> {
    const key = keyOf(sessionId);
    const rows = await this.#store.list("sessions");
    const written = rows.find(({ id }) => id === key)?.updatedAtMs ?? 0;
    if (this.#owner.surroundings.now() - written > 0 && (await this.#store.state("sessions", key)) === "held")
      await this.#store.fence("sessions", key);
    try {`,
      },
    ],
  },
  {
    id: "settle-unfenced",
    fault: "A host that was fenced goes on to settle commands.",
    law: "settle-once",
    process: true,
    programPatches: [
      {
        file: "src/ledger/stores/file/log.ts",
        find: "#checkHeld(): void {\n",
        replace: "#checkHeld(): void {\n    if (this.epoch > 0) return;\n",
      },
    ],
    patches: [
      {
        file: THROUGH,
        find: "write: (entries) => log.write(entries),",
        replace: `write: (entries) => {
      try {
        return log.write(entries);
      } catch {
        return undefined;
      }
    },`,
      },
    ],
  },
  {
    id: "epoch-reused",
    fault: "Two holders after each other have one epoch.",
    law: "epochs-rise",
    patches: [{ file: THROUGH, find: "epoch: log.epoch,", replace: "epoch: Math.ceil(log.epoch / 2)," }],
  },
];
