/** The configuration: what it sets, what it refuses and where, and for which schema its excuses hold. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONFIG_FILE, type Config, Findings, readConfig, ruleSettings, rules } from "../../codegen/index.js";
import { scratchFolder } from "../support/repo.js";

function read(text: string): { folder: string; config: Config | undefined; told: string[] } {
  const folder = scratchFolder();
  writeFileSync(join(folder, CONFIG_FILE), text);
  const findings = new Findings();
  const config = readConfig(folder, findings);
  const told = findings.sorted().map((f) => `${f.rule} ${f.line}:${f.column} ${f.instanceLocation}`);
  return { folder, config, told };
}

const EXCUSE = { pointer: "/methods/m/result", rule: "ack-envelope", reason: "It was so." } as const;

describe("a configuration", () => {
  test("that is not there is none, and no finding", () => {
    const findings = new Findings();
    expect(readConfig(scratchFolder(), findings)).toBeUndefined();
    expect(findings.sorted()).toEqual([]);
  });

  test("sets schema and out beside itself, products, severities and excuses", () => {
    const { folder, config, told } = read(
      JSON.stringify({
        $schema: "./config.schema.json",
        schema: "schema/b.json",
        out: "../out",
        surfaces: ["stable"],
        products: ["tables", "types"],
        rules: { "missing-description": "off", "unused-definition": "error" },
        excuses: [EXCUSE],
      }),
    );
    expect(told).toEqual([]);
    expect(config).toMatchObject({
      schema: join(folder, "schema/b.json"),
      out: join(folder, "../out"),
      surfaces: ["stable"],
      products: ["tables", "types"],
      severities: { "missing-description": "off", "unused-definition": "error" },
      excuses: [EXCUSE],
    });
  });

  test("may be empty", () => {
    expect(read("{}").config).toMatchObject({ severities: {}, excuses: [] });
  });

  test.each([
    ["a setting that does not exist", '{ "schemas": "b.json" }', "invalid-config 1:3 /schemas"],
    ["a setting with a slash in its name", '{ "a/b": 1 }', "invalid-config 1:3 /a~1b"],
    ["no object", "[]", "invalid-config 1:1 "],
    ["a schema that is no path", '{ "schema": 1 }', "invalid-config 1:3 /schema"],
    ["an empty out", '{ "out": "" }', "invalid-config 1:3 /out"],
    ["surfaces that are no list", '{ "surfaces": "stable" }', "invalid-config 1:3 /surfaces"],
    ["no surface at all", '{ "surfaces": [] }', "invalid-config 1:3 /surfaces"],
    ["a surface that does not exist", '{ "surfaces": ["all"] }', "invalid-config 1:16 /surfaces/0"],
    ["products that are no list", '{ "products": "types" }', "invalid-config 1:3 /products"],
    ["a product that does not exist", '{ "products": ["types", "typs"] }', "invalid-config 1:25 /products/1"],
    ["rules that are no object", '{ "rules": [] }', "invalid-config 1:3 /rules"],
    ["rules that are null", '{ "rules": null }', "invalid-config 1:3 /rules"],
    ["a rule that does not exist", '{ "rules": { "no-rule": "off" } }', "invalid-config 1:14 /rules/no-rule"],
    ["a rule named __proto__", '{ "rules": { "__proto__": "off" } }', "invalid-config 1:14 /rules/__proto__"],
    [
      "an unknown severity",
      '{ "rules": { "ack-envelope": "warn" } }',
      "invalid-config 1:14 /rules/ack-envelope",
    ],
    ["excuses that are no list", '{ "excuses": {} }', "invalid-config 1:3 /excuses"],
    ["an excuse that is no object", '{ "excuses": ["x"] }', "invalid-config 1:15 /excuses/0"],
    [
      "an excuse with another key",
      `{ "excuses": [${JSON.stringify({ ...EXCUSE, "a/b": 1 })}] }`,
      "invalid-config 1:90 /excuses/0/a~1b",
    ],
    [
      "an excuse without a reason",
      '{ "excuses": [{ "pointer": "", "rule": "ack-envelope", "reason": " " }] }',
      "invalid-config 1:56 /excuses/0/reason",
    ],
    ["no JSON", "{ schema }", "json-syntax 1:3 "],
    ["an empty file", "", "bundle-empty 1:1 "],
    ["a key that stands twice", '{ "out": "a", "out": "b" }', "duplicate-key 1:15 /out"],
  ])("is refused for %s", (_, text, expected) => {
    expect(read(text).told).toEqual([expected]);
  });

  test("answers a slip with what was meant", () => {
    const findings = new Findings();
    const folder = scratchFolder();
    writeFileSync(join(folder, CONFIG_FILE), '{ "schem": "b.json", "rules": { "ack-envelop": "off" } }');
    readConfig(folder, findings);
    expect(findings.sorted().map(({ message }) => /did you mean "([^"]*)"/.exec(message)?.[1])).toEqual([
      "schema",
      "ack-envelope",
    ]);
  });
});

describe("rules that later stages rely on", () => {
  const needed = Object.entries(rules).flatMap(([id, rule]) => ("needed" in rule ? [id] : []));
  const free = Object.keys(rules).filter((id) => !needed.includes(id));

  test("can be neither changed nor excused; the others can", () => {
    expect(needed.length).toBeGreaterThan(10);
    expect(free.length).toBeGreaterThan(10);
    for (const id of Object.keys(rules)) {
      const wanted = needed.includes(id) ? 1 : 0;
      const excuse = { pointer: "", rule: id, reason: "Because." };
      expect(read(JSON.stringify({ rules: { [id]: "off" } })).told, id).toHaveLength(wanted);
      expect(read(JSON.stringify({ excuses: [excuse] })).told, id).toHaveLength(wanted);
    }
  });
});

describe("excuses", () => {
  test("hold for the configuration's own schema; severities hold for every schema", () => {
    const { folder, config } = read(
      JSON.stringify({ schema: "b.json", rules: { "ack-envelope": "error" }, excuses: [EXCUSE] }),
    );
    const severities = { "ack-envelope": "error" };
    expect(ruleSettings(config, join(folder, "b.json"))).toEqual({ severities, excuses: [EXCUSE] });
    expect(ruleSettings(config, join(folder, "sub/../b.json"))).toEqual({ severities, excuses: [EXCUSE] });
    expect(ruleSettings(config, join(folder, "c.json"))).toEqual({ severities });
    expect(ruleSettings(undefined, join(folder, "c.json"))).toEqual({});
  });

  test("of a configuration that names no schema are about the one that it works with by default", () => {
    const { config } = read(JSON.stringify({ excuses: [EXCUSE] }));
    expect(ruleSettings(config, "/x/b.json")).toEqual({ severities: {} });
    expect(ruleSettings(config, "/x/b.json", "/x/b.json")).toEqual({ severities: {}, excuses: [EXCUSE] });
  });
});
