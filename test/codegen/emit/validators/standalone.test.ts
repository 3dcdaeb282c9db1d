/** The validators stand alone: no import, no code made at run time, in a folder where nothing else is. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleOf, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, scratchFolder, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { EXCUSED, ODD_DEFINITIONS } from "./odd-definitions.js";

const PLANS = [
  { name: "msp, stable", plan: () => planOfFile(MSP_SCHEMA, "stable") },
  { name: "msp, experimental", plan: () => planOfFile(MSP_SCHEMA) },
  { name: "depot", plan: () => planOfFile(DEPOT_SCHEMA) },
  { name: "workspace", plan: () => planOfFile(WORKSPACE_SCHEMA) },
  { name: "odd definitions", plan: () => planOf(bundleOf(ODD_DEFINITIONS), "experimental", EXCUSED) },
];

/** Words by which a module reaches outside or makes code, where they stand in the code rather than in its strings. */
function forbiddenWords(text: string): string[] {
  const code = text.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/^\/\/.*$/gm, "");
  return code.match(/(?<![\w$.])(?:import|require|Function|eval|globalThis|process)(?![\w$:])/g) ?? [];
}

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script beside the module alone, in a folder of its own, by a Node that makes no code from strings. */
function aside(module: string, script: string): Answer {
  const folder = scratchFolder();
  writeFileSync(join(folder, "validators.mjs"), module);
  expect(readdirSync(folder)).toEqual(["validators.mjs"]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script],
    { cwd: folder, encoding: "utf8", env: { PATH: process.env["PATH"] } },
  );
  return { code: status, stdout, stderr };
}

const STEER = `
import { is, methods, validateTurnSteerParams as v } from "./validators.mjs";
const params = (tokenBudget) => ({ commandId: "c", expectedTurnId: "t", input: [], sessionId: "s", tokenBudget });
const all = { all: true };
console.log(JSON.stringify([
  v(params(1)), v(params(0), all), is(v, params("1")), methods["turn/steer"].params(null),
  v({ ...params(2), input: [{ type: "text", text: 1 }] }),
]));
`;

describe("the text", () => {
  it.each(PLANS)("of $name imports nothing and makes no code", async ({ plan }) => {
    const text = await textOf(plan(), "validators", "validators.js");
    expect(forbiddenWords(text)).toEqual([]);
  });

  it.each([
    'import x from "./y.js";',
    'const equal=require("ajv/dist/runtime/equal");',
    'const f=new Function("return 1");',
    'const f=eval("1");',
    'const m=await import("x");',
  ])("would be refused with: %s", async (line) => {
    const text = await textOf(planOfFile(DEPOT_SCHEMA), "validators", "validators.js");
    expect(forbiddenWords(`${text}${line}\n`)).toHaveLength(1);
  });
});

describe("alone in a folder, where no code is made from strings", () => {
  it("the validators load and answer", async () => {
    const { code, stdout, stderr } = aside(
      await textOf(planOfFile(MSP_SCHEMA), "validators", "validators.js"),
      STEER,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      null,
      [{ instanceLocation: "/tokenBudget", keyword: "minimum", message: "must be at least 1" }],
      false,
      [{ instanceLocation: "", keyword: "type", message: "must be object" }],
      [{ instanceLocation: "/input/0/text", keyword: "type", message: "must be string" }],
    ]);
  });

  it("every keyword works: lengths, patterns, deep comparison, unions, recursion", async () => {
    const module = await textOf(
      planOf(bundleOf(ODD_DEFINITIONS), "experimental", EXCUSED),
      "validators",
      "validators.js",
    );
    const script = `
      import { definitions as d } from "./validators.mjs";
      const refused = (name, value) => d[name](value, { all: true })?.map((v) => v.keyword).join() ?? "";
      console.log(JSON.stringify([
        refused("LengthWithoutType", "\\u{1F600}"), refused("ConstObject", { k: [1, { deep: null }] }),
        refused("ConstObject", { k: [1, {}] }), refused("OverlapOne", 12), refused("Tree", [[["x"], { k: 1 }]]),
        refused("MixedEnum", { k: [1] }), refused("delete", { peer: { s: "xy" } }),
      ]));`;
    const { code, stdout, stderr } = aside(module, script);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(["minLength", "", "const", "oneOf", "type", "", "maxLength"]);
  });

  it.each([
    ["makes code", 'new Function("return 1")();', "EvalError"],
    ["evaluates", 'eval("1");', "EvalError"],
    ["imports what is not there", 'import "ajv";', "ERR_MODULE_NOT_FOUND"],
  ])("a module that %s would not load", async (_, line, error) => {
    const module = await textOf(planOfFile(MSP_SCHEMA), "validators", "validators.js");
    const { code, stdout, stderr } = aside(`${module}${line}\n`, STEER);
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain(error);
  });
});
