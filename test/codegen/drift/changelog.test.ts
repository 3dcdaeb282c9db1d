/** A fragment of a changelog: which group a change is in, and what is told of it. */
import { describe, expect, test } from "vitest";
import type { Change, Drift, PairingVerdict } from "../../../codegen/drift/change.js";
import { changelogOf } from "../../../codegen/drift/changelog.js";
import { acknowledges, announced, changed, driftFrom, fileOf } from "./made.js";

const NAMES = { from: "1.4.0", to: "2.0.0" };
const BROKEN: PairingVerdict = { verdict: "breaking", reason: "It is refused." };
const SOUND: PairingVerdict = { verdict: "none", reason: "Nobody has to do anything." };

/** The headings of the groups, each with the subjects below it. */
function groups(text: string): Record<string, string[]> {
  const out: Record<string, string[]> = {};
  let group = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("### ")) {
      group = line.slice(4);
      out[group] = [];
    } else if (line.startsWith("#### ")) out[group]?.push(line.slice(5));
  }
  return out;
}

const changelog = (drift: Drift, more: object = {}): string => changelogOf(drift, { ...NAMES, ...more });

test("each change is in one group, by whom it breaks", () => {
  const both = { "old-client-new-host": BROKEN, "new-client-old-host": BROKEN };
  const newer = { "old-client-new-host": SOUND, "new-client-old-host": BROKEN };
  const changes: Change[] = [
    changed({ subject: "old" }),
    changed({ subject: "both", pairings: both, breaks: ["old-client-new-host", "new-client-old-host"] }),
    changed({ subject: "newer", pairings: newer, breaks: ["new-client-old-host"] }),
    changed({ subject: "unknown", verdict: "unknown" }),
    changed({ subject: "additive", verdict: "additive" }),
    changed({ subject: "promoted", verdict: "additive", moved: "promoted" }),
    changed({ subject: "none", verdict: "none" }),
    changed({ subject: "hidden", surface: "experimental" }),
    changed({ subject: "demoted", moved: "demoted" }),
  ];
  expect(groups(changelog(driftFrom(...changes)))).toEqual({
    "Breaking: clients of 1.4.0 with hosts of 2.0.0, and clients of 2.0.0 with hosts of 1.4.0": ["`both`"],
    "Breaking: clients of 1.4.0 with hosts of 2.0.0": ["`old`", "`demoted` (demoted)"],
    "Breaking: clients of 2.0.0 with hosts of 1.4.0": ["`newer`"],
    "Not proved compatible": ["`unknown`"],
    Additive: ["`additive`", "`promoted` (promoted)"],
    "Without effect on messages": ["`none`"],
    Experimental: ["`hidden` (experimental)"],
  });
});

describe("of a change is told", () => {
  const change = changed({ before: { type: "string" }, after: { type: "integer" } });
  const text = changelog(driftFrom(change));

  test("its shape before and after, and the message that shows it", () => {
    const blocks = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)].map(
      ([, json = ""]) => JSON.parse(json) as unknown,
    );
    expect(blocks).toEqual([change.before, change.after, change.witness?.value]);
    expect(text).toContain("refused at `/y` by `required`");
  });

  test("what to do, by which rule, where, and under which id", () => {
    expect(text).toContain("What to do: Mark it as deprecated first");
    expect(text).toContain("`member-removed` at `/$defs/A/properties/x`, change `0123456789abcdef`.");
  });

  test("why it was made, where that is acknowledged, window or not", () => {
    const acknowledgments = fileOf([acknowledges(change)], [announced()]);
    const told = changelog(driftFrom(change), { acknowledgments });
    expect(told).toContain("Acknowledged for `2.0.0` (\\#12; to act: clients): Nobody used it any more.");
    expect(text).not.toContain("cknowledged");
    const other = changed({ id: "f".repeat(16) });
    expect(changelog(driftFrom(other), { acknowledgments })).not.toContain("cknowledged");
  });

  test("a long shape on demand", () => {
    const before = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`m${i}`, i]));
    const told = changelog(driftFrom(changed({ before })));
    expect(told).toContain("<summary>Before</summary>");
    expect(text).not.toContain("<summary>");
  });
});

test("what is said of nobody is on demand", () => {
  const text = changelog(driftFrom(changed({ verdict: "additive" }), changed({ verdict: "additive" })));
  expect(text).toMatch(/### Additive\n\n<details>\n<summary>2 changes<\/summary>\n/);
  expect(text.match(/<details>/g)).toHaveLength(1);
  expect(text.match(/<\/details>/g)).toHaveLength(1);
});

test("an old host that refuses what is new is told of an additive change", () => {
  const pairings = {
    "old-client-new-host": { verdict: "additive", reason: "It is taken." },
    "new-client-old-host": { verdict: "additive", reason: "An old host refuses it.", refusedBy: "old-host" },
  } as const;
  const text = changelog(driftFrom(changed({ verdict: "additive", pairings })));
  expect(text).toContain("An old host refuses it.");
  expect(text).not.toContain("It is taken.");
});

test("the next version and what may be renamed are told", () => {
  const drift: Drift = { ...driftFrom(changed()), hints: [{ kind: "renamed", from: "/a", to: "/b" }] };
  const text = changelog(drift, { nextVersion: "2.0.0" });
  expect(text).toContain("The next version is `2.0.0` or later.");
  expect(text).toContain("### Perhaps renamed\n\n- /b may be /a under another name\n");
});

test("that nothing changed is said", () => {
  expect(changelog(driftFrom())).toBe("## From 1.4.0 to 2.0.0\n\nNothing changed.\n");
});

test("no text of a bundle becomes markup", () => {
  const evil = "<script>`|\n# x";
  const change = changed({
    subject: evil,
    before: { description: "```\n</details><script>" },
    pairings: { "old-client-new-host": { verdict: "breaking", reason: evil }, "new-client-old-host": SOUND },
  });
  const text = changelogOf(driftFrom(change), { from: evil, to: evil });
  expect(text.replaceAll("</code>", "")).not.toMatch(/<\/|^# x/m);
  expect(text.replace(/```json[\s\S]*?\n```/g, "")).not.toContain("<script");
  expect(groups(text)).toHaveProperty(Object.keys(groups(text))[0] ?? "", [
    expect.stringContaining("<code>"),
  ]);
});
