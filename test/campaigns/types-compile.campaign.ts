/**
 * The whole output, compiled as its users compile it: strictly, with the declaration files checked, in a folder that
 * has the output and fast-check, under the oldest and the newest TypeScript that are supported and the one between.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { generate, SURFACES } from "../../codegen/index.js";
import { DEPOT_SCHEMA, hasReference, MSP_SCHEMA, REFERENCE, scratchFolder } from "../support/repo.js";
import { type Compiler, check, linkPackages, tsc } from "../support/typescript.js";

// Whole compilers run here, beside whatever else the machine does.
vi.setConfig({ testTimeout: 300_000 });

/** TypeScript files of one surface: types, client, server, and the declarations of validators, tables and arbitraries. */
const FILES = 6;

/** A bundle's both surfaces, written to `folder/name`. */
async function write(schema: string, folder: string, name: string): Promise<readonly string[]> {
  const { findings, surfaces } = await generate({ schema, out: join(folder, name) });
  expect(findings.sorted().filter(({ severity }) => severity === "error")).toEqual([]);
  expect(surfaces.map(({ protocol }) => protocol.surface)).toEqual([...SURFACES]);
  return surfaces.map(({ fingerprint }) => fingerprint.fingerprint);
}

/** The TypeScript files below a folder. */
function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
}

/** Uses all of the output together, and holds the settings to what they are meant to be. */
const CONSUMER = `
import { methods } from "./msp/stable/tables.js";
import type { MethodName, TurnSteerParams } from "./msp/stable/types.js";
import { is, validateTurnSteerParams } from "./msp/stable/validators.js";
import { isEventArrived, type Event_ } from "./depot/experimental/types.js";
import * as experimental from "./msp/experimental/validators.js";
import type { MoveParams } from "./depot/stable/types.js";
import { validateMoveParams } from "./depot/stable/validators.js";

export function steer(value: unknown): TurnSteerParams | undefined {
  return is(validateTurnSteerParams, value) ? value : undefined;
}
export const name: MethodName = "turn/steer";
export const kind: "command" = methods[name].kind;
export const first = (event: Event_): string | undefined => isEventArrived(event) ? event.lines[0]?.sku : undefined;
export const move = (value: unknown): value is MoveParams => is(validateMoveParams, value);
export const all: readonly experimental.Violation[] | null = experimental.validateTurnSteerParams({}, { all: true });

// @ts-expect-error exactOptionalPropertyTypes
export const exact: MoveParams = { lines: [], target: { to: "depot", name: "x" }, note: undefined };
declare const places: string[];
// @ts-expect-error noUncheckedIndexedAccess
export const unchecked: string = places[0];
// @ts-expect-error no types but the language's own
export const platform = process.env;
// @ts-expect-error no document
export const page = document;
`;

const COMMON = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: false,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  target: "ES2022",
  lib: ["ES2022"],
  types: [],
  noEmit: true,
};

/** Ways to find modules: what Node does, and what bundlers do. */
const RESOLUTIONS = {
  nodenext: { module: "NodeNext", moduleResolution: "NodeNext" },
  bundler: { module: "ESNext", moduleResolution: "Bundler" },
};

/** The error of a declaration file that is put beside the output, so that the silence about the rest means something. */
const WRONG = { text: "export declare const wrong: Missing;\n", line: 1, code: 2304 };

/** Writes the output of both protocols and a program that uses it, and of the reference surface where it is there. */
async function writeOutput(folder: string): Promise<void> {
  await write(MSP_SCHEMA, folder, "msp");
  await write(DEPOT_SCHEMA, folder, "depot");
  if (hasReference) await write(join(REFERENCE, "surface.json"), folder, "reference");
  expect(sources(folder)).toHaveLength((hasReference ? 3 : 2) * 2 * FILES);
  writeFileSync(join(folder, "consumer.ts"), CONSUMER);
}

/** Lays out two good projects and one whose declaration file has an error, and compiles them in one run. */
async function compileWith(compiler: Compiler, more: object): Promise<void> {
  const folder = scratchFolder();
  await writeOutput(join(folder, "output"));
  linkPackages(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const project = (name: string, resolution: object, include: string): void => {
    mkdirSync(join(folder, name));
    const config = { compilerOptions: { ...COMMON, ...more, ...resolution }, include: [include] };
    writeFileSync(join(folder, name, "tsconfig.json"), JSON.stringify(config));
  };
  for (const [name, resolution] of Object.entries(RESOLUTIONS)) project(name, resolution, "../output");
  project("broken", RESOLUTIONS.nodenext, ".");
  writeFileSync(join(folder, "broken/wrong.d.ts"), WRONG.text);
  const projects = [...Object.keys(RESOLUTIONS), "broken"];
  const { code, output } = await tsc(
    compiler,
    ["--build", "--force", "--pretty", "false", ...projects],
    folder,
  );
  expect(output.trim().split("\n")).toEqual([
    `broken/wrong.d.ts(${WRONG.line},29): error TS${WRONG.code}: Cannot find name 'Missing'.`,
  ]);
  expect(code).not.toBe(0);
}

/** The TypeScript files below a folder, with their texts. */
function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(sources(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("TypeScript 5.4 compiles the output", () => compileWith("typescript-5-4", {}));

test("TypeScript 7 compiles the output", () => compileWith("typescript-7", { erasableSyntaxOnly: true }));

test("TypeScript 5.9 compiles the output", async () => {
  const folder = scratchFolder();
  await writeOutput(folder);
  const problems = check({ ...textsIn(folder), "wrong.d.ts": WRONG.text });
  expect(problems).toMatchObject([{ file: "wrong.d.ts", line: WRONG.line, code: WRONG.code }]);
});

describe.skipIf(!hasReference)("every released bundle", () => {
  test("generates and compiles", async () => {
    const folder = scratchFolder();
    const releases = readdirSync(join(REFERENCE, "releases")).map((file) => file.replace(".json", ""));
    expect(releases).toHaveLength(8);
    const fingerprints = new Map<string, readonly string[]>();
    for (const release of releases) {
      fingerprints.set(release, await write(join(REFERENCE, "releases", `${release}.json`), folder, release));
    }
    const files = textsIn(folder);
    expect(Object.keys(files)).toHaveLength(8 * 2 * FILES);
    expect(check(files)).toEqual([]);
    // Two releases are one protocol; all others differ.
    expect(fingerprints.get("1.4.9")).toEqual(fingerprints.get("1.4.10"));
    expect(new Set([...fingerprints.values()].map(([stable]) => stable)).size).toBe(7);
  });
});
