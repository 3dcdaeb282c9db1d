/** For every rule that more than a bundle's text can break: surroundings that break it, and nearly the same that do not. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseFile } from "../../../codegen/bundle/read.js";
import { readAcknowledgments } from "../../../codegen/drift/acknowledgments.js";
import { gate, reportAcknowledgments } from "../../../codegen/drift/gate.js";
import {
  type Finding,
  Findings,
  generate,
  loadSchema,
  MAX_BUNDLE_BYTES,
  PRODUCTS,
  type RuleId,
  readBundle,
  readConfig,
  reportUnusedExcuses,
  ruleSettings,
  surfaceOf,
} from "../../../codegen/index.js";
import { mspkit } from "../../support/cli.js";
import { bundleText } from "../../support/marked.js";
import { acknowledges, announced, changed, driftFrom } from "../drift/made.js";

/** One rule; each function is given an empty folder and tells what was found. */
export interface WorldCase {
  readonly rule: RuleId;
  /** `FILE:LINE:COLUMN POINTER` of each finding, the file relative to the folder. */
  readonly at: readonly string[];
  readonly broken: (folder: string) => readonly Finding[] | Promise<readonly Finding[]>;
  readonly fine: (folder: string) => readonly Finding[] | Promise<readonly Finding[]>;
}

const PLAIN = bundleText('"$defs": { "A": { "type": "null" } }');

function reading(bytes: string | Buffer): (folder: string) => Finding[] {
  return (folder) => {
    const path = join(folder, "b.json");
    writeFileSync(path, bytes);
    const findings = new Findings();
    readBundle(path, findings);
    return findings.sorted();
  };
}

function readingPair(stable: string, experimental: string): (folder: string) => Finding[] {
  return (folder) => {
    for (const [name, text] of Object.entries({ stable, experimental })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "p.schema.json"), text);
    }
    const findings = new Findings();
    readBundle(folder, findings);
    return findings.sorted();
  };
}

function stableOfLone(text: string): (folder: string) => Finding[] {
  return (folder) => {
    writeFileSync(join(folder, "b.json"), text);
    writeFileSync(join(folder, "manifest.json"), '{ "experimental": true }');
    const findings = new Findings();
    const loaded = loadSchema(join(folder, "b.json"), findings);
    if (loaded !== undefined) surfaceOf(loaded, "stable", findings);
    return findings.sorted();
  };
}

function configured(config: string, schema = "b.json"): (folder: string) => Finding[] {
  return (folder) => {
    writeFileSync(join(folder, "b.json"), PLAIN);
    writeFileSync(join(folder, "other.json"), PLAIN);
    writeFileSync(join(folder, "mspkit.config.json"), config);
    const configFindings = new Findings();
    const read = readConfig(folder, configFindings);
    if (read === undefined) return configFindings.sorted();
    const path = join(folder, schema);
    const findings = new Findings(ruleSettings(read, path));
    loadSchema(path, findings);
    reportUnusedExcuses(read, findings);
    return findings.sorted();
  };
}

/** Generates the types of one surface, changes the folder, and compares. */
function checking(change: (out: string) => void): (folder: string) => Promise<readonly Finding[]> {
  return async (folder) => {
    const schema = join(folder, "b.json");
    writeFileSync(schema, PLAIN);
    const options = { schema, out: folder, surfaces: ["stable"], products: ["types"] } as const;
    await generate(options);
    change(join(folder, "stable"));
    return (await generate({ ...options, check: true })).findings.sorted();
  };
}

const REMOVAL = changed();
const MEANT = acknowledges(REMOVAL);

/** Holds a drift with one removal from 1.0.0 against the text of an acknowledgments file, one entry a line. */
function acknowledging(
  entries: readonly object[],
  notices: readonly object[],
): (folder: string) => Finding[] {
  return (folder) => {
    const rows = (list: readonly object[]): string => list.map((row) => JSON.stringify(row)).join(",\n");
    const path = join(folder, "a.json");
    writeFileSync(path, `{"acknowledgments":[\n${rows(entries)}],\n"deprecations":[\n${rows(notices)}]}`);
    const findings = new Findings();
    const source = parseFile(path, findings);
    const file = source === undefined ? undefined : readAcknowledgments(source, findings);
    if (source === undefined || file === undefined) return findings.sorted();
    const has = (pointer: string): boolean => pointer === REMOVAL.pointer;
    const result = gate(driftFrom(REMOVAL), file, { release: "1.0.0", has });
    reportAcknowledgments([result], file, source, findings);
    return findings.sorted();
  };
}

/** Compares one of two releases with the second. */
function againstSecond(head: string): (folder: string) => Promise<readonly Finding[]> {
  return async (folder) => {
    const surface = (names: readonly string[]): string =>
      bundleText(`"$defs": { "A": { "type": "object", "properties": {} } },
  "methods": { ${names.map((name) => `"${name}": { "result": { "$ref": "#/$defs/A" } }`).join(", ")} }`);
    writeFileSync(join(folder, "first.json"), surface(["m"]));
    writeFileSync(join(folder, "second.json"), surface(["m", "n"]));
    const rows = ["first", "second"].map((name, i) => ({ release: `0.${i}.0`, surface: `${name}.json` }));
    writeFileSync(join(folder, "table.json"), JSON.stringify(rows));
    const words = "diff --no-evidence --json --releases table.json --against release:0.1.0 --schema".split(
      " ",
    );
    const { stdout } = await mspkit([...words, head], { cwd: folder });
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
    return findings.map((finding) => ({ ...finding, file: join(folder, finding.file) }));
  };
}

const nothing = (): void => undefined;

