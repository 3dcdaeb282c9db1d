/** `mspkit emitter`: starts and checks an emitter of one's own. */
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Json, JsonObject } from "../../../codegen/bundle/json.js";
import { Findings, TroubleError } from "../../../codegen/diagnostics/finding.js";
import { planJson } from "../../../codegen/emit/plan-json.js";
import { planSurface } from "../../../codegen/generate.js";
import { loadSchema, loadSchemaText } from "../../../codegen/load.js";
import { SURFACES } from "../../../codegen/plan/plan.js";
import { type Command, EXIT, type Io, UsageError } from "../command.js";
import { type Emitter, loadEmitter } from "../emitter.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION } from "../settings.js";

export const emitterCommand: Command = {
  summary: "Start an emitter of your own (init), or hold one to what every emitter must do (check).",
  operands: "init [FILE] | check EMITTER",
  maxOperands: 2,
  options: { ...SCHEMA_OPTION },
  async run(given, io) {
    const [action, operand] = given.operands;
    if (action === "init") return init(operand ?? "emitter.mjs", io);
    if (action !== "check" || operand === undefined)
      throw new UsageError("emitter takes init [FILE] or check EMITTER");
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const loaded = loadSchema(settings.schema, settings.findings);
    if (loaded === undefined) return refuse(settings.findings, io);
    return check(await loadEmitter(operand, io.cwd), loaded.bundle.root, settings.schema, io);
  },
};

/** Writes a small emitter that works. */
function init(file: string, io: Io): number {
  const path = resolve(io.cwd, file);
  if (existsSync(path)) throw new TroubleError(file, "is there already");
  try {
    writeFileSync(path, STARTER);
  } catch (error) {
    throw new TroubleError(file, (error as Error).message);
  }
  io.err(`${file}: written. Try: mspkit generate --emitter ./${file} --only schema --out out\n`);
  return EXIT.fine;
}

const STARTER = `// An emitter: gets the plan of one surface (schema/plan.schema.json in the package of mspkit), answers files.
// mspkit generate --emitter ./emitter.mjs writes them beside its own; mspkit emitter check ./emitter.mjs tries it out.

/** @param {any} plan */
export default function emit({ header, names, model }) {
  const rows = Object.entries(model.methods).map(
    ([method, { kind, params, stability }]) =>
      \`| \${method} | \${kind} | \${params === undefined ? "" : names[params]} | \${stability ?? "stable"} |\\n\`,
  );
  const head = header.map((line) => \`<!-- \${line} -->\\n\`).join("");
  return { files: { "methods.md": \`\${head}\\n| method | kind | params | stability |\\n| --- | --- | --- | --- |\\n\${rows.join("")}\` } };
}
`;

/** One thing that every emitter must do. */
interface Trial {
  readonly what: string;
  holds(): Promise<boolean>;
}

/** Runs the emitter over the schema and over small ones; one line a trial. */
async function check(emitter: Emitter, root: JsonObject, path: string, io: Io): Promise<number> {
  const run = async (text: string): Promise<string> => {
    const loaded = loadSchemaText(text, path, new Findings());
    if (loaded === undefined) throw new TroubleError(path, "is refused once its keys are reordered");
    const outputs: Json[] = [];
    for (const surface of SURFACES) {
      const plan = planSurface(loaded, surface, new Findings());
      if (plan !== undefined)
        outputs.push(Object.entries(await emitter.emit(planJson(plan))).sort() as unknown as Json);
    }
    return JSON.stringify(outputs);
  };
  const text = JSON.stringify(root);
  const first = await run(text);
  const trials: Trial[] = [
    { what: "answers at least one file for the schema", holds: async () => /\[\[\["/.test(first) },
    { what: "answers the same bytes twice", holds: async () => (await run(text)) === first },
    {
      what: "answers the same bytes whatever the order of keys",
      holds: async () => (await run(JSON.stringify(reversed(root)))) === first,
    },
    {
      what: "marks its files, so that they are known again",
      holds: async () => unmarked(first).length === 0,
    },
    { what: "takes a protocol without any message", holds: () => survives(run, EMPTY) },
    { what: "takes names that are no identifiers", holds: () => survives(run, ODD) },
  ];
  let failed = 0;
  for (const { what, holds } of trials) {
    const held = await holds();
    if (!held) failed++;
    io.out(`${held ? "ok  " : "FAIL"}  ${what}\n`);
  }
  return failed === 0 ? EXIT.fine : EXIT.finding;
}

async function survives(run: (text: string) => Promise<string>, text: string): Promise<boolean> {
  try {
    await run(text);
    return true;
  } catch (error) {
    if (error instanceof TroubleError) return false;
    throw error;
  }
}

/** The files whose head does not tell where they come from. */
function unmarked(outputs: string): string[] {
  const surfaces = JSON.parse(outputs) as [string, string][][];
  return surfaces
    .flat()
    .flatMap(([name, text]) => (text.slice(0, 400).includes("Generated by mspkit") ? [] : [name]));
}

/** The same JSON with the members of every object in reverse. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

const DIALECT = '"$schema": "https://json-schema.org/draft/2020-12/schema"';
const EMPTY = `{${DIALECT}}`;
const ODD = `{${DIALECT}, "$defs": {
  "delete": {"type": "object", "properties": {"a b": {"type": "string"}, "class": {"$ref": "#/$defs/1st"}, "*/": {"type": "null"}}},
  "1st": {"type": "string", "enum": ["", "a b", "\\"quoted\\""], "x-msp-openness": "open"},
  "Error": {"type": "array", "items": {"$ref": "#/$defs/Error"}}
}}`;
