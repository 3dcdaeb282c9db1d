/**
 * For every rule that a bundle's text can break: a text that breaks it, with `▸` where the finding belongs, and
 * nearly the same text that does not.
 */
import type { RuleId } from "../../../codegen/index.js";
import { bundleText as bundle } from "../../support/marked.js";

/** One rule, broken and kept. */
export interface TextCase {
  readonly rule: RuleId;
  readonly broken: string;
  /** The pointers of the findings, in the order of the marks. */
  readonly at: readonly string[];
  readonly fine: string;
}

const definitions = (body: string): string => bundle(`"$defs": {\n    ${body}\n  }`);

const METHOD_DEFINITIONS = `"$defs": {
    "P": { "type": "object", "properties": { "commandId": { "type": "string" } }, "required": ["commandId"] },
    "R": { "type": "object", "properties": {} }
  }`;

const command = (result: string): string =>
  bundle(`"$defs": {
    "P": { "type": "object", "properties": { "commandId": { "type": "string" } }, "required": ["commandId"] },
    "R": ${result}
  },
  "methods": { "m": { "params": { "$ref": "#/$defs/P" }, ▸"result": { "$ref": "#/$defs/R" } } }`);

const union = (arm: string, mark = ""): string =>
  definitions(`"U": {
      "x-msp-openness": "open",
      ${mark}"anyOf": [
        { "type": "object", "properties": { "k": { "const": "a" } }, "required": ["k"] },
        { "type": "object", "properties": { "k": ${arm} }, "required": ["k"] }
      ]
    }`);