/** Generates arbitraries for a string with a pattern. */
function drawing(pattern: string): (folder: string) => Promise<readonly Finding[]> {
  return async (folder) => {
    const schema = join(folder, "b.json");
    const node = JSON.stringify({ type: "string", pattern });
    writeFileSync(schema, bundleText(`"$defs": { "A": ${node} }`));
    const products = PRODUCTS.filter((product) => (product as string) === "arbitraries");
    return (await generate({ schema, out: folder, surfaces: ["stable"], products })).findings.sorted();
  };
}

/** Rules that only a product which is not made yet can break. */
export const WAITING: readonly RuleId[] = (PRODUCTS as readonly string[]).includes("arbitraries")
  ? []
  : ["cannot-emit"];

const excuse = (pointer: string): string =>
  JSON.stringify({ schema: "b.json", excuses: [{ pointer, rule: "unused-definition", reason: "Kept." }] });

const ALL_CASES: readonly WorldCase[] = [
  {
    rule: "cannot-emit",
    at: ["b.json:3:14 /$defs/A"],
    broken: drawing("^(a|b)\\1$"),
    fine: drawing("^(a|b)$"),
  },
  {
    rule: "bundle-too-large",
    at: ["b.json:1:1 "],
    broken: reading(Buffer.alloc(MAX_BUNDLE_BYTES + 1, " ")),
    fine: reading(PLAIN.padEnd(MAX_BUNDLE_BYTES)),
  },
  {
    rule: "invalid-utf8",
    // A replacement character that the text has itself is no damage.
    at: ["b.json:2:8 "],
    broken: reading(
      Buffer.concat([Buffer.from('{\n  "é\ufffd😀'), Buffer.from([0xff]), Buffer.from('":1}')]),
    ),
    fine: reading(Buffer.from('{\n  "é\ufffd😀":1}')),
  },
  {
    rule: "stable-surface-unknown",
    at: ["b.json:1:1 "],
    broken: stableOfLone(PLAIN),
    fine: stableOfLone(PLAIN.replace('"null"', '"null", "x-msp-stability": "experimental"')),
  },
  {
    rule: "pair-mismatch",
    at: ["experimental/p.schema.json:3:21 /$defs/A/type"],
    broken: readingPair(PLAIN.replace("null", "string"), PLAIN),
    fine: readingPair(PLAIN, PLAIN),
  },
  {
    rule: "invalid-config",
    at: ["mspkit.config.json:2:3 /sch~1ema"],
    broken: configured('{\n  "sch/ema": "b.json"\n}'),
    fine: configured('{\n  "schema": "b.json"\n}'),
  },
  {
    rule: "unused-excuse",
    at: ["mspkit.config.json:1:31 /excuses/0"],
    broken: configured(excuse("/$defs/B")),
    fine: configured(excuse("/$defs/A")),
  },
  {
    rule: "unused-excuse",
    at: ["mspkit.config.json:1:31 /excuses/0"],
    broken: configured(excuse("/$defs/B")),
    // Excuses are about the configuration's own schema.
    fine: configured(excuse("/$defs/B"), "other.json"),
  },
  {
    rule: "invalid-acknowledgments",
    at: ["a.json:2:2 /acknowledgments/0/because"],
    broken: acknowledging([{ because: "", ...MEANT }], [announced()]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "repeated-acknowledgment",
    at: ["a.json:3:2 /acknowledgments/1/change"],
    broken: acknowledging([MEANT, MEANT], [announced()]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "stale-acknowledgment",
    at: ["a.json:3:1 /acknowledgments/1"],
    broken: acknowledging([MEANT, { ...MEANT, change: "f".repeat(16) }], [announced()]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "mistaken-acknowledgment",
    at: ["a.json:2:30 /acknowledgments/0/pointer"],
    broken: acknowledging([{ ...MEANT, pointer: "/$defs/A" }], [announced()]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "removal-without-window",
    at: ["a.json:2:1 /acknowledgments/0"],
    broken: acknowledging([MEANT], [announced({ removableFrom: "2.0.1" })]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "idle-deprecation",
    at: ["a.json:5:2 /deprecations/1/pointer"],
    broken: acknowledging([MEANT], [announced(), announced({ pointer: "/$defs/Z" })]),
    fine: acknowledging([MEANT], [announced()]),
  },
  {
    rule: "schema-rolled-back",
    at: ["first.json:1:1 "],
    broken: againstSecond("first.json"),
    fine: againstSecond("second.json"),
  },
  {
    rule: "output-missing",
    at: ["stable/types.ts:1:1 "],
    broken: checking((out) => rmSync(join(out, "types.ts"))),
    fine: checking(nothing),
  },
  {
    rule: "output-changed",
    at: ["stable/types.ts:1:1 "],
    broken: checking((out) => appendFileSync(join(out, "types.ts"), "// mine\n")),
    fine: checking(nothing),
  },
  {
    rule: "output-not-owned",
    at: ["stable/types.ts:1:1 "],
    broken: checking((out) => {
      rmSync(join(out, "mspkit.manifest.json"));
      writeFileSync(join(out, "types.ts"), "export const mine = 1;\n");
    }),
    fine: checking((out) => writeFileSync(join(out, "mine.ts"), "export const mine = 1;\n")),
  },
  {
    rule: "output-extra",
    at: ["stable/old.ts:1:1 "],
    broken: checking((out) => {
      writeFileSync(join(out, "old.ts"), "old\n");
      writeFileSync(
        join(out, "mspkit.manifest.json"),
        JSON.stringify({ files: { "old.ts": { product: "types" }, "types.ts": { product: "types" } } }),
      );
    }),
    fine: checking((out) => writeFileSync(join(out, "old.ts"), "old\n")),
  },
];

/** The cases. */
export const WORLD_CASES = ALL_CASES.filter(({ rule }) => !WAITING.includes(rule));
