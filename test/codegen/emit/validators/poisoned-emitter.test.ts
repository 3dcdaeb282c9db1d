/** The oracle can fail: each way in which a compiler of schemas goes wrong makes it report a disagreement. */
import { describe, expect, it } from "vitest";
import type { SurfacePlan } from "../../../../codegen/index.js";
import {
  bundleOf,
  loadModule,
  planOf,
  planOfFile,
  textOf,
  type Validators,
} from "../../../support/compile.js";
import { compare, oracleOf, type Report } from "../../../support/oracle.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { EXCUSED, ODD_DEFINITIONS } from "./odd-definitions.js";

interface Poison {
  readonly what: string;
  /** A definition that must be caught. */
  readonly definition: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** Runs the oracle over validators whose text was changed, and over the text as it is. */
async function runs(
  plan: SurfacePlan,
  { what, definition, from, to }: Poison,
  rounds = 300,
): Promise<{ readonly clean: Report; readonly poisoned: Report }> {
  const text = await textOf(plan, "validators");
  const changed = text.replace(from, to);
  expect(changed, what).not.toBe(text);
  const oracle = await oracleOf(plan, [definition]);
  const options = { rounds, seed: 7, only: [definition] };
  const run = async (source: string): Promise<Report> =>
    compare(plan, (await loadModule(source)) as Validators, oracle, options);
  return { clean: await run(text), poisoned: await run(changed) };
}

function caught({ clean, poisoned }: { clean: Report; poisoned: Report }): void {
  expect(clean.disagreements).toEqual([]);
  expect(clean.values).toBeGreaterThan(300);
  expect(poisoned.values).toBe(clean.values);
  expect(poisoned.disagreements.length).toBeGreaterThan(0);
}

const DEPOT_POISONS: readonly Poison[] = [
  {
    what: "an open enum is closed",
    definition: "MoveResult",
    from: 'typeof x2!=="string"&&K(c,p+"/status"',
    to: 'x2!=="accepted"&&x2!=="planned"&&K(c,p+"/status"',
  },
  {
    what: "a closed enum is open",
    definition: "Priority",
    from: 'if(v!=="low"&&v!=="high"&&v!=="urgent"&&',
    to: 'if(typeof v!=="string"&&',
  },
  {
    what: "an optional member is required",
    definition: "MoveParams",
    from: "const x6=v.note;if(x6!==undefined){",
    to: 'const x6=v.note;if(x6===undefined){if(K(c,p,"required","note"))return!1}else{',
  },
  {
    what: "a required member is optional",
    definition: "ConfirmResult",
    from: 'if(x0===undefined){if(K(c,p,"required","yes"))return!1}else{',
    to: "if(x0!==undefined){",
  },
  { what: "a lower bound is dropped", definition: "FindParams", from: "x1<1&&", to: "false&&" },
  { what: "an upper bound is dropped", definition: "FindParams", from: "x1>500&&", to: "false&&" },
  { what: "a bound is one off", definition: "FindParams", from: "x1>500&&", to: "x1>=500&&" },
  { what: "an exact length is one off", definition: "Place", from: "L(x0)>40&&", to: "L(x0)>39&&" },
  { what: "length is in UTF-16 units", definition: "Place", from: /const L=.*;/, to: "const L=s=>s.length;" },
  { what: "too few elements pass", definition: "MoveParams", from: /x0\.length<1&&/g, to: "false&&" },
  { what: "elements are not looked at", definition: "Filter", from: "x0<v.length;", to: "x0<0;" },
  {
    what: "the values of a map are not looked at",
    definition: "Stocktake",
    from: "for(const x1 in x0){",
    to: "for(const x1 in {}){",
  },
  { what: "a pattern is dropped", definition: "Sku", from: /!r0\.test\(v\)&&/g, to: "false&&" },
  { what: "a constant is dropped", definition: "FindResult", from: "x4!==2&&", to: "false&&" },
  { what: "a value of a mixed enum is lost", definition: "FindResult", from: "&&x5!==null", to: "" },
  {
    what: "an integer may have a fraction",
    definition: "Quantity",
    from: "!Number.isInteger(v)",
    to: "!Number.isFinite(v)",
  },
  {
    what: "a number may be infinite",
    definition: "Money",
    from: "!Number.isFinite(v)",
    to: 'typeof v!=="number"',
  },
  { what: "null is refused where it may be", definition: "Article", from: "x9!==null&&", to: "" },
  {
    what: "an arm of a closed union is lost",
    definition: "Target",
    from: 'case "depot":{',
    to: 'case "depot?":{',
  },
  {
    what: "an unknown tag passes a closed union",
    definition: "Target",
    from: /default:if\(v\.to===undefined.*$/m,
    to: "}",
  },
  {
    what: "a known tag falls to the catch-all",
    definition: "Event",
    from: 'case "arrived":{',
    to: 'case "arrived?":{',
  },
  {
    what: "an unknown tag is refused by an open union",
    definition: "Event",
    from: "switch(v.what){",
    to: 'if(v.what!=="arrived"&&v.what!=="closed")return!1;switch(v.what){',
  },
  {
    what: "a dependency is dropped",
    definition: "Article",
    from: "if(v.height!==undefined&&v.width===undefined&&",
    to: "if(false&&",
  },
  {
    what: "an unknown member is refused",
    definition: "PingResult",
    from: /(function f14\(v,c,p\)\{\n.*\n)/,
    to: "$1for(const k in v)return!1;\n",
  },
];

const ODD_POISONS: readonly Poison[] = [
  {
    what: "inherited members count",
    definition: "Names",
    from: "Object.hasOwn(v,k)?v[k]:undefined",
    to: "v[k]",
  },
  {
    what: "objects are compared by identity",
    definition: "ConstObject",
    from: /const Q=(.|\n)*?;\nconst J/,
    to: "const Q=(a,b)=>a===b;\nconst J",
  },
  { what: "exactly one arm becomes any arm", definition: "OverlapOne", from: /\)!==1&&K/g, to: ")===0&&K" },
];

const MSP_POISONS: readonly Poison[] = [
  {
    what: "the bound of a budget is dropped",
    definition: "TurnSteerParams",
    from: /x\d+<1&&K\(c,p\+"\/tokenBudget"/g,
    to: 'false&&K(c,p+"/tokenBudget"',
  },
  {
    what: "a required member is optional",
    definition: "TurnStartParams",
    from: /if\((x\d+)===undefined\)\{if\(K\(c,p,"required","commandId"\)\)return!1\}else\{/g,
    to: "if($1!==undefined){",
  },
  {
    what: "an arm of a union is lost",
    definition: "SessionMcpServerConfig",
    from: 'case "stdio":{',
    to: 'case "stdio?":{',
  },
];

describe("a poisoned emitter is caught", () => {
  const depot = planOfFile(DEPOT_SCHEMA);
  it.each(DEPOT_POISONS)("$what", async (poison) => caught(await runs(depot, poison)));

  const odd = planOf(bundleOf(ODD_DEFINITIONS), "experimental", EXCUSED);
  it.each(ODD_POISONS)("$what", async (poison) => caught(await runs(odd, poison)));
});

describe("a poisoned emitter is caught on the whole protocol", () => {
  const msp = planOfFile(MSP_SCHEMA);
  it.each(MSP_POISONS)("$what", async (poison) => caught(await runs(msp, poison)));
});

describe("a refusal without sense is caught", () => {
  it("where it gives no reason", async () => {
    const { poisoned } = await runs(planOfFile(DEPOT_SCHEMA), {
      what: "a collector that loses what it has",
      definition: "Article",
      from: "return c.found}",
      to: "return[]}",
    });
    expect(poisoned.disagreements).toEqual([]);
    expect(poisoned.incoherent.length).toBeGreaterThan(0);
  });

  it("where a violation stands at no part of the value", async () => {
    const { poisoned } = await runs(planOfFile(DEPOT_SCHEMA), {
      what: "a pointer that is not escaped",
      definition: "Stocktake",
      from: /const T=.*;/,
      to: "const T=k=>k;",
    });
    expect(poisoned.disagreements).toEqual([]);
    expect(poisoned.incoherent.length).toBeGreaterThan(0);
  });
});
