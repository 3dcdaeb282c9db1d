/** `schema/config.schema.json` says what `readConfig` accepts. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../codegen/bundle/json.js";
import { CONFIG_FILE, Findings, PRODUCTS, type Rule, readConfig, rules } from "../../codegen/index.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import { at } from "./mutants.js";

const schema = JSON.parse(readFileSync(join(ROOT, "schema/config.schema.json"), "utf8")) as JsonObject;
const compile = (form: JsonObject): ValidateFunction => new Ajv2020({ ownProperties: true }).compile(form);

test.each([CONFIG_FILE, `schema/workspace/${CONFIG_FILE}`])(
  "a configuration of this project is valid: %s",
  (path) => {
    const validate = compile(schema);
    expect(
      validate(JSON.parse(readFileSync(join(ROOT, path), "utf8"))),
      JSON.stringify(validate.errors),
    ).toBe(true);
  },
);

test("its rules are those that may be changed or excused", () => {
  const free = Object.entries<Rule>(rules).filter(([, rule]) => rule.needed === undefined);
  expect(at(schema, "/$defs/rule/enum")).toEqual(free.map(([id]) => id));
  expect(at(schema, "/properties/products/items/enum")).toEqual([...PRODUCTS]);
});

const EXCUSE = { pointer: "/$defs/A", rule: "missing-description", reason: "It says it all." };
const VALUES: readonly Json[] = [
  null,
  true,
  0,
  "",
  " ",
  "x",
  "off",
  "error",
  "missing-description",
  "json-syntax",
  [],
  {},
  ["types"],
  ["stable"],
  ["types", "types"],
  ["type"],
  [1],
  [EXCUSE],
  [{ ...EXCUSE, pointer: "" }],
  [{ ...EXCUSE, pointer: 1 }],
  [{ ...EXCUSE, reason: " " }],
  [{ ...EXCUSE, rule: "json-syntax" }],
  [{ ...EXCUSE, rule: "nothing" }],
  [{ ...EXCUSE, note: "" }],
  [{ pointer: "", rule: "missing-description" }],
  [null],
  { "missing-description": "off" },
  { "missing-description": "fatal" },
  { "missing-description": null },
  { nothing: "off" },
  { "a/b": "off" },
];
const KEYS = [
  "$schema",
  "schema",
  "out",
  "products",
  "rules",
  "excuses",
  "Schema",
  "outs",
  "x-note",
  "a/b",
  "__proto__",
];

interface Mutant {
  readonly text: string;
  readonly accepted: boolean;
}

/** Configurations, each with the word of `readConfig`. */
function mutants(): Mutant[] {
  const folder = scratchFolder();
  const texts = VALUES.map((value) => JSON.stringify(value));
  for (const key of KEYS) {
    for (const value of VALUES) texts.push(`{${JSON.stringify(key)}: ${JSON.stringify(value)}}`);
  }
  for (const id of [...Object.keys(rules), "constructor", "__proto__"]) {
    texts.push(`{"rules": {"${id}": "warning"}}`, JSON.stringify({ excuses: [{ ...EXCUSE, rule: id }] }));
  }
  return texts.map((text) => {
    writeFileSync(join(folder, CONFIG_FILE), text);
    const findings = new Findings();
    const config = readConfig(folder, findings);
    expect(config === undefined).toBe(findings.hasErrors);
    return { text, accepted: config !== undefined };
  });
}

function disagreement(validate: ValidateFunction, list: readonly Mutant[]): string | undefined {
  return list.find(({ text, accepted }) => validate(JSON.parse(text)) !== accepted)?.text;
}

describe("mutated configurations", () => {
  test("get the same verdict from the schema and from readConfig", () => {
    const list = mutants();
    expect(disagreement(compile(schema), list)).toBeUndefined();
    expect(list.length).toBeGreaterThan(400);
    expect(list.filter(({ accepted }) => accepted).length).toBeGreaterThan(60);
  });

  test("show a schema that says something else", () => {
    const list = mutants();
    const poisons: readonly (readonly [string, string, Json])[] = [
      ["", "additionalProperties", true],
      ["/properties/schema", "minLength", 0],
      ["/properties/rules", "propertyNames", {}],
      ["/properties/rules", "additionalProperties", {}],
      ["/properties/excuses/items", "required", []],
      ["/properties/excuses/items", "additionalProperties", true],
      ["/properties/excuses/items/properties/reason", "pattern", ""],
      ["/properties/products/items", "enum", ["types", "type"]],
      ["/properties/products", "uniqueItems", true],
      ["/$defs/severity", "enum", ["error", "warning", "note"]],
      ["/$defs/rule", "enum", Object.keys(rules)],
    ];
    for (const [place, key, value] of poisons) {
      const poisoned = structuredClone(schema);
      (at(poisoned, place) as JsonObject)[key] = value;
      expect(disagreement(compile(poisoned), list), `${place}/${key}`).toBeDefined();
    }
  });

  test("are refused at the place that is wrong", () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, CONFIG_FILE), '{"a/b": 1, "rules": {"c/d": "off"}, "excuses": null}');
    const findings = new Findings();
    expect(readConfig(folder, findings)).toBeUndefined();
    expect(findings.sorted().map(({ rule, instanceLocation }) => [rule, instanceLocation])).toEqual([
      ["invalid-config", "/a~1b"],
      ["invalid-config", "/rules/c~1d"],
      ["invalid-config", "/excuses"],
    ]);
  });
});
