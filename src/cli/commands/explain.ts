/** `mspkit explain`: what a rule is about. */
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { rules as bundleRules, type Rule } from "../../../codegen/diagnostics/catalog.js";
import { transcriptRules } from "../../transcripts/rules.js";
import { type Command, EXIT, UsageError } from "../command.js";

/** The rules of bundles, and of transcripts. */
const rules: Readonly<Record<string, Omit<Rule, "needed">>> = { ...bundleRules, ...transcriptRules };

export const explainCommand: Command = {
  summary: "Explain a rule, or list them all.",
  operands: "[ID]",
  maxOperands: 1,
  options: { json: { type: "boolean", help: "print the rule as JSON" } },
  async run({ operands, options }, io) {
    const id = operands[0];
    if (id === undefined) {
      if (options["json"] === true) io.out(`${JSON.stringify(rules, null, 2)}\n`);
      else {
        const width = Math.max(...Object.keys(rules).map((name) => name.length));
        for (const [name, { severity, message }] of Object.entries(rules))
          io.out(`${name.padEnd(width)}  ${severity.padEnd(7)}  ${message}\n`);
      }
      return EXIT.fine;
    }
    if (!Object.hasOwn(rules, id))
      throw new UsageError(
        `there is no rule "${id}"${didYouMean(id, Object.keys(rules))}; mspkit explain lists them`,
      );
    const rule = rules[id]!;
    if (options["json"] === true) io.out(`${JSON.stringify({ id, ...rule }, null, 2)}\n`);
    else io.out(`${id} (${rule.severity})\n\n${rule.message}\n\nWhy: ${rule.why}\nFix: ${rule.fix}\n`);
    return EXIT.fine;
  },
};
