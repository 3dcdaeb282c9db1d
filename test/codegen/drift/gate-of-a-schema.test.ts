/** The gate over changes that the comparison found in schemas: ids, places and pointers fit together. */
import { describe, expect, test } from "vitest";
import { Source } from "../../../codegen/bundle/source.js";
import { type Acknowledgments, NO_ACKNOWLEDGMENTS } from "../../../codegen/drift/acknowledgments.js";
import type { Change, Drift } from "../../../codegen/drift/change.js";
import { changelogOf } from "../../../codegen/drift/changelog.js";
import { driftOf, loadTextForDrift } from "../../../codegen/drift/drift.js";
import { gate, totalOf } from "../../../codegen/drift/gate.js";
import { DRIFT_FORMATS, type DriftFormat } from "../../../codegen/drift/report/formats.js";
import { nextVersion } from "../../../codegen/drift/version.js";
import { isWritten, placesOf } from "../../../codegen/drift/written.js";
import type { Loaded } from "../../../codegen/load.js";
import { bundleText } from "../../support/marked.js";
import { reversed } from "../../support/reversed.js";
import { acknowledges, announced, fileOf } from "./made.js";

interface Parts {
  readonly x?: string;
  readonly word?: string;
  readonly more?: string;
  readonly errors?: string;
}

/** A bundle with one method, whose result has a member and a list of words. */
function schema({
  x = '"x": { "type": "string" },',
  word = ', "b"',
  more = "",
  errors = "",
}: Parts = {}): string {
  return bundleText(`"$defs": {
    "P": { "type": "object", "properties": {} },
    "R": { "type": "object", "properties": { ${x} "e": { "$ref": "#/$defs/E" }${more} } },
    "E": { "type": "string", "enum": ["a"${word}], "x-msp-openness": "closed" }
  },
  "errors": [{ "code": -32051, "kind": "other" }${errors}],
  "methods": { "m": { "params": { "$ref": "#/$defs/P" }, "result": { "$ref": "#/$defs/R" } } }`);
}

function loaded(text: string, path: string): Loaded {
  const { loaded: found, findings } = loadTextForDrift(text, path);
  if (found === undefined) throw new Error(JSON.stringify(findings.sorted()));
  return found;
}

const BASE = loaded(schema({ errors: ', { "code": -32050, "kind": "gone" }' }), "base.json");
const edited = (parts: Parts): Loaded => loaded(schema(parts), "head.json");

async function to(head: Loaded): Promise<{ drift: Drift; by: (rule: string) => Change }> {
  const drift = await driftOf(BASE, head);
  const by = (rule: string): Change => {
    const found = drift.changes.filter((change) => change.rule === rule);
    expect(found.map((change) => change.rule)).toEqual([rule]);
    return found[0] as Change;
  };
  return { drift, by };
}

const passes = (drift: Drift, head: Loaded, file: Acknowledgments, release?: string): boolean =>
  totalOf([
    gate(drift, file, {
      ...(release === undefined ? {} : { release }),
      has: (pointer, value) => [BASE, head].some(({ bundle }) => isWritten(bundle.source, pointer, value)),
    }),
  ]).passes;

test("an acknowledgment holds through unrelated edits, and is stale when its change is undone", async () => {
  const kept = ', { "code": -32050, "kind": "gone" }';
  const head = edited({ x: "", errors: kept });
  const { drift, by } = await to(head);
  expect(passes(drift, head, NO_ACKNOWLEDGMENTS)).toBe(false);
  const file = fileOf([acknowledges(by("member-removed"))]);
  expect(passes(drift, head, file)).toBe(true);

  const unrelated = edited({
    x: "",
    errors: `${kept}, { "code": -32052, "kind": "new" }`,
    more: ', "a": { "type": "null" }',
  });
  const later = await to(unrelated);
  expect(later.drift.changes.length).toBeGreaterThan(drift.changes.length);
  expect(passes(later.drift, unrelated, file)).toBe(true);

  const undone = edited({ errors: kept });
  expect((await to(undone)).drift.changes).toEqual([]);
  expect(passes((await to(undone)).drift, undone, file)).toBe(false);

  // The same member, changed otherwise, is another change.
  const other = edited({ x: '"x": { "type": "integer" },', errors: kept });
  const { stale, failing } = gate((await to(other)).drift, file);
  expect([stale.length, failing.length > 0]).toEqual([1, true]);
});

