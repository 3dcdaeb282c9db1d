/** The recipes hold, and notice a host that does otherwise. */
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, scratchFolder } from "../support/repo.js";

const GOLDEN = join(ROOT, "schema/msp/transcripts");
/** What there has to be. */
const PROMISED = [
  "answer-a-question",
  "approve-a-tool",
  "fingerprint-check",
  "first-turn",
  "resume-and-replay",
  "retry-without-double-submitting",
  "stop-the-right-turn",
  "survive-a-gap",
];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function recipes(words: readonly string[], transcripts = GOLDEN): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, MSPKIT_TRANSCRIPTS: transcripts };
    const script = [join(ROOT, "scripts/recipes.mjs"), ...words];
    execFile(process.execPath, script, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** A folder of golden sessions in which the host of one says something else. */
function poisoned(scenario: string, from: string, to: string): string {
  const root = join(scratchFolder(), "transcripts");
  cpSync(GOLDEN, root, { recursive: true });
  const file = join(root, scenario, "transcript.ndjson");
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findLastIndex((line) => line.startsWith('{"dir":"server"') && line.includes(from));
  expect(at).toBeGreaterThan(0);
  lines[at] = lines[at]!.replace(from, to);
  writeFileSync(file, lines.join("\n"));
  return root;
}

/** A change of a host's words as they stand in a file of frames. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

describe("the recipes", () => {
  it("are all there, and each is in the README with its command", async () => {
    const { code, stdout } = await recipes(["--list"]);
    expect(code).toBe(0);
    expect(stdout.trim().split("\n")).toEqual(PROMISED);
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const listed = [...readme.matchAll(/^\| \[([\w-]+)\]\(examples\/([\w-]+)\/main\.mjs\) \|/gm)];
    expect(listed.map(({ 1: name, 2: folder }) => [name, folder]).sort()).toEqual(
      PROMISED.map((name) => [name, name]),
    );
    const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    );
    expect(folders.map(({ name }) => name).sort()).toEqual([...PROMISED, "emitters"].sort());
  });

  it("hold", { timeout: 120_000 }, async () => {
    const { code, stdout, stderr } = await recipes([]);
    expect(stderr).toBe("");
    expect(stdout).toContain("\n8 of 8 recipes hold\n");
    expect(stdout).not.toContain("FAIL");
    expect(stdout.match(/^ok {2}/gm)?.length).toBeGreaterThan(60);
    expect(code).toBe(0);
  });

  it("an unknown name, or another word, is answered with the list", async () => {
    for (const words of [["--only", "nothing"], ["--only"], ["first-turn"], ["--list", "--only"]]) {
      const { code, stdout, stderr } = await recipes(words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      for (const name of PROMISED) expect(stderr).toContain(`  ${name}\n`);
    }
  });
});

/** By recipe: a session in which the host does otherwise, and the assertion that says so. */
const POISONS: readonly (readonly [
  recipe: string,
  scenario: string,
  from: string,
  to: string,
  says: string,
])[] = [
  [
    "retry-without-double-submitting",
    "goal-replayed",
    '"method":"item/completed"',
    '"method":"session/goalChanged"',
    "exactly one goal change folds",
  ],
  [
    "retry-without-double-submitting",
    "goal-replayed",
    '"status":"accepted","turnId":"0',
    '"status":"accepted","turnId":"1',
    "the recipe itself",
  ],
  [
    "retry-without-double-submitting",
    "goal-replayed",
    '"method":"turn/completed"',
    '"method":"turn/finished"',
    "waits for what will not come",
  ],
  [
    "retry-without-double-submitting",
    "queued-reject",
    '"reason":"deferred_start_failed"',
    '"reason":"missing_run"',
    "its entry retires as rejected",
  ],
  ["first-turn", "text-turn", '"terminal":"completed"', '"terminal":"failed"', "the turn ended well"],
  ["approve-a-tool", "approval-deny", '"status":"rejected"', '"status":"completed"', "did not run"],
  [
    "answer-a-question",
    "user-input-cancel",
    '"outcome":"cancelled"',
    '"outcome":"answered"',
    "a question that nobody answers",
  ],
  ["survive-a-gap", "gap-splice-fill", "silted up", "dried up", "the missing items"],
  ["resume-and-replay", "host-back-abandoned", '"reason":"abandoned"', '"reason":"missing_run"', "abandoned"],
  [
    "stop-the-right-turn",
    "interrupt-nothing",
    '"reason":"already_terminal"',
    '"reason":"missing_run"',
    "over cannot be stopped",
  ],
  [
    "fingerprint-check",
    "handshake-bare",
    '"fingerprint":"sha256:a',
    '"fingerprint":"sha256:b',
    "the recipe itself",
  ],
];

describe("a recipe notices a host that does otherwise", () => {
  it("each of them is shown to", () => {
    expect([...new Set(POISONS.map(([recipe]) => recipe))].sort()).toEqual(PROMISED);
  });

  it.each(POISONS)("%s, by %s: %s", { timeout: 60_000 }, async (recipe, scenario, from, to, says) => {
    const root = poisoned(scenario, quoted(from), quoted(to));
    const { code, stdout } = await recipes(["--only", recipe], root);
    expect(code).toBe(1);
    expect(stdout.split("\n").find((line) => line.startsWith("FAIL  "))).toContain(says);
    expect(stdout).toContain(`0 of 1 recipes hold; failed: ${recipe}\n`);
  });
});
