/** Each rule tells of its own example, of nothing beside it, and not of an edit that is nearly the same. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../../codegen/drift/change.js";
import { driftOf, loadTextForDrift } from "../../../codegen/drift/drift.js";
import { type DriftRuleId, driftRules } from "../../../codegen/drift/rules.js";
import { bundleOf } from "../../support/compile.js";

type Node = Record<string, unknown>;
const ref = (name: string): Node => ({ $ref: `#/$defs/${name}` });

const arm = (kind: string): Node => ({
  type: "object",
  properties: { kind: { const: kind } },
  required: ["kind"],
});

/** What the capital words of the examples stand for. */
const WORDS: Readonly<Record<string, Node>> = {
  A: arm("a"),
  B: arm("b"),
  OTHER: { type: "object", properties: { kind: { type: "string" } }, required: ["kind"] },
  P: ref("P"),
  R: ref("R"),
};

function parsed(text: string): unknown {
  return JSON.parse(text.replace(/(?<!")\b[A-Z]+\b(?!")/g, (word) => JSON.stringify(WORDS[word])));
}

/** A bundle that says what an example says: of a definition that messages carry, or of the section that it is about. */
function bundle(rule: DriftRuleId, text: string): string {
  const said = parsed(text) as Node;
  const defs: Node = { P: { type: "object" }, R: { type: "object" } };
  // A method whose marks say how it is treated, so that those of others are compared.
  const marked = { result: ref("R"), "x-msp-kind": "query", "x-msp-strict": true };
  const [section = ""] = rule.split("-");
  const about = (sections: Node, others: Node = {}): string =>
    bundleOf({ ...defs, ...others }, { methods: { marked }, ...sections });
  if (section === "definition") return about({}, said);
  if (section === "method" || section === "notification" || section === "request")
    return about(section === "method" ? { methods: { marked, ...said } } : { [`${section}s`]: said });
  if (section === "error") return about({ errors: Array.isArray(said) ? said : [said] });
  if (section === "rejection") return about({ rejections: said });
  if (rule === "capability-added" || rule === "capability-removed") return about({ capabilities: said });
  if (["unknown", "capability", "behaviour"].includes(section)) {
    const methods = { marked, use: { result: ref("R"), ...said } };
    return about({ methods, capabilities: { grantable: ["c"] } });
  }
  return about(
    { methods: { marked, both: { params: ref("It"), result: ref("It") } } },
    { It: { type: "object", properties: { it: said }, required: ["it"] } },
  );
}

async function changes(rule: DriftRuleId, before: string, after: string): Promise<readonly Change[]> {
  const of = (text: string) => {
    const { loaded, findings } = loadTextForDrift(bundle(rule, text), "bundle.json");
    if (loaded === undefined)
      throw new Error(
        findings
          .sorted()
          .filter(({ severity }) => severity === "error")
          .map(({ message }) => message)
          .join("\n"),
      );
    return loaded;
  };
  return (await driftOf(of(before), of(after))).changes;
}

/** Edits that are no change for a rule which the way back of its example would be one for. */
const NEARLY: Partial<Record<DriftRuleId, readonly [string, string]>> = {
  "pattern-changed": ['{"pattern": "^a"}', '{"pattern": "^a", "maxLength": 1}'],
  "shape-changed": ['{"type": "object"}', '{"type": ["object", "null"]}'],
  "keyword-changed": ['{"unevaluatedProperties": false}', '{"unevaluatedProperties": false, "title": "t"}'],
  "default-changed": ['{"default": 1}', '{"default": 1.0, "title": "t"}'],
  "behaviour-changed": ['{"x-msp-kind": "query"}', '{"x-msp-kind": "query", "title": "t"}'],
  "error-changed": [
    '{"code": -32050, "kind": "x", "retryable": true}',
    '{"code": -32050, "kind": "x", "retryable": true, "description": "d"}',
  ],
};

const RULES = Object.entries(driftRules) as readonly [DriftRuleId, (typeof driftRules)[DriftRuleId]][];

describe("each rule", () => {
  test.each(RULES)("%s", async (rule, { example }) => {
    const told = (await changes(rule, example.before, example.after)).map((change) => change.rule);
    expect(told).toEqual([rule]);
    const [before, after] = NEARLY[rule] ?? [example.after, example.before];
    const silent = await changes(rule, before, after);
    expect(silent.map((change) => change.rule)).not.toContain(rule);
  });

  test("has a way back that is a change of its own, unless an edit is given that is nearly the same", async () => {
    expect(RULES.length).toBeGreaterThan(50);
    const quiet: string[] = [];
    for (const [rule, { example }] of RULES)
      if (NEARLY[rule] === undefined && (await changes(rule, example.after, example.before)).length === 0)
        quiet.push(rule);
    // Nothing is told of a mark of deprecation that is taken away.
    expect(quiet).toEqual(["deprecated"]);
  });
});