describe("what goes is announced under the pointer that its removal has", () => {
  test.each([
    ["member-removed", { x: "", errors: ', { "code": -32050, "kind": "gone" }' }, {}],
    ["value-removed", { word: "", errors: ', { "code": -32050, "kind": "gone" }' }, { value: "b" }],
    ["error-removed", {}, {}],
  ] as const)("%s", async (rule, parts, value) => {
    const head = edited(parts);
    const { drift, by } = await to(head);
    const change = by(rule);
    const meant = acknowledges(change);
    const notice = announced({ pointer: change.pointer, ...value });
    expect(isWritten(BASE.bundle.source, change.pointer)).toBe(true);
    expect(passes(drift, head, fileOf([meant]), "0.9.0")).toBe(true);
    expect(passes(drift, head, fileOf([meant]), "1.4.0")).toBe(false);
    expect(passes(drift, head, fileOf([meant], [notice]), "1.4.0")).toBe(true);
    expect(passes(drift, head, fileOf([meant], [notice, announced({ pointer: "/$defs/Z" })]), "1.4.0")).toBe(
      false,
    );
  });
});

/** A member with a keyword that the dialect does not know. */
const strange = (k: number): string =>
  `"x": { "type": "object", "properties": {}, "strange": { "k": ${k}, "j": 0 } },`;

test("reports do not depend on the order of keys, and tell real places", async () => {
  const texts = [
    schema({ x: strange(1), errors: ', { "code": -32050, "kind": "gone" }' }),
    schema({
      x: strange(2),
      word: ', "c"',
      more: ', "o": { "type": "object", "properties": { "k": { "type": "null" } } }',
    }),
  ] as const;
  const turned = texts.map((text) => JSON.stringify(reversed(JSON.parse(text))));
  expect(turned).not.toEqual(texts.map((text) => JSON.stringify(JSON.parse(text))));
  const told = async ([before = "", after = ""]: readonly string[]): Promise<Record<string, string>> => {
    const [base, head] = [loaded(before, "base.json"), loaded(after, "head.json")];
    const drift = await driftOf(base, head);
    expect(drift.changes.length).toBeGreaterThan(3);
    const run = {
      comparisons: [
        {
          base: "a",
          head: "b",
          drift,
          gate: gate(drift, NO_ACKNOWLEDGMENTS),
          nextVersion: nextVersion("0.1.0", drift),
          places: () => ({ file: "f", line: 1, column: 1 }),
        },
      ],
      findings: [],
    };
    const forms = Object.keys(DRIFT_FORMATS) as DriftFormat[];
    return {
      ...Object.fromEntries(forms.map((form) => [form, DRIFT_FORMATS[form](run)])),
      changelog: changelogOf(drift, { from: "a", to: "b" }),
    };
  };
  expect(await told(turned)).toEqual(await told(texts));

  const source = new Source("head.json", texts[1], JSON.parse(texts[1]));
  const { drift, by } = await to(loaded(texts[1], "head.json"));
  const places = placesOf(BASE.bundle.source, source);
  const { pointer, side } = by("member-added");
  const at = places(pointer, side);
  expect(texts[1].split("\n")[at.line - 1]?.slice(at.column - 1)).toMatch(/^"o": /);
  const gone = by("error-removed");
  expect(BASE.bundle.source.text.split("\n")[places(gone.pointer, gone.side).line - 1]).toContain('"gone"');
  expect(drift.fingerprints.base).not.toBe(drift.fingerprints.head);
});
