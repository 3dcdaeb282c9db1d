/** `mspkit explain`: what a rule, of bundles, transcripts or drift, or a law of hosts is about. */
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { rules as bundleRules, type Rule } from "../../../codegen/diagnostics/catalog.js";
import { type DriftRule, driftRules, isDriftRuleId } from "../../../codegen/drift/rules.js";
import type { AnyLaw } from "../../laws/law.js";
import { transcriptRules } from "../../transcripts/rules.js";
import { type Command, EXIT, type Io, UsageError } from "../command.js";
import { hasFastCheck } from "../laws/fast-check.js";

/** The rules of bundles, and of transcripts. */
const rules: Readonly<Record<string, Omit<Rule, "needed">>> = { ...bundleRules, ...transcriptRules };

export const explainCommand: Command = {
  summary: "Explain a rule or a law, or list them all.",
  operands: "[ID]",
  maxOperands: 1,
  options: { json: { type: "boolean", help: "print the rule or the law as JSON" } },
  async run({ operands, options }, io) {
    const [id] = operands;
    const json = options["json"] === true;
    if (id !== undefined && Object.hasOwn(rules, id)) explainRule(id, json, io);
    else if (id !== undefined && isDriftRuleId(id)) explainDriftRule(id, driftRules[id], json, io);
    else {
      const laws = await allLaws();
      if (id === undefined) listAll(laws, json, io);
      else explainLaw(id, laws, json, io);
    }
    return EXIT.fine;
  },
};

/** The laws; none where what makes their cases is not installed. */
async function allLaws(): Promise<readonly AnyLaw[]> {
  return hasFastCheck() ? (await import("../../laws/catalog.js")).catalog : [];
}

function explainRule(id: string, json: boolean, io: Io): void {
  const rule = rules[id]!;
  if (json) io.out(`${JSON.stringify({ id, ...rule }, null, 2)}\n`);
  else io.out(`${id} (${rule.severity})\n\n${rule.message}\n\nWhy: ${rule.why}\nFix: ${rule.fix}\n`);
}

function explainDriftRule(id: string, rule: DriftRule, json: boolean, io: Io): void {
  const { purpose, breaks, example, fix } = rule;
  if (json) io.out(`${JSON.stringify({ id, ...rule }, null, 2)}\n`);
  else
    io.out(
      [
        `${id} (a rule of drift)`,
        "",
        purpose,
        "",
        `Whom it breaks: ${breaks}`,
        `Before: ${example.before}`,
        `After: ${example.after}`,
        `Fix: ${fix}`,
        "",
      ].join("\n"),
    );
}

function explainLaw(id: string, laws: readonly AnyLaw[], json: boolean, io: Io): void {
  const law = laws.find((one) => one.id === id);
  if (law === undefined) {
    const known = [...Object.keys(rules), ...Object.keys(driftRules), ...laws.map((one) => one.id)];
    throw new UsageError(
      `there is no rule and no law "${id}"${didYouMean(id, known)}; mspkit explain lists them`,
    );
  }
  const { level, promise, needs, least, runs } = law;
  if (json) io.out(`${JSON.stringify(lawRow(law), null, 2)}\n`);
  else
    io.out(
      [
        `${id} (a law of level ${level})`,
        "",
        promise,
        "",
        `Needs: ${needs.length === 0 ? "nothing but one connection" : needs.join(", ")}`,
        `Cases: ${runs}`,
        `Must exercise: ${words(least) || "nothing in particular"}`,
        `Try it: mspkit laws run --law ${id} -- HOST...`,
        "",
      ].join("\n"),
    );
}

function listAll(laws: readonly AnyLaw[], json: boolean, io: Io): void {
  if (json) {
    const rows = laws.map((law) => [law.id, lawRow(law)] as const);
    io.out(`${JSON.stringify({ ...rules, ...driftRules, ...Object.fromEntries(rows) }, null, 2)}\n`);
    return;
  }
  const rows = [
    ...Object.entries(rules).map(([id, { severity, message }]) => [id, severity, message] as const),
    ...Object.entries<DriftRule>(driftRules).map(([id, { purpose }]) => [id, "drift", purpose] as const),
    ...laws.map(({ id, promise }) => [id, "law", promise] as const),
  ];
  const width = Math.max(...rows.map(([id]) => id.length));
  for (const [id, kind, text] of rows) io.out(`${id.padEnd(width)}  ${kind.padEnd(7)}  ${text}\n`);
}

function lawRow({ id, level, promise, needs, least, runs }: AnyLaw): object {
  return { id, level, promise, needs, least, runs };
}

function words(counts: AnyLaw["least"]): string {
  return Object.entries(counts)
    .map(([what, times]) => `${times} ${what}`)
    .join(", ");
}