/** The cases. */
export const TEXT_CASES: readonly TextCase[] = [
  { rule: "bundle-empty", broken: "▸", at: [""], fine: "{}" },
  { rule: "bundle-empty", broken: "▸ \n\t\r\n", at: [""], fine: " {} \n" },
  { rule: "json-syntax", broken: '{\n  "$defs": ▸nope\n}', at: [""], fine: '{\n  "$defs": {}\n}' },
  { rule: "json-syntax", broken: '{ "$defs": {} ▸', at: [""], fine: '{ "$defs": {} }' },
  {
    rule: "json-syntax",
    broken: definitions('"A": { "const": ▸1e999 }'),
    at: [""],
    fine: definitions('"A": { "const": 1e99 }'),
  },
  {
    rule: "duplicate-key",
    broken: definitions('"a/b": { "type": "string", ▸"type": "null" }'),
    at: ["/$defs/a~1b/type"],
    fine: definitions('"a/b": { "type": "string", "title": "null" }'),
  },
  {
    rule: "unknown-dialect",
    broken: '{ ▸"$schema": "http://json-schema.org/draft-07/schema#" }',
    at: ["/$schema"],
    fine: '{ "$schema": "https://json-schema.org/draft/2020-12/schema" }',
  },
  {
    rule: "unstated-dialect",
    broken: '{ ▸"$schema": "https://json-schema.org/draft/2020-12/schema#" }',
    at: ["/$schema"],
    fine: '{ "$schema": "https://json-schema.org/draft/2020-12/schema" }',
  },
  {
    rule: "unstated-dialect",
    broken: '▸{ "$defs": {} }',
    at: [""],
    fine: '{ "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {} }',
  },
  {
    rule: "unknown-top-level-key",
    broken: bundle('▸"method": {}'),
    at: ["/method"],
    fine: bundle('"methods": {}'),
  },
  {
    rule: "unknown-keyword",
    broken: definitions('"A": { "type": "string", ▸"minLenght": 3 }'),
    at: ["/$defs/A/minLenght"],
    fine: definitions('"A": { "type": "string", "minLength": 3 }'),
  },
  {
    rule: "unknown-type",
    broken: definitions('"A": { ▸"type": "strnig" }'),
    at: ["/$defs/A/type"],
    fine: definitions('"A": { "type": "string" }'),
  },
  {
    rule: "unknown-type",
    broken: definitions('"A": { "type": ["null", ▸"text"] }'),
    at: ["/$defs/A/type/1"],
    fine: definitions('"A": { "type": ["null", "string"] }'),
  },
  {
    rule: "unknown-mark",
    broken: definitions('"A": { "enum": ["a"], ▸"x-msp-opennes": "open" }'),
    at: ["/$defs/A/x-msp-opennes"],
    fine: definitions('"A": { "enum": ["a"], "x-msp-openness": "open" }'),
  },
  {
    rule: "invalid-value",
    broken: definitions('"A": { "type": "string", ▸"minLength": -1 }'),
    at: ["/$defs/A/minLength"],
    fine: definitions('"A": { "type": "string", "minLength": 1 }'),
  },
  {
    rule: "invalid-value",
    broken: bundle('"rejections": [{ "reason": "r", ▸"definedBy": "hst" }]'),
    at: ["/rejections/0/definedBy"],
    fine: bundle('"rejections": [{ "reason": "r", "definedBy": "host" }]'),
  },
  {
    rule: "invalid-value",
    broken: bundle('▸"x-msp-openness": "open"'),
    at: ["/x-msp-openness"],
    fine: bundle('"x-vendor-openness": "open"'),
  },
  {
    rule: "invalid-value",
    broken: definitions(
      '"A": { "enum": ["a"], "x-msp-openness": "closed", ▸"x-msp-value-stability": { "a": "experimental" } }',
    ),
    at: ["/$defs/A/x-msp-value-stability"],
    fine: definitions(
      '"A": { "enum": ["a"], "x-msp-openness": "open", "x-msp-value-stability": { "a": "experimental" } }',
    ),
  },
  {
    rule: "invalid-value",
    broken: bundle('"capabilities": { ▸"reserved": [{ "reference": "x" }] }'),
    at: ["/capabilities/reserved"],
    fine: bundle('"capabilities": { "reserved": [{ "name": "a", "reference": "x" }] }'),
  },
  {
    rule: "invalid-pattern",
    broken: definitions('"A": { "type": "string", ▸"pattern": "[a" }'),
    at: ["/$defs/A/pattern"],
    fine: definitions('"A": { "type": "string", "pattern": "[a]" }'),
  },
  {
    rule: "contradictory-bounds",
    broken: definitions('"A": { "type": "integer", ▸"minimum": 5, "maximum": 4 }'),
    at: ["/$defs/A/minimum"],
    fine: definitions('"A": { "type": "integer", "minimum": 5, "maximum": 5 }'),
  },
  {
    rule: "dangling-ref",
    broken: definitions('"State": { "type": "null" }, "A": { ▸"$ref": "#/$defs/Sate" }'),
    at: ["/$defs/A/$ref"],
    fine: definitions('"State": { "type": "null" }, "A": { "$ref": "#/$defs/State" }'),
  },
  {
    rule: "circular-ref",
    broken: definitions('▸"A": { "$ref": "#/$defs/B" },\n    "B": { "$ref": "#/$defs/A" }'),
    at: ["/$defs/A"],
    fine: definitions(
      '"A": { "$ref": "#/$defs/B" },\n    "B": { "type": "array", "items": { "$ref": "#/$defs/A" } }',
    ),
  },
  {
    rule: "stability-leak",
    broken: bundle(`"$defs": { "R": { "type": "null", "x-msp-stability": "experimental" } },
  "methods": { "m": { ▸"result": { "$ref": "#/$defs/R" } } }`),
    at: ["/methods/m/result"],
    fine: bundle(`"$defs": { "R": { "type": "null", "x-msp-stability": "experimental" } },
  "methods": { "m": { "result": { "$ref": "#/$defs/R" }, "x-msp-stability": "experimental" } }`),
  },
  {
    rule: "stability-leak",
    broken: definitions(
      '"R": { "type": "null", "x-msp-stability": "experimental" },\n    "A": { ▸"items": { "$ref": "#/$defs/R" } }',
    ),
    at: ["/$defs/A/items"],
    fine: definitions('"R": { "type": "null" },\n    "A": { "items": { "$ref": "#/$defs/R" } }'),
  },
  {
    rule: "name-clash",
    broken: definitions('▸"foo-bar": { "type": "string" },\n    ▸"foo_bar": { "type": "integer" }'),
    at: ["/$defs/foo-bar", "/$defs/foo_bar"],
    fine: definitions('"foo-bar": { "type": "string" },\n    "fooBar": { "type": "integer" }'),
  },
  {
    rule: "name-clash",
    broken: definitions('▸"Error": { "type": "string" },\n    ▸"Error_": { "type": "integer" }'),
    at: ["/$defs/Error", "/$defs/Error_"],
    fine: definitions('"Error": { "type": "string" },\n    "Error__": { "type": "integer" }'),
  },
  {
    rule: "open-union-without-catch-all",
    broken: union('{ "const": "b" }', "▸"),
    at: ["/$defs/U/anyOf"],
    fine: union('{ "type": "string" }'),
  },
  {
    rule: "overlapping-union",
    broken: definitions('"U": { ▸"anyOf": [{ "type": "string" }, { "type": "string", "minLength": 1 }] }'),
    at: ["/$defs/U/anyOf"],
    fine: definitions('"U": { "anyOf": [{ "type": "string" }, { "type": "null", "minLength": 1 }] }'),
  },
  {
    rule: "overlapping-union",
    broken: definitions('"U": { ▸"oneOf": [{ "type": "number" }, { "type": "integer" }] }'),
    at: ["/$defs/U/oneOf"],
    fine: definitions('"U": { "oneOf": [{ "type": "number" }, { "type": "array" }] }'),
  },
  {
    rule: "command-id-mismatch",
    broken: bundle(
      `${METHOD_DEFINITIONS},\n  "methods": { ▸"m": { "params": { "$ref": "#/$defs/P" }, "result": { "$ref": "#/$defs/R" }, "x-msp-kind": "query" } }`,
    ),
    at: ["/methods/m"],
    fine: bundle(
      `${METHOD_DEFINITIONS},\n  "methods": { "m": { "params": { "$ref": "#/$defs/P" }, "result": { "$ref": "#/$defs/R" }, "x-msp-kind": "command" } }`,
    ),
  },
  {
    rule: "unknown-capability",
    broken: bundle(
      `${METHOD_DEFINITIONS},\n  "capabilities": { "grantable": ["sing"] },\n  "methods": { "m": { "result": { "$ref": "#/$defs/R" }, ▸"x-msp-capability": "sign" } }`,
    ),
    at: ["/methods/m/x-msp-capability"],
    fine: bundle(
      `${METHOD_DEFINITIONS},\n  "capabilities": { "grantable": ["sing"] },\n  "methods": { "m": { "result": { "$ref": "#/$defs/R" }, "x-msp-capability": "sing" } }`,
    ),
  },
  {
    rule: "unused-definition",
    broken: definitions('▸"A": { "type": "null" }'),
    at: ["/$defs/A"],
    fine: definitions('"A": { "type": "null", "x-msp-role": "record" }'),
  },
  {
    rule: "required-without-property",
    broken: definitions('"A": { "type": "object", "properties": {}, ▸"required": ["x"] }'),
    at: ["/$defs/A/required"],
    fine: definitions('"A": { "type": "object", "properties": { "x": {} }, "required": ["x"] }'),
  },
  {
    rule: "descriptor-mismatch",
    broken: bundle(
      `${METHOD_DEFINITIONS},\n  "methods": { "m": { "result": { "$ref": "#/$defs/R" }, "x-msp-stability": "experimental", ▸"x-msp-descriptor": "n" } }`,
    ),
    at: ["/methods/m/x-msp-descriptor"],
    fine: bundle(
      `${METHOD_DEFINITIONS},\n  "methods": { "m": { "result": { "$ref": "#/$defs/R" }, "x-msp-stability": "experimental", "x-msp-descriptor": "m" } }`,
    ),
  },
  {
    rule: "descriptor-missing",
    broken: bundle(
      `${METHOD_DEFINITIONS},\n  "methods": { ▸"m": { "result": { "$ref": "#/$defs/R" }, "x-msp-stability": "experimental" } }`,
    ),
    at: ["/methods/m"],
    fine: bundle(`${METHOD_DEFINITIONS},\n  "methods": { "m": { "result": { "$ref": "#/$defs/R" } } }`),
  },
  {
    rule: "enum-without-openness",
    broken: definitions('"A": { "type": "string", ▸"enum": ["a"] }'),
    at: ["/$defs/A/enum"],
    fine: definitions('"A": { "type": "string", "enum": ["a"], "x-msp-openness": "closed" }'),
  },
  {
    rule: "ack-envelope",
    broken: command(
      '{ "type": "object", "properties": { "commandId": { "type": "string" }, "status": {} } }',
    ),
    at: ["/methods/m/result"],
    fine: command(
      '{ "type": "object", "properties": { "commandId": { "type": "string" }, "status": {} }, "required": ["commandId", "status"] }',
    ).replace("▸", ""),
  },
  {
    rule: "integer-without-range",
    broken: definitions('▸"A": { "type": "integer", "minimum": 0 }'),
    at: ["/$defs/A"],
    fine: definitions('"A": { "type": "integer", "minimum": 0, "maximum": 9 }'),
  },
  {
    rule: "missing-description",
    broken: definitions('▸"A": { "type": "null", "description": " " }'),
    at: ["/$defs/A"],
    fine: definitions('"A": { "type": "null", "description": "A." }'),
  },
  {
    rule: "foreign-annotation",
    broken: definitions('"A": { "type": "null", ▸"x-note": "hi" }'),
    at: ["/$defs/A/x-note"],
    fine: definitions('"A": { "type": "null", "title": "hi" }'),
  },
];
