/** The golden sessions in schema/msp/transcripts are what scripts/transcripts writes, and keep what the protocol promises. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { protocol } from "../../generated/msp/stable/tables.js";
import { hasReference, REFERENCE, ROOT } from "../support/repo.js";
import { type Finding, findingsOf, type Line, RULES } from "./transcript-rules.js";

const FOLDER = join(ROOT, "schema/msp/transcripts");
const { transcriptFiles } = (await import(pathToFileURL(join(ROOT, "scripts/transcripts/all.mjs")).href)) as {
  transcriptFiles: () => ReadonlyMap<string, string>;
};
const written = transcriptFiles();

/** Methods that no bundle has, used on purpose. */
const UNKNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  "unknown-vocabulary": new Set(["session/weatherChanged"]),
  "unknown-method": new Set(["orchard/prune"]),
};
/** What there has to be. */
const PROMISED = [
  "handshake-usershell-granted",
  "handshake-usershell-not-granted",
  "handshake-bare",
  "session-start",
  "text-turn",
  "replayed-command",
  "command-conflict",
  "queued-launch",
  "queued-reject",
  "reclaim",
  "cancel-mid-turn",
  "approval-round-trip",
  "approval-deny",
  "user-input-round-trip",
  "user-input-cancel",
  "gap-splice-fill",
  "gap-reanchor",
  "goal-replayed",
  "host-lost",
  "host-back",
  "host-back-abandoned",
  "host-ephemeral",
  "framing-tolerance",
  "unknown-vocabulary",
];

const scenarios = [...new Set([...written.keys()].map((path) => path.split("/")[0]!))];

function textOf(scenario: string, file: string): string {
  const text = written.get(`${scenario}/${file}`);
  if (text === undefined) throw new Error(`no ${file} of ${scenario}`);
  return text;
}
const linesOf = (scenario: string): Line[] =>
  textOf(scenario, "transcript.ndjson")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text) as Line);

interface Manifest {
  readonly scenario: string;
  readonly fingerprint: string;
  readonly provenance: string;
  readonly source: readonly { readonly lines: string; readonly cite: string }[];
}
const manifestOf = (scenario: string): Manifest => JSON.parse(textOf(scenario, "manifest.json")) as Manifest;

