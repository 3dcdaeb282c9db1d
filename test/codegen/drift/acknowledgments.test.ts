/** `acknowledgments.json`: what is read, what is refused and where, and the one form in which it is written. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../codegen/bundle/json.js";
import { formatAcknowledgments, NO_ACKNOWLEDGMENTS } from "../../../codegen/drift/acknowledgments.js";
import { driftRules } from "../../../codegen/drift/rules.js";
import { at } from "../../schema/mutants.js";
import { unmark } from "../../support/marked.js";
import { ROOT } from "../../support/repo.js";
import { acknowledges, announced, changed, fileOf, readText } from "./made.js";

const ENTRY = acknowledges(changed()) as unknown as JsonObject;
const NOTICE = announced() as unknown as JsonObject;

test("an acknowledgment and a deprecation are read as they stand", () => {
  const whole = {
    $schema: "./a.schema.json",
    ...fileOf([acknowledges(changed())], [announced({ value: ["x"] })]),
  };
  expect(readText(JSON.stringify(whole))).toMatchObject({ file: whole, told: [] });
  expect(readText("{}")).toMatchObject({ file: NO_ACKNOWLEDGMENTS, told: [] });
});

test("the files that docs/drift.md shows are read", () => {
  const page = readFileSync(join(ROOT, "docs/drift.md"), "utf8");
  const shown = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => readText(text));
  expect(shown.flatMap(({ told }) => told)).toEqual([]);
  expect(shown.flatMap(({ file }) => [file?.acknowledgments.length, file?.deprecations.length])).toEqual([
    1, 0, 0, 2,
  ]);
});

describe("a file is refused at the place that is wrong", () => {
  const entry = (change: string): string =>
    `{ "acknowledgments": [${JSON.stringify(ENTRY)},\n  ${change}] }`.replace(
      "0123456789abcdef",
      "fedcba9876543210",
    );
  const from = (row: JsonObject, name: string, value: string): string =>
    JSON.stringify(row).replace(
      `${JSON.stringify(name)}:${JSON.stringify(row[name])}`,
      `▸${JSON.stringify(name)}:${value}`,
    );
  const notice = (row: string): string => `{ "deprecations": [\n${row}] }`;
  test.each([
    ["no object", "▸[]", [""]],
    ["a member that there is not", '{ ▸"acknowledgements": [] }', ["/acknowledgements"]],
    ["a $schema that is no text", '{ ▸"$schema": 1 }', ["/$schema"]],
    ["acknowledgments that are no list", '{ ▸"acknowledgments": {} }', ["/acknowledgments"]],
    ["deprecations that are no list", '{ ▸"deprecations": null }', ["/deprecations"]],
    ["an entry that is no object", '{ "acknowledgments": [▸"x"] }', ["/acknowledgments/0"]],
    [
      "a member too many",
      entry(JSON.stringify(ENTRY).replace("{", '{▸"a/b":1,')),
      ["/acknowledgments/1/a~1b"],
    ],
    [
      "__proto__",
      entry(JSON.stringify(ENTRY).replace("{", '{▸"__proto__":1,')),
      ["/acknowledgments/1/__proto__"],
    ],
    ["an id in capitals", entry(from(ENTRY, "change", '"0123456789ABCDEF"')), ["/acknowledgments/1/change"]],
    [
      "a pointer without its slash",
      entry(from(ENTRY, "pointer", '"$defs/A"')),
      ["/acknowledgments/1/pointer"],
    ],
    ["a pointer with a bare tilde", entry(from(ENTRY, "pointer", '"/a~2"')), ["/acknowledgments/1/pointer"]],
    ["a rule that there is not", entry(from(ENTRY, "rule", '"member-remove"')), ["/acknowledgments/1/rule"]],
    ["a rule of objects", entry(from(ENTRY, "rule", '"toString"')), ["/acknowledgments/1/rule"]],
    ["a reason of 7 characters", entry(from(ENTRY, "reason", '"1234567"')), ["/acknowledgments/1/reason"]],
    ["a reason of space", entry(from(ENTRY, "reason", '"a          "')), ["/acknowledgments/1/reason"]],
    ["an issue in words", entry(from(ENTRY, "issue", '"soon"')), ["/acknowledgments/1/issue"]],
    ["nobody known to act", entry(from(ENTRY, "acts", '"servers"')), ["/acknowledgments/1/acts"]],
    ["a release with a v", entry(from(ENTRY, "release", '"v2.0.0"')), ["/acknowledgments/1/release"]],
    ["a member that is null", entry(from(ENTRY, "release", "null")), ["/acknowledgments/1/release"]],
    [
      "a release without an end",
      notice(from(NOTICE, "removableFrom", '"2"')),
      ["/deprecations/0/removableFrom"],
    ],
    [
      "a window that is none",
      notice(from(NOTICE, "removableFrom", '"1.0.0"')),
      ["/deprecations/0/removableFrom"],
    ],
    [
      "a missing member",
      notice(`▸${JSON.stringify({ ...NOTICE, issue: undefined })}`),
      ["/deprecations/0/issue"],
    ],
  ])("%s", (_, marked, pointers) => {
    const { text, places } = unmark(marked);
    const { file, told } = readText(text);
    expect(file).toBeUndefined();
    expect(told).toEqual(pointers.map((pointer, i) => `invalid-acknowledgments ${places[i]} ${pointer}`));
  });

  test("an id, or an announcement, that stands twice", () => {
    const other = announced({ value: { b: 1, a: 2 } });
    const sound = fileOf([acknowledges(changed())], [announced(), other]);
    expect(readText(JSON.stringify(sound)).told).toEqual([]);
    const twice = fileOf(
      [...sound.acknowledgments, acknowledges(changed())],
      [...sound.deprecations, { ...other, value: { a: 2, b: 1 } }],
    );
    const { file, findings } = readText(JSON.stringify(twice));
    expect(file).toBeUndefined();
    expect(findings.sorted().map(({ rule, instanceLocation }) => `${rule} ${instanceLocation}`)).toEqual([
      "repeated-acknowledgment /acknowledgments/1/change",
      "repeated-acknowledgment /deprecations/2/pointer",
    ]);
  });
});

describe("the file is written in one form", () => {
  const one = acknowledges(changed({ id: "a".repeat(16), pointer: "/b" }));
  const two = acknowledges(changed({ id: "b".repeat(16), pointer: "/a" }));
  const three = acknowledges(changed({ id: "0".repeat(16), pointer: "/b" }));
  const gone = [
    announced({ pointer: "/z" }),
    announced({ value: { b: 1, a: 2 } }),
    announced({ value: "a" }),
  ];

  test("whatever the order of entries and members was", () => {
    const text = formatAcknowledgments({ $schema: "x", ...fileOf([one, two, three], gone) });
    const turned = [three, two, one].map(
      (row) => Object.fromEntries(Object.entries(row).reverse()) as unknown as typeof row,
    );
    expect(formatAcknowledgments({ ...fileOf(turned, [...gone].reverse()), $schema: "x" })).toBe(text);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["$schema", "acknowledgments", "deprecations"]);
    expect(text.match(/"change": "(.)/g)).toEqual(['"change": "b', '"change": "0', '"change": "a']);
    expect(text.endsWith("]\n}\n")).toBe(true);
  });

  test("that reads as what was written", () => {
    const text = formatAcknowledgments({ $schema: "x", ...fileOf([one, two, three], gone) });
    const { file, told } = readText(text);
    expect(told).toEqual([]);
    expect(file?.acknowledgments).toEqual([two, three, one]);
    expect(file?.deprecations).toHaveLength(3);
    expect(formatAcknowledgments(file ?? NO_ACKNOWLEDGMENTS)).toBe(text);
    expect(formatAcknowledgments(NO_ACKNOWLEDGMENTS)).toBe(
      '{\n  "acknowledgments": [],\n  "deprecations": []\n}\n',
    );
  });
});

describe("schema/acknowledgments.schema.json says what the reader accepts", () => {
  const schema = JSON.parse(
    readFileSync(join(ROOT, "schema/acknowledgments.schema.json"), "utf8"),
  ) as JsonObject;
  const compile = (form: JsonObject): ValidateFunction => new Ajv2020({ ownProperties: true }).compile(form);
  const VALUES: readonly Json[] = [
    ...[null, true, 0, "", " ", "/", "/a~1b", "/a~", "a", "x y", [], {}],
    ...["12345678", "1234567", "😀😀😀😀😀😀😀😀", "😀😀😀😀", "  1234567  ", "1\n2345678"],
    ...["#12", "#0", "12", "a/b#3", "a b#3", "http://x", "https://x y", "ftp://x"],
    ...["clients", "hosts", "both", "nobody", "all"],
    ...["3.0.0", "v3.0.0", "3.0", "3.0.0-rc.1", "3.0.0-01", "3.0.0+b", "9999999999999999.0.0", "3.0.0\n"],
    ...["fedcba9876543210", "fedcba987654321", "FEDCBA9876543210"],
    ...["member-added", "member-add", "constructor", "unused-definition"],
  ];
  const texts = [
    ...VALUES,
    ...["$schema", "acknowledgments", "deprecations", "a/b", "__proto__"].flatMap((key) =>
      VALUES.map((value) => JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as Json),
    ),
    ...mutants("acknowledgments", ENTRY),
    // Which of two releases is the later one is for the reader alone.
    ...mutants("deprecations", { ...NOTICE, removableFrom: "9.0.0" }),
  ].map((value) => JSON.stringify(value));

  function mutants(list: string, row: JsonObject): Json[] {
    const keys = [...Object.keys(row), "value", "note", "a/b"];
    return [
      ...VALUES.map((value) => ({ [list]: [value] })),
      ...keys.flatMap((key) => VALUES.map((value) => ({ [list]: [{ ...row, [key]: value }] }))),
      ...Object.keys(row).map((key) => {
        const { [key]: _, ...rest } = row;
        return { [list]: [rest] };
      }),
    ];
  }

  const verdicts = texts.map((text) => ({ text, accepted: readText(text).file !== undefined }));
  const disagreement = (validate: ValidateFunction): string | undefined =>
    verdicts.find(({ text, accepted }) => validate(JSON.parse(text)) !== accepted)?.text;

  test("for every mutant", () => {
    expect(disagreement(compile(schema))).toBeUndefined();
    expect(verdicts.length).toBeGreaterThan(900);
    expect(verdicts.filter(({ accepted }) => accepted).length).toBeGreaterThan(100);
    expect(at(schema, "/$defs/acknowledgment/properties/rule/enum")).toEqual(Object.keys(driftRules));
  });

  test.each([
    ["", "additionalProperties", true],
    ["/properties/acknowledgments", "items", {}],
    ["/properties/$schema", "type", "null"],
    ["/$defs/acknowledgment", "additionalProperties", true],
    ["/$defs/acknowledgment", "required", []],
    ["/$defs/acknowledgment/properties/change", "pattern", "^[0-9a-f]*$"],
    ["/$defs/acknowledgment/properties/acts", "enum", ["clients", "hosts", "both"]],
    ["/$defs/acknowledgment/properties/rule", "enum", ["member-removed"]],
    ["/$defs/deprecation", "additionalProperties", true],
    ["/$defs/deprecation", "required", ["pointer"]],
    ["/$defs/pointer", "pattern", "^/"],
    ["/$defs/reason", "pattern", "^[\\s\\S]{8,}$"],
    ["/$defs/issue", "pattern", "#"],
    ["/$defs/release", "pattern", "^[0-9.]+$"],
  ] as const)("a schema that says something else at %s/%s is found", (place, key, value) => {
    const poisoned = structuredClone(schema);
    (at(poisoned, place) as JsonObject)[key] = value as unknown as Json;
    expect(disagreement(compile(poisoned))).toBeDefined();
  });
});
