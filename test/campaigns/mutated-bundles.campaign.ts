/** Whatever is done to a bundle, it is read or refused with places; nothing crashes, and what is read can be printed. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import { CannotEmit } from "../../codegen/diagnostics/finding.js";
import {
  emitProducts,
  Findings,
  type GeneratedFile,
  type Json,
  loadSchemaText,
  PRODUCTS,
  planSurface,
  type SurfacePlan,
} from "../../codegen/index.js";
import { DEPOT_SCHEMA } from "../support/repo.js";

type Place = { readonly holder: Json[] | Record<string, Json>; readonly key: string };

function places(value: Json, out: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return out;
  const holder = value as Record<string, Json>;
  for (const key of Object.keys(holder)) {
    out.push({ holder, key });
    places(holder[key]!, out);
  }
  return out;
}

const WORDS = [
  "",
  "type",
  "$ref",
  "#/$defs/Place",
  "#/$defs/__proto__",
  "experimental",
  "open",
  "object",
  "move",
  "ü",
];
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 1e300, [], {}, [[]], [{}], { "": null }),
  fc.constantFrom<Json>(
    { $ref: "#/$defs/Place" },
    { $ref: "#/$defs/Nope" },
    { type: "string" },
    { anyOf: [{}, {}] },
  ),
);

/** What is printed of a plan; where a product cannot be made, that is told with a place of the bundle. */
async function printed(plan: SurfacePlan): Promise<readonly GeneratedFile[]> {
  const out: GeneratedFile[] = [];
  for (const product of PRODUCTS) {
    try {
      out.push(...(await emitProducts(plan, [product])));
    } catch (error) {
      if (!(error instanceof CannotEmit)) throw error;
      expect(error.pointer).toMatch(/^\/\$defs\//);
      expect(error.product).toBe("arbitraries");
    }
  }
  return out;
}

/** What to do at one place: put something, remove it, rename it, or put another part of the bundle there. */
const change = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  what: fc.constantFrom("put", "remove", "rename", "copy"),
  value,
  name: fc.constantFrom(...WORDS, "enum", "required", "x-msp-stability", "x-msp-role", "x-note", "__proto__"),
});

function mutate(
  text: string,
  changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
): string {
  const root = JSON.parse(text) as Json;
  for (const { at, from, what, value: put, name } of changes) {
    const all = places(root);
    if (all.length === 0) break;
    const { holder, key } = all[at % all.length]!;
    const other = all[from % all.length]!;
    const target = holder as Record<string, Json>;
    const set = (k: string, v: Json): void =>
      void Object.defineProperty(target, k, {
        value: v,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    if (what === "put") set(key, put);
    else if (what === "copy") set(key, structuredClone((other.holder as Record<string, Json>)[other.key]!));
    else if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else {
      if (what === "rename") set(name, target[key]!);
      delete target[key];
    }
  }
  return JSON.stringify(root, null, 1);
}

function syntaxErrors(name: string, text: string): readonly unknown[] {
  const result = ts.transpileModule(text, {
    fileName: name.replace(".d.ts", ".ts"),
    reportDiagnostics: true,
  });
  return (result.diagnostics ?? []).map(({ messageText }) => messageText);
}

test("a changed bundle is read or refused, and never crashes", async () => {
  const depot = readFileSync(DEPOT_SCHEMA, "utf8");
  let read = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
      const findings = new Findings();
      const text = mutate(depot, changes);
      const loaded = loadSchemaText(text, "depot.json", findings);
      const lines = text.split("\n").length;
      for (const { line, column, message } of findings.sorted()) {
        expect(line).toBeLessThanOrEqual(lines);
        expect(column).toBeGreaterThan(0);
        expect(message).not.toMatch(/\bundefined\b|\[object/);
      }
      expect(loaded === undefined).toBe(findings.hasErrors);
      if (loaded === undefined) {
        refused++;
        return;
      }
      read++;
      for (const surface of ["stable", "experimental"] as const) {
        const plan = planSurface(loaded, surface, findings)!;
        for (const { name, text: output } of await printed(plan)) {
          expect(output.length).toBeGreaterThan(0);
          if (name.endsWith(".json")) JSON.parse(output);
          else if (/\.[jt]s$/.test(name)) expect(syntaxErrors(name, output)).toEqual([]);
        }
      }
    }),
    { numRuns: 250, seed: 20261129 },
  );
  expect(read).toBeGreaterThan(30);
  expect(refused).toBeGreaterThan(30);
});
