/** From a bundle to what the tests look at: its model, the text of a product, its validators. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  emitProducts,
  type Finding,
  Findings,
  type Loaded,
  loadSchemaText,
  type Product,
  planSurface,
  type RuleSettings,
  type Surface,
  type SurfacePlan,
} from "../../codegen/index.js";

/** One violation, as the generated validators tell it. */
export interface Violation {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly message: string;
}

/** A generated validator. */
export type Validate = (value: unknown, options?: { readonly all?: boolean }) => readonly Violation[] | null;

/** What a generated validators module exports. */
export interface Validators {
  readonly definitions: Readonly<Record<string, Validate>>;
  readonly methods: Readonly<Record<string, { readonly params?: Validate; readonly result: Validate }>>;
  readonly requests: Readonly<Record<string, { readonly params?: Validate; readonly result: Validate }>>;
  readonly notifications: Readonly<Record<string, Validate | undefined>>;
  readonly errors: Readonly<Record<string, Validate | undefined>>;
}

/** A bundle with these definitions and nothing else. */
export function bundleOf(defs: unknown, more: object = {}): string {
  return JSON.stringify(
    { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: defs, ...more },
    null,
    2,
  );
}

/** The findings of a bundle text, in order. */
export function findingsOf(text: string, rules: RuleSettings = {}): Finding[] {
  const findings = new Findings(rules);
  loadSchemaText(text, "bundle.json", findings);
  return findings.sorted();
}

/** A loaded bundle; an error among the findings fails the test. */
export function load(text: string, rules: RuleSettings = {}): Loaded {
  const findings = new Findings(rules);
  const loaded = loadSchemaText(text, "bundle.json", findings);
  if (loaded === undefined)
    throw new Error(
      findings
        .sorted()
        .map((f) => `${f.line}:${f.column} ${f.rule} ${f.message}`)
        .join("\n"),
    );
  return loaded;
}

/** The plan of a surface of a bundle text. */
export function planOf(
  text: string,
  surface: Surface = "experimental",
  rules: RuleSettings = {},
): SurfacePlan {
  const plan = planSurface(load(text, rules), surface, new Findings());
  if (plan === undefined) throw new Error("the surface cannot be told");
  return plan;
}

/** The same for a file. */
export function planOfFile(path: string, surface: Surface = "experimental"): SurfacePlan {
  return planOf(readFileSync(path, "utf8"), surface);
}

/** The text of one file of one product. */
export async function textOf(plan: SurfacePlan, product: Product, name?: string): Promise<string> {
  const files = await emitProducts(plan, [product]);
  return (name === undefined ? files[0] : files.find((file) => file.name === name))!.text;
}

/** The validators of a plan, loaded from their text. */
export async function validatorsOf(plan: SurfacePlan): Promise<Validators> {
  return loadModule(await textOf(plan, "validators")) as Promise<Validators>;
}

/** A module from its text, by way of a file: a stack trace then names a place that can be read. */
export async function loadModule(text: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-module-"));
  try {
    // Under this name the test runner takes it as it is; any other it would transform, at 50 times the cost.
    const path = join(folder, "node_modules/module.mjs");
    mkdirSync(dirname(path));
    writeFileSync(path, text);
    return await import(/* @vite-ignore */ pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
