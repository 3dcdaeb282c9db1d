/** The gate: what fails, what an acknowledgment lets through, and which acknowledgments are wrong themselves. */
import { describe, expect, test } from "vitest";
import { Source } from "../../../codegen/bundle/source.js";
import { Findings } from "../../../codegen/diagnostics/finding.js";
import { type Acknowledgments, NO_ACKNOWLEDGMENTS } from "../../../codegen/drift/acknowledgments.js";
import type { Change, Verdict } from "../../../codegen/drift/change.js";
import {
  type GateOptions,
  type GateResult,
  gate,
  isRemoval,
  reportAcknowledgments,
  totalOf,
} from "../../../codegen/drift/gate.js";
import { acknowledges, announced, changed, driftFrom, fileOf, toldOf } from "./made.js";

const ids = (changes: readonly Change[]): string[] => changes.map(({ id }) => id);

/** What is told of results, with the file written as one entry a line from line 3 on. */
function told(results: readonly GateResult[], file: Acknowledgments): string[] {
  const rows = (list: readonly object[]): string => list.map((row) => JSON.stringify(row)).join(",\n");
  const text = `{"acknowledgments":\n[\n${rows(file.acknowledgments)}],\n"deprecations":[\n${rows(file.deprecations)}]}`;
  const findings = new Findings();
  reportAcknowledgments(results, file, new Source("a.json", text, JSON.parse(text)), findings);
  return toldOf(findings);
}

describe("without acknowledgments", () => {
  test.each([
    ["breaking", "stable", true],
    ["unknown", "stable", true],
    ["additive", "stable", false],
    ["none", "stable", false],
    ["breaking", "experimental", false],
    ["unknown", "experimental", false],
  ] as const)("a change that is %s and %s: fails is %s", (verdict: Verdict, surface, failing) => {
    const change = changed({ verdict, surface });
    const result = gate(driftFrom(change), NO_ACKNOWLEDGMENTS);
    expect(ids(result.failing)).toEqual(failing ? [change.id] : []);
    expect(totalOf([result]).passes).toBe(!failing);
  });

  test("no change passes", () => {
    expect(totalOf([gate(driftFrom(), NO_ACKNOWLEDGMENTS)])).toEqual({ stale: [], idle: [], passes: true });
  });
});

describe("an acknowledgment", () => {
  const change = changed();
  const other = changed({
    id: "1".repeat(16),
    rule: "value-removed",
    pointer: "/$defs/E/enum",
    verdict: "unknown",
  });

  test("lets the change of its id through, and no other", () => {
    const file = fileOf([acknowledges(change)]);
    const result = gate(driftFrom(change, other), file);
    expect(ids(result.failing)).toEqual([other.id]);
    expect(result.acknowledged).toEqual([{ change, acknowledgment: file.acknowledgments[0] }]);
    expect(totalOf([result]).passes).toBe(false);
    expect(totalOf([gate(driftFrom(change), file)]).passes).toBe(true);
    expect(told([result], file)).toEqual([]);
  });

  test("stays good when something else changes", () => {
    const file = fileOf([acknowledges(change)]);
    const unrelated = changed({ id: "2".repeat(16), rule: "member-added", verdict: "additive" });
    expect(totalOf([gate(driftFrom(unrelated, change), file)]).passes).toBe(true);
  });

  test("that matches nothing is stale, at its place", () => {
    const file = fileOf([acknowledges(change), acknowledges(other)]);
    const result = gate(driftFrom(change), file);
    expect(result.stale).toEqual([file.acknowledgments[1]]);
    expect(totalOf([result]).passes).toBe(false);
    expect(told([result], file)).toEqual(["stale-acknowledgment 4:1 /acknowledgments/1"]);
  });

  test("is stale only where it matches a change of no base", () => {
    const file = fileOf([acknowledges(change), acknowledges(other)]);
    const results = [gate(driftFrom(change), file), gate(driftFrom(change, other), file)];
    expect(totalOf(results)).toEqual({ stale: [], idle: [], passes: true });
    expect(told(results, file)).toEqual([]);
    const both = [gate(driftFrom(change), file), gate(driftFrom(), file)];
    expect(totalOf(both).stale).toEqual([file.acknowledgments[1]]);
    expect(totalOf(both).passes).toBe(false);
  });

  test("of a change that needs none is not stale", () => {
    const quiet = changed({ verdict: "additive" });
    const result = gate(driftFrom(quiet), fileOf([acknowledges(quiet)]));
    expect(result).toMatchObject({ failing: [], acknowledged: [], stale: [] });
  });

  test.each([
    ["pointer", { pointer: "/$defs/B" }, "/acknowledgments/0/pointer"],
    ["rule", { rule: "method-removed" }, "/acknowledgments/0/rule"],
    ["release", { release: "0.4.0" }, "/acknowledgments/0/release"],
    ["release", { release: "0.3.9" }, "/acknowledgments/0/release"],
  ] as const)("with another %s than the change is a finding", (member, parts, pointer) => {
    const file = fileOf([acknowledges(change, parts)]);
    // Of changes that have one id it is told once; so it is of several bases.
    const result = gate(driftFrom(change, change), file, { release: "0.4.0" });
    expect(result.mistaken.map((one) => one.member)).toEqual([member]);
    expect(totalOf([result]).passes).toBe(false);
    const places = told([result, result], file);
    expect(places).toHaveLength(1);
    expect(places[0]).toMatch(new RegExp(`^mistaken-acknowledgment 3:\\d+ ${pointer}$`));
    expect(
      totalOf([gate(driftFrom(change), fileOf([acknowledges(change)]), { release: "0.4.0" })]).passes,
    ).toBe(true);
  });
});

