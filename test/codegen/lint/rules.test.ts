import { relative } from "node:path";
import { describe, expect, test } from "vitest";
import { type Finding, rules } from "../../../codegen/index.js";
import { findingsOf } from "../../support/compile.js";
import { unmark } from "../../support/marked.js";
import { scratchFolder } from "../../support/repo.js";
import { TEXT_CASES } from "./cases.js";
import { WAITING, WORLD_CASES } from "./worlds.js";

describe("every rule has an input that breaks it and a near one that does not", () => {
  test.each(TEXT_CASES.map((given, i) => [given.rule, i, given] as const))(
    "%s (text %i)",
    (rule, _, given) => {
      const { text, places } = unmark(given.broken);
      const found = findingsOf(text).filter((finding) => finding.rule === rule);
      expect(found.map((f) => `${f.line}:${f.column} ${f.instanceLocation}`)).toEqual(
        places.map((place, i) => `${place} ${given.at[i]}`),
      );
      expect(places).toHaveLength(given.at.length);
      const { text: fine } = unmark(given.fine);
      expect(findingsOf(fine).filter((f) => f.rule === rule || f.severity === "error")).toEqual([]);
    },
  );

  test.each(WORLD_CASES.map((given, i) => [given.rule, i, given] as const))(
    "%s (surroundings %i)",
    async (rule, _, given) => {
      const folder = scratchFolder();
      const places = (await given.broken(folder))
        .filter((f: Finding) => f.rule === rule)
        .map((f) => `${relative(folder, f.file)}:${f.line}:${f.column} ${f.instanceLocation}`);
      expect(places).toEqual(given.at);
      const fine = await given.fine(scratchFolder());
      expect(fine.filter((f) => f.rule === rule)).toEqual([]);
    },
  );

  test("no rule is without cases", () => {
    const covered = new Set<string>([...TEXT_CASES, ...WORLD_CASES].map(({ rule }) => rule));
    expect(Object.keys(rules).filter((id) => !covered.has(id))).toEqual(WAITING);
  });

  test("a rule's severity can be set, and a place excused, where the rule is not needed", () => {
    const { text } = unmark(TEXT_CASES.find(({ rule }) => rule === "unknown-keyword")!.broken);
    const pointer = "/$defs/A/minLenght";
    const excused = { excuses: [{ rule: "unknown-keyword", pointer, reason: "Known." }] } as const;
    const severity = (settings: Parameters<typeof findingsOf>[1]): string | undefined =>
      findingsOf(text, settings).find(({ rule }) => rule === "unknown-keyword")?.severity;
    expect(severity({})).toBe("error");
    expect(severity({ severities: { "unknown-keyword": "warning" } })).toBe("warning");
    expect(severity({ severities: { "unknown-keyword": "off" } })).toBeUndefined();
    expect(severity(excused)).toBeUndefined();
    expect(severity({ excuses: [{ ...excused.excuses[0], pointer: "/$defs/B" }] })).toBe("error");
  });
});