function filesBelow(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((found) => found.isFile())
      .map((found) => join(found.parentPath, found.name))
      .map((path) => [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")]),
  );
}

test("the committed files are those that are written, byte for byte, and no others", () => {
  const committed = filesBelow(FOLDER);
  expect([...committed.keys()].sort()).toEqual([...written.keys()].sort());
  for (const [path, text] of written) expect(committed.get(path), path).toBe(text);
  expect(transcriptFiles(), "written twice").toEqual(written);
});

test("the promised scenarios are there", () => {
  expect(scenarios).toEqual(expect.arrayContaining(PROMISED));
});

describe.each(scenarios)("%s", (scenario) => {
  test("keeps every rule", () => {
    expect(findingsOf(linesOf(scenario), UNKNOWN[scenario])).toEqual([]);
  });

  test("has a manifest that speaks of each line once", () => {
    const manifest = manifestOf(scenario);
    expect(manifest.scenario).toBe(scenario);
    expect(manifest.fingerprint).toBe(protocol.fingerprints.stable);
    expect(manifest.provenance).toBe(scenario === "unknown-vocabulary" ? "sdk-tolerance" : "hand-authored");
    let line = 0;
    for (const { lines, cite } of manifest.source) {
      const [from, to = from] = lines.split("-").map(Number);
      expect(from).toBe(line + 1);
      line = to!;
      expect(cite).toMatch(/\.$/);
    }
    expect(line).toBe(linesOf(scenario).length);
  });

  test("shows no fingerprint but our own, so that no client takes the host for a real one", () => {
    const served = linesOf(scenario).flatMap(({ raw }) => raw.match(/sha256:[0-9a-f]{64}/g) ?? []);
    expect(new Set(served)).toEqual(new Set([protocol.fingerprints.stable]));
  });

  test("can be read line by line by readers that also split at other separators of lines", () => {
    expect(textOf(scenario, "transcript.ndjson")).not.toMatch(/[\u0085\u2028\u2029\v\f]/);
  });
});

test("the framing scenario has a carriage return at the end of each line of the client, and of no other", () => {
  for (const { dir, raw } of linesOf("framing-tolerance")) expect(raw.endsWith("\r")).toBe(dir === "client");
});

test("an approval is asked with the members of its event, cursor included", () => {
  let compared = 0;
  for (const scenario of scenarios) {
    const frames = linesOf(scenario).map(
      ({ raw }) => JSON.parse(raw) as { method?: string; params?: unknown },
    );
    for (const [event, request] of [
      ["approval/requested", "approval/request"],
      ["userInput/requested", "userInput/request"],
    ]) {
      const told = frames.find(({ method }) => method === event);
      const asked = frames.find(({ method }) => method === request);
      if (told === undefined) continue;
      expect(asked?.params, scenario).toEqual(told.params);
      compared++;
    }
  }
  expect(compared).toBeGreaterThanOrEqual(7);
});

type Frame = Record<string, unknown> & {
  id?: unknown;
  method?: string;
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  error: { code: number; data: Record<string, unknown> };
};

/** One way to spoil a scenario: the frames change, and the rule has to say so. */
type Poison = [rule: Finding["rule"], scenario: string, why: string, spoil: (frames: Frame[]) => unknown];

const at = (frames: Frame[], method: string, nth = 0): Frame =>
  frames.filter((frame) => frame.method === method)[nth]!;
const drop = (frames: Frame[], frame: Frame): unknown => frames.splice(frames.indexOf(frame), 1);
const answer = (frames: Frame[], to: Frame): Frame =>
  frames.find((frame) => frame.id === to.id && frame.method === undefined)!;

const POISONS: readonly Poison[] = [
  ["envelope", "text-turn", "another version", (f) => Object.assign(at(f, "turn/start"), { jsonrpc: "1.0" })],
  [
    "envelope",
    "text-turn",
    "no time of sending",
    (f) => Reflect.deleteProperty(at(f, "turn/started"), "emittedAtMs"),
  ],
  [
    "envelope",
    "approval-round-trip",
    "a host's id that is text",
    (f) => Object.assign(at(f, "approval/request"), { id: "1" }),
  ],
  [
    "unknown-method",
    "text-turn",
    "a word too many",
    (f) => Object.assign(at(f, "turn/started"), { method: "turn/begun" }),
  ],
  [
    "direction",
    "text-turn",
    "a client that tells events",
    (f) => (at(f, "initialized").method = "session/listChanged"),
  ],
  [
    "invalid",
    "text-turn",
    "params without a member",
    (f) => Reflect.deleteProperty(at(f, "turn/start").params, "input"),
  ],
  [
    "invalid",
    "text-turn",
    "a result without a member",
    (f) => Reflect.deleteProperty(answer(f, at(f, "turn/start")).result, "disposition"),
  ],
  [
    "invalid",
    "gap-splice-fill",
    "a wrong event in a page",
    (f) => {
      const { events } = answer(f, at(f, "view/page")).result as { events: Frame[] };
      Reflect.deleteProperty(events[0]!.params, "item");
    },
  ],
  [
    "error-row",
    "command-conflict",
    "another code",
    (f) => (f.find((frame) => frame.error !== undefined)!.error.code = -32_031),
  ],
  [
    "error-row",
    "unknown-method",
    "a kind of another row",
    (f) => (f.find((frame) => frame.error !== undefined)!.error.data["kind"] = "alreadyInitialized"),
  ],
  ["handshake", "text-turn", "no `initialized`", (f) => drop(f, at(f, "initialized"))],
  ["handshake", "text-turn", "no handshake", (f) => f.splice(0, 3)],
  ["response", "text-turn", "no answer", (f) => drop(f, answer(f, at(f, "turn/start")))],
  ["response", "text-turn", "two answers", (f) => f.push(answer(f, at(f, "turn/start")))],
  [
    "response",
    "text-turn",
    "an answer to text instead of a number",
    (f) => (answer(f, at(f, "turn/start")).id = "3"),
  ],
  [
    "response",
    "approval-round-trip",
    "no receipt",
    (f) => f.splice(f.indexOf(at(f, "approval/request")) + 1, 1),
  ],
  [
    "cursor",
    "text-turn",
    "two events under one cursor",
    (f) => (at(f, "item/delta", 1).params["viewCursor"] = at(f, "item/delta").params["viewCursor"]),
  ],
  [
    "cursor",
    "gap-splice-fill",
    "a page that tells another story",
    (f) => {
      const { events } = answer(f, at(f, "view/page", 1)).result as { events: Frame[] };
      (events.at(-1)!.params["item"] as Record<string, unknown>)["text"] = "Both ponds are dry.";
    },
  ],
  [
    "revision",
    "text-turn",
    "a completion at the revision of the beginning",
    (f) => ((at(f, "item/completed", 1).params["item"] as Record<string, unknown>)["revision"] = 1),
  ],
  ["deltas", "text-turn", "a lost delta", (f) => drop(f, at(f, "item/delta", 1))],
  [
    "deltas",
    "cancel-mid-turn",
    "output that is not what was appended",
    (f) => ((at(f, "item/completed", 2).params["item"] as Record<string, unknown>)["visibleOutput"] = ""),
  ],
  ["deltas", "text-turn", "text for an item that was never opened", (f) => drop(f, at(f, "item/started"))],
  [
    "ack",
    "replayed-command",
    "another answer the second time",
    (f) => (answer(f, at(f, "turn/start", 1)).result["startedNewTurn"] = false),
  ],
  [
    "ack",
    "replayed-command",
    "a replay with another payload",
    (f) => (at(f, "turn/start", 1).params["input"] = [{ type: "text", text: "Order three." }]),
  ],
  [
    "ack",
    "text-turn",
    "another id in the ack",
    (f) => (answer(f, at(f, "turn/start")).result["commandId"] = at(f, "session/start").params["commandId"]),
  ],
  [
    "ack",
    "queued-reject",
    "an ack that is taken back for no reason of a queue",
    (f) => (f.findLast((frame) => frame.error !== undefined)!.error.data["reason"] = "missing_run"),
  ],
  ["open-item", "cancel-mid-turn", "a call that is left open", (f) => drop(f, at(f, "item/completed", 2))],
  [
    "turn",
    "text-turn",
    "a turn that ends twice",
    (f) => {
      const last = structuredClone(at(f, "turn/completed"));
      last.params["viewCursor"] = `${String(last.params["viewCursor"])}1`;
      f.push(last);
    },
  ],
  [
    "turn",
    "queued-reject",
    "a failure without an error",
    (f) => Reflect.deleteProperty(at(f, "turn/completed", 1).params, "error"),
  ],
  [
    "turn",
    "reclaim",
    "a reclaimed turn that ends",
    (f) => (at(f, "turn/completed").params["turnId"] = at(f, "turn/unqueued").params["turnId"]),
  ],
];

describe("a rule catches what it is for", () => {
  test.each(POISONS)("%s in %s: %s", (rule, scenario, _, spoil) => {
    const lines = linesOf(scenario);
    const frames = lines.map(({ raw }) => JSON.parse(raw) as Frame);
    const dirs = new Map(frames.map((frame, index) => [frame, lines[index]!.dir]));
    spoil(frames);
    const spoilt = frames.map(
      (frame): Line => ({ dir: dirs.get(frame) ?? "server", raw: JSON.stringify(frame) }),
    );
    const found = findingsOf(spoilt, UNKNOWN[scenario]).map((finding) => finding.rule);
    expect(found).toContain(rule);
  });

  test("and each rule is shown", () => {
    expect(new Set(POISONS.map(([rule]) => rule))).toEqual(new Set(RULES));
  });

  test("a frame that is not JSON, or has a line feed, is no frame", () => {
    expect(findingsOf([{ dir: "client", raw: "{" }])).toContainEqual({ rule: "envelope", line: 1 });
    const [first] = linesOf("text-turn");
    expect(findingsOf([{ dir: "client", raw: `${first!.raw}\n` }])[0]).toEqual({ rule: "envelope", line: 1 });
  });
});

describe.skipIf(!hasReference)("beside the recordings of the protocol's owners", () => {
  test("no sentence is taken from them", () => {
    const sentences = (lines: readonly Line[]): Set<string> => {
      const found = new Set<string>();
      for (const { raw } of lines) {
        JSON.parse(raw, (_, value: unknown) => {
          if (typeof value === "string" && value.length > 15 && value.includes(" ")) found.add(value);
          return value;
        });
      }
      return found;
    };
    const theirs = sentences(
      [...filesBelow(join(REFERENCE, "transcripts"))]
        .filter(([path]) => path.endsWith(".ndjson"))
        .flatMap(([, text]) => text.trimEnd().split("\n"))
        .map((text) => JSON.parse(text) as Line),
    );
    expect(theirs.size).toBeGreaterThan(30);
    const ours = sentences(scenarios.flatMap(linesOf));
    expect(ours.size).toBeGreaterThan(60);
    expect([...ours].filter((sentence) => theirs.has(sentence))).toEqual([]);
  });
});
