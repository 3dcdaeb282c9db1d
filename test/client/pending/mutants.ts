/**
 * The pending set with one change in its source, compiled as it would be shipped.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { loadModule } from "../../support/compile.js";
import { ROOT } from "../../support/repo.js";
import type { SetClass } from "./law.js";

/** One change of one file of the client: a text that stands there once, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const FOLDER = join(ROOT, "src/client");

/** The class with a change. */
export async function mutated({ name, file, from, to }: Mutant): Promise<SetClass> {
  const path = join(FOLDER, file);
  const parts = readFileSync(path, "utf8").split(from);
  if (parts.length !== 2) throw new Error(`${name}: ${file} has its text ${parts.length - 1} times`);
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, "pending/index.ts")],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    plugins: [
      {
        name: "mutant",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, (args) =>
            args.path === path ? { contents: parts.join(to), loader: "ts" } : undefined,
          ),
      },
    ],
  });
  const module = (await loadModule(outputFiles[0]?.text ?? "")) as { PendingCommandSet: SetClass };
  return module.PendingCommandSet;
}

const SET = "pending/pending-command-set.ts";

/** No change at all: what is compiled this way keeps the law as the source does. */
export const UNCHANGED: Mutant = {
  name: "nothing changed",
  file: SET,
  from: "this.#discarded = true;",
  to: "this.#discarded = true;",
};

/** Ways in which a set could break its promises. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "an ack retires",
    file: SET,
    from: "if (entry !== undefined) this.#entries.set(commandId, withAck(entry, ack));",
    to: "if (entry !== undefined) this.#entries.delete(commandId);",
  },
  {
    name: "any error retires",
    file: SET,
    from: 'if (!isSettlement(error)) return "held";',
    to: "",
  },
  {
    name: "a settlement needs code and kind",
    file: "errors.ts",
    from: "code === errors.commandRejected.code ||",
    to: "code === errors.commandRejected.code &&",
  },
  {
    name: "an abandoned command is told as rejected",
    file: "pending/command-error.ts",
    from: "return reason === ABANDONED;",
    to: "return false;",
  },
  {
    name: "a reclaim loses the words",
    file: "pending/retirement.ts",
    from: '{ kind: "reclaimed", commandId, input, restoreToComposer: true }',
    to: '{ kind: "reclaimed", commandId, restoreToComposer: true }',
  },
  {
    name: "a reclaim does not oblige to hand back",
    file: "pending/retirement.ts",
    from: '{ kind: "reclaimed", commandId, input, restoreToComposer: true }',
    to: '{ kind: "reclaimed", commandId, input }',
  },
  {
    name: "an unknown end obliges to hand back",
    file: SET,
    from: '({ kind: "terminalUnknown", commandId, input })',
    to: '({ kind: "terminalUnknown", commandId, input, restoreToComposer: true })',
  },
  {
    name: "a movement replays its own turn",
    file: SET,
    from: "isQueued(ack) && ack?.turnId !== turnId",
    to: "isQueued(ack)",
  },
  {
    name: "a movement replays dispositions that nobody knows",
    file: "pending/entry.ts",
    from: "ack?.disposition === QUEUED",
    to: 'ack !== undefined && ack.disposition !== "started"',
  },
  {
    name: "a retired entry stays",
    file: SET,
    from: "    this.#entries.delete(commandId);\n    return as(entry);",
    to: "    return as(entry);",
  },
  {
    name: "a submit of a pending id replaces it",
    file: SET,
    from: "if (this.#entries.has(commandId)) return;",
    to: "",
  },
  {
    name: "a join looks at the running turn before the messages",
    file: "pending/join.ts",
    from: "if (itemId !== undefined) return",
    to: "if (itemId !== undefined && activeTurn?.commandId !== commandId) return",
  },
  {
    name: "a join looks at the queue before the messages",
    file: "pending/join.ts",
    from: "if (itemId !== undefined) return",
    to: "if (itemId !== undefined && !queue.has(commandId)) return",
  },
  {
    name: "a join resubmits what was acked",
    file: "pending/join.ts",
    from: 'if (ack === undefined) return { arm: "resubmit", row };',
    to: 'if (ack === undefined || ack.turnId !== activeTurn?.turnId) return { arm: "resubmit", row };',
  },
  {
    name: "a join leaves the anchor of what is queued",
    file: "pending/join.ts",
    from: "{ ...entry, queuedOrder, anchorAfterItemId: lastItemId }",
    to: "{ ...entry, queuedOrder }",
  },
  {
    name: "a join keeps a place in a queue that is gone",
    file: "pending/join.ts",
    from: "const { queuedOrder: _, ...row } = entry;",
    to: "const row = entry;",
  },
  {
    name: "a join believes an old queued ack",
    file: SET,
    from: "isQueued(answer.ack) && !includes(snapshotQueuedCommandIds, commandId)",
    to: "false",
  },
  {
    name: "the order of the queue is not shown",
    file: "pending/entry.ts",
    from: "(a.queuedOrder ?? -1) - (b.queuedOrder ?? -1) || ",
    to: "",
  },
  {
    name: "a save drops the acks",
    file: "pending/saved.ts",
    from: "...(entry.ack && { ack: { ...entry.ack } }),",
    to: "ack: undefined,",
  },
  {
    name: "a restored set counts from the start",
    file: SET,
    from: "set.#nextSubmissionIndex = nextSubmissionIndex;",
    to: "",
  },
  { name: "a discarded set takes submits", file: SET, from: "this.#discarded = true;", to: "" },
  {
    name: "a death leaves the ids alive",
    file: SET,
    from: "for (const { commandId } of entries) this.#discardedIds.add(commandId);",
    to: "",
  },
  { name: "a death leaves entries", file: SET, from: "this.#entries.clear();", to: "" },
  {
    name: "a dead command is replayed",
    file: SET,
    from: 'this.#refuseDiscarded(commandId);\n    if (answer.kind === "error")',
    to: 'if (answer.kind === "error")',
  },
];