describe("an acknowledged removal", () => {
  const removal = changed();
  const passes = (change: Change, file: Acknowledgments, options: GateOptions): boolean =>
    totalOf([gate(driftFrom(change), file, options)]).passes;

  test.each([
    ["of a release before 1.0.0", "0.9.0", []],
    ["of a release that is not known", undefined, []],
    ["of a pre-release of 1.0.0", "1.0.0-rc.1", []],
    ["with a window that is over", "1.4.0", [announced()]],
    ["noticed in the base itself", "1.0.0", [announced()]],
  ] as const)("%s passes", (_, release, notices) => {
    const file = fileOf([acknowledges(removal)], [...notices]);
    expect(passes(removal, file, release === undefined ? {} : { release })).toBe(true);
  });

  test.each([
    ["that nothing announces", []],
    ["where something else is announced", [announced({ pointer: "/$defs/A" })]],
    ["first noticed after the base", [announced({ firstNoticed: "1.4.1" })]],
    ["first noticed in a later pre-release", [announced({ firstNoticed: "1.5.0-rc.1" })]],
    ["that may go later only", [announced({ removableFrom: "2.0.1" })]],
    ["of one thing where another is announced", [announced({ value: "a" })]],
  ] as const)("of 1.0.0 or later %s fails all the same", (_, notices) => {
    const file = fileOf([acknowledges(removal)], [...notices]);
    const result = gate(driftFrom(removal), file, { release: "1.4.0" });
    expect(result.withoutWindow.map(({ change }) => change)).toEqual([removal]);
    expect(result.acknowledged).toEqual([]);
    expect(totalOf([result]).passes).toBe(false);
    expect(told([result], file)).toEqual(["removal-without-window 3:1 /acknowledgments/0"]);
  });

  test("of 1.0.0 itself fails without an announcement", () => {
    expect(passes(removal, fileOf([acknowledges(removal)]), { release: "1.0.0" })).toBe(false);
  });

  test("of one of several things has to be announced by name", () => {
    const word = changed({ rule: "value-removed", pointer: "/$defs/E/enum", before: "a" });
    const options = { release: "1.4.0" };
    const by = (parts: object): boolean =>
      passes(word, fileOf([acknowledges(word)], [announced({ pointer: word.pointer, ...parts })]), options);
    expect(by({ value: "a" })).toBe(true);
    expect(by({ value: "b" })).toBe(false);
    expect(by({})).toBe(false);
  });

  test("is one by its rule, or by leaving the stable surface", () => {
    const options = { release: "1.4.0" };
    for (const [parts, needs] of [
      [{ rule: "method-removed" }, true],
      [{ rule: "member-optional" }, false],
      [{ rule: "pattern-removed" }, false],
      [{ rule: "dependency-removed" }, false],
      [{ rule: "member-optional", moved: "demoted" }, true],
    ] as const) {
      const change = changed(parts);
      expect(isRemoval(change)).toBe(needs);
      expect(passes(change, fileOf([acknowledges(change)]), options), JSON.stringify(parts)).toBe(!needs);
    }
  });
});

describe("a deprecation", () => {
  const file = fileOf([], [announced(), announced({ pointer: "/$defs/E/enum", value: "gone" })]);

  test("of what neither version has is idle", () => {
    const asked: unknown[] = [];
    const has = (pointer: string, value?: unknown): boolean => {
      asked.push([pointer, value]);
      return value === undefined;
    };
    const result = gate(driftFrom(), file, { has });
    expect(asked).toEqual([
      ["/$defs/A/properties/x", undefined],
      ["/$defs/E/enum", "gone"],
    ]);
    expect(result.idle).toEqual([file.deprecations[1]]);
    expect(totalOf([result]).passes).toBe(false);
    expect(told([result], file)).toEqual(["idle-deprecation 6:2 /deprecations/1/pointer"]);
    expect(totalOf([result, gate(driftFrom(), file, { has: () => true })]).passes).toBe(true);
  });

  test("is not judged where nobody can say what the versions have", () => {
    expect(gate(driftFrom(), file).idle).toEqual([]);
  });
});

test("a base whose release is none is refused, not passed", () => {
  const change = changed();
  expect(() => gate(driftFrom(change), fileOf([acknowledges(change)]), { release: "v1" })).toThrow(
    RangeError,
  );
});
