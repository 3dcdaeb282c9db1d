/** Faults in what a host remembers of commands. */
import type { Mutant } from "../mutant.js";

const LEDGER = "src/ledger/command-ledger.ts";
const LIVE = "src/host/live-session.ts";
const MEMORY = "src/host/session-memory.ts";
const DECISION = "src/host/session/decision.ts";
const HOST = "src/host/host.ts";
const ANSWERS = "src/host/answers.ts";
const SERVER = "generated/msp/experimental/server.ts";
const PAYLOADS = "src/host/payloads.ts";

/** See the top of the file. */
export const commandMutants: readonly Mutant[] = [
  {
    id: "new-turn-on-replay",
    fault: "A turn that is sent again is acked with a new turn id.",
    law: "replay-identity",
    process: true,
    patches: [
      {
        file: LIVE,
        find: "return this.#whenDurable(row.position, () => told(method, spelt, row.answer ?? answer));",
        replace: `return this.#whenDurable(row.position, () => {
          const again = told(method, spelt, row.answer ?? answer);
          if (!("startedNewTurn" in again)) return again;
          return { ...again, turnId: this.#owner.surroundings.mintId() };
        });`,
      },
    ],
  },
  {
    id: "payload-unread",
    fault: "A command whose id is known is taken for the first one, whatever it asks.",
    law: "conflict-payload",
    patches: [{ file: MEMORY, find: "if (row.signature !== signature) return CONFLICT;", replace: "" }],
  },
  {
    id: "method-unread",
    fault: "The method is no part of what a command is.",
    law: "conflict-method",
    patches: [
      {
        file: "src/ledger/signature.ts",
        find: "canonicalJson([method, payload])",
        replace: "canonicalJson([payload])",
      },
    ],
  },
  {
    id: "conflict-overwrites",
    fault: "A conflict puts the later payload in the place of the first.",
    law: "conflict-changes-nothing",
    process: true,
    patches: [
      {
        file: MEMORY,
        find: "if (row.signature !== signature) return CONFLICT;",
        replace: `if (row.signature !== signature) {
      Object.assign(row, { signature });
      return CONFLICT;
    }`,
      },
    ],
  },
  {
    id: "conflict-leaks",
    fault: "A conflict tells the payload that came first.",
    law: "conflict-payload",
    patches: [
      {
        file: MEMORY,
        find: 'return first?.method === method ? (firstDifference(first.payload, payload) ?? "") : "";',
        replace: `return first?.method === method && firstDifference(first.payload, payload) !== undefined
    ? JSON.stringify(first.payload)
    : "";`,
      },
    ],
  },
  {
    id: "rejections-forgotten",
    fault: "A rejection is told and not kept: sent again, the command is decided anew.",
    law: "rejection-replay",
    process: true,
    patches: [
      {
        file: DECISION,
        find: 'return this.#decided(command, { rejection }, "rejected");',
        replace: "return { records: [], answer: { rejection }, effects: [] };",
      },
    ],
  },
  {
    id: "transient-kept",
    fault: "An error that will pass is kept under the id: the command is refused for ever.",
    law: "transient-errors-leave-nothing",
    patches: [
      {
        file: HOST,
        find: "  readonly #connections = new Set<HostConnection>();",
        replace: `  readonly #connections = new Set<HostConnection>();
  readonly #errors = new Map<string, Told>();`,
      },
      {
        file: HOST,
        find: "return run({ method, id: parsed.key, spelt, payload, signature: signature(method, payload), clientName });",
        replace: `const kept = this.#errors.get(parsed.key);
    if (kept !== undefined) return kept;
    const keep = (answer: Told): Told => {
      if (isProtocolError(answer) && answer.kind !== "commandRejected") this.#errors.set(parsed.key, answer);
      return answer;
    };
    const command = { method, id: parsed.key, spelt, payload, signature: signature(method, payload), clientName };
    const answer = run(command);
    if (!(answer instanceof Promise)) return keep(answer);
    return answer.then(keep, (error) => {
      if (isProtocolError(error)) keep(error);
      throw error;
    });`,
      },
    ],
  },
  {
    id: "in-flight-twice",
    fault: "A command that comes again before its first is done with is carried out again.",
    law: "duplicates-at-once",
    patches: [
      {
        file: LIVE,
        find: "const { row, answer } = standing;",
        replace: `const { row, answer } = standing;
        if (row.position > this.#done) return this.#full();`,
      },
      {
        file: LIVE,
        find: "#tell(steps: readonly Step[]): void {\n    let changed = false;",
        replace: `#tell(steps: readonly Step[]): void {
    let changed = false;
    for (const { position } of steps) this.#done = Math.max(this.#done, position);`,
      },
      { file: LIVE, find: "  #winding = false;", replace: "  #winding = false;\n  #done = 0;" },
      {
        file: LEDGER,
        find: "if (this.#rows.has(id)) throw",
        replace: "if (false) throw",
      },
    ],
  },
  {
    id: "last-id-only",
    fault: "Only the command that came last is remembered.",
    law: "exactly-one-effect",
    patches: [
      {
        file: LEDGER,
        find: "this.#rows.set(id, { signature, answer, settled: false, position });",
        replace: `for (const [other, { settled }] of this.#rows) if (settled) this.#rows.delete(other);
    this.#rows.set(id, { signature, answer, settled: false, position });`,
      },
    ],
  },
  {
    id: "pending-evicted",
    fault: "Of commands that are not settled only the last one is remembered.",
    law: "queued-ack-survives",
    patches: [
      {
        file: LEDGER,
        find: "this.#open.add(id);",
        replace: `this.#open.add(id);
    const [oldest] = this.#open;
    if (this.#open.size > 1 && oldest !== undefined) {
      this.#open.delete(oldest);
      this.#rows.delete(oldest);
    }`,
      },
      {
        file: LEDGER,
        find: "if (row === undefined) throw",
        replace: "if (row === undefined) return;\n    if (row === undefined) throw",
      },
    ],
  },
  {
    id: "params-edited",
    fault: "The handler edits its params before the signature is taken.",
    law: "replay-identity",
    patches: [
      {
        file: HOST,
        find: "const { payload, refusal: unfit } = payloadOf(method, params);",
        replace: `if (method === "turn/start")
      Object.assign(params, { displayText: \`submitted at \${this.#surroundings.now()}\` });
    const { payload, refusal: unfit } = payloadOf(method, params);`,
      },
    ],
  },
  {
    id: "key-order",
    fault: "The order of members is part of what a command is.",
    law: "payload-blind",
    patches: [
      {
        file: HOST,
        find: "signature: signature(method, payload), clientName",
        replace:
          "signature: signature(method, payload) + Object.keys(params).filter((name) => name in payload).join(), clientName",
      },
    ],
  },
  {
    id: "unknown-members-count",
    fault: "Members that nobody knows are part of what a command is.",
    law: "payload-blind",
    patches: [
      {
        file: HOST,
        find: "signature: signature(method, payload), clientName",
        replace:
          "signature: signature(method, payload) + Object.keys(params).filter((name) => !(name in payload)).sort().join(), clientName",
      },
    ],
  },
  {
    id: "numbers-unread",
    fault: "Integers do not count in what a command is.",
    law: "payload-sharp",
    patches: [
      {
        file: "src/ledger/signature.ts",
        find: ": value\n          : null;",
        replace: ": Number.isInteger(value) ? 0 : value\n          : null;",
      },
    ],
  },
  {
    id: "unicode-folded",
    fault: "Two Unicode forms of one text are the same.",
    law: "payload-sharp",
    patches: [
      {
        file: "src/ledger/signature.ts",
        find: "canonicalJson([method, payload])",
        replace: 'canonicalJson([method, payload]).normalize("NFC")',
      },
    ],
  },
  {
    id: "list-order-blind",
    fault: "The order of a list does not count.",
    law: "payload-sharp",
    patches: [
      {
        file: "src/ledger/signature.ts",
        find: "canonicalJson([method, payload])",
        replace:
          "canonicalJson([method, JSON.parse(canonicalJson(payload), (_, value) => (Array.isArray(value) ? value.map((item) => canonicalJson(item)).sort() : value))])",
      },
    ],
  },
  {
    id: "nothing-trimmed",
    fault: "White space at the ends of an objective is part of what a command is.",
    law: "payload-normalised",
    patches: [
      {
        file: PAYLOADS,
        find: 'return isTrimmed && typeof value === "string" ? trimWhiteSpace(value) : value;',
        replace: "return value;",
      },
    ],
  },
  {
    id: "strict-is-lax",
    fault: "A method that refuses unknown members takes them.",
    law: "payload-strict",
    patches: [
      { file: SERVER, find: "if (strict !== undefined && isMembers(params)) {", replace: "if (false) {" },
    ],
  },
  {
    id: "mints-ids",
    fault: "A command without an id gets one.",
    law: "server-mints-none",
    patches: [
      {
        file: SERVER,
        find: `const given = params === undefined ? {} : params;
      const refusal`,
        replace: `const asked = params === undefined ? {} : params;
      const lacks =
        (row as { readonly commandId?: string }).commandId === "required" &&
        isMembers(asked) &&
        asked["commandId"] === undefined;
      const digits = () => globalThis.crypto.randomUUID().slice(-12);
      const given = lacks
        ? { ...asked, commandId: "01990000-0000-7000-8000-" + digits() }
        : asked;
      const refusal`,
      },
    ],
  },
  {
    id: "any-id-will-do",
    fault: "A command id need not be a UUID.",
    law: "command-id-format",
    patches: [
      {
        file: PAYLOADS,
        find: 'return { refusal: { fault: "notCommandId", pointer: "/commandId" } };',
        replace: "return { key: String(text).toLowerCase() };",
      },
      {
        file: HOST,
        find: "if (parsed.refusal !== undefined)\n",
        replace: "if (parsed.key === undefined)\n",
      },
    ],
  },
  {
    id: "letter-case-counts",
    fault: "Ids are compared with their letter case.",
    law: "command-id-letter-case",
    patches: [
      { file: PAYLOADS, find: "return { key: text.toLowerCase() };", replace: "return { key: text };" },
    ],
  },
  {
    id: "memory-per-connection",
    fault: "Each connection remembers its own commands.",
    law: "duplicates-across-connections",
    patches: [
      {
        file: HOST,
        find: "{ clientName }: HostContext,",
        replace: "{ clientName, connection }: HostContext,",
      },
      {
        file: HOST,
        find: "return run({ method, id: parsed.key, spelt, payload, signature: signature(method, payload), clientName });",
        replace: `const number = [...this.#connections].indexOf(connection);
    const digit = number.toString(16).slice(-1);
    const id = number > 0 ? parsed.key.slice(0, -1) + digit : parsed.key;
    return run({ method, id, spelt, payload, signature: signature(method, payload), clientName });`,
      },
    ],
  },
  {
    id: "ephemeral-claims-durable",
    fault: "A host that keeps nothing says that sessions outlive it.",
    law: "ephemeral-claims-nothing",
    needs: "ephemeral",
    patches: [
      {
        file: HOST,
        find: "profile: store.durability,",
        replace: 'profile: "durable",',
      },
    ],
  },
  {
    id: "answers-changed",
    fault: "The status of an ack is another one when the command comes again.",
    law: "replay-identity",
    patches: [
      {
        file: ANSWERS,
        find: 'return ack["commandId"] === undefined || ack["commandId"] === spelt ? ack : { ...ack, commandId: spelt };',
        replace: `const seen = ((globalThis as { acked?: Set<object> }).acked ??= new Set<object>());
  const again = seen.has(ack);
  seen.add(ack);
  return again && "status" in ack ? { ...ack, status: "duplicate" } : { ...ack, ...("commandId" in ack ? { commandId: spelt } : {}) };`,
      },
    ],
  },
];
