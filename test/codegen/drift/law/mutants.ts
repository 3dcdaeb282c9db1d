/** The drift gate with one change in its source, compiled as it would be shipped. */
import { pathToFileURL } from "node:url";
import { bundle } from "../../../mutants/bundle.js";
import type { Patch } from "../../../mutants/mutant.js";
import { ROOT, scratchFolder } from "../../../support/repo.js";
import type { DriftOf } from "./law.js";

/** One fault of the gate. */
export interface DriftMutant {
  readonly name: string;
  readonly patch: Patch;
  /** Edits by which it is found. */
  readonly by: readonly string[];
}

/** The gate with a fault. */
export async function mutated({ patch }: DriftMutant): Promise<DriftOf> {
  const path = await bundle(ROOT, "codegen/drift/drift.ts", [patch], scratchFolder());
  const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { readonly driftOf: DriftOf };
  return module.driftOf;
}

function mutant(name: string, file: string, find: string, replace: string, ...by: string[]): DriftMutant {
  return { name, patch: { file: `codegen/drift/${file}`, find, replace }, by };
}

/** No fault at all: what is compiled this way keeps the law as the source does. */
export const UNCHANGED = mutant(
  "nothing changed",
  "compare/members.ts",
  "if (before.required !== after.required)",
  "if (after.required !== before.required)",
);

/** Ways in which the gate could be wrong. */
export const MUTANTS: readonly DriftMutant[] = [
  mutant(
    "members are never required",
    "compare/members.ts",
    "if (before.required !== after.required)",
    "if (false)",
    "require a member",
  ),
  mutant(
    "a new member is never one that must be there",
    "compare/members.ts",
    'narrows: member.required ? "yes" : isFree',
    "narrows: isFree",
    "add a required member",
  ),
  mutant(
    "openness is ignored where a list is closed",
    "compare/values.ts",
    "if (b.open && !h.open)",
    "if (false)",
    "close a list",
  ),
  mutant(
    "openness is ignored where a word is added",
    "compare/values.ts",
    'widens: b.open ? "no" : "yes",',
    'widens: "yes",',
    "add a word",
  ),
  mutant(
    "openness is ignored where an arm is gone",
    "compare/unions.ts",
    'narrows: taken ? "no" : effectOf(armsH',
    "narrows: effectOf(armsH",
    "remove an arm",
  ),
  mutant(
    "what narrows widens, and the other way round",
    "compare/context.ts",
    "{ narrows, widens, relied,",
    "{ narrows: widens, widens: narrows, relied,",
    "require a member",
  ),
  mutant(
    "arms belong together by where they stand",
    "compare/arms.ts",
    '  by(digest("base"), digest("head"));',
    "  by((arm) => [String(base.indexOf(arm))], (arm) => [String(head.indexOf(arm))]);",
    "add an arm",
    "remove an arm",
    "reorder lists",
  ),
  mutant(
    "bounds that allow less allow more",
    "compare/bounds.ts",
    "change > 0 : change < 0;",
    "change < 0 : change > 0;",
    "raise a minimum",
  ),
  mutant(
    "what contains itself is always the same",
    "compare/compare.ts",
    "if (b === h && before === after) return true;",
    "if (endlessBefore(b)) return true;",
    "add a required member",
    "require a member",
    "change a type",
  ),
  mutant(
    "elements of arrays are not looked at",
    "compare/nodes.ts",
    'if (!context.same(one, other)) part(context, pair, { to: "items" }, one, other);',
    "",
    "change a type",
    "add a word",
    "take null",
  ),
  mutant(
    "undeclared members may have any shape",
    "compare/members.ts",
    "if (freeBefore && freeAfter) return;",
    "return;",
    "restrict other members",
  ),
  mutant("nobody relies on anything", "verdict.ts", "if (old && relied)", "if (false)", "remove a member"),
  mutant(
    "senders and readers are mixed up",
    "change.ts",
    'narrows: { client: "old-client-new-host", host: "new-client-old-host" }',
    'narrows: { client: "new-client-old-host", host: "old-client-new-host" }',
    "require a member",
  ),
  mutant(
    "each notification is the host's",
    "compare/messages.ts",
    'sender: of.direction === "client-to-host" ? "client" : "host",',
    'sender: "host",',
    "change a type",
    "require a member",
    "add a required member",
    "add a member",
  ),
  mutant(
    "no method refuses what it does not know",
    "compare/messages.ts",
    "if (was.strict === now.strict) return;",
    "return;",
    "refuse unknown members",
  ),
  mutant(
    "what is behind the opt-in counts as promised",
    "drift.ts",
    'const stable = compare((protocol) => project(protocol, "stable"));',
    "const stable = compare(unmarked);",
    "demote a member",
    "promote a member",
  ),
  mutant(
    "a side may say what only the other one knows",
    "evidence/sendable.ts",
    "  return isKnown(value, [sender], [reader], definitions);",
    "  return true || isKnown(value, [sender], [reader], definitions);",
    "add a member",
  ),
  mutant(
    "a pattern is as good as another",
    "compare/bounds.ts",
    "  if (b === h) return;",
    "  if (b === h || (b !== undefined && h !== undefined)) return;",
    "change a pattern",
  ),
];
