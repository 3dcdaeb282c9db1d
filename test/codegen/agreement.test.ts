/** One law binds the products: the server and the types accept what the arbitraries call valid, and nothing else. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Surface } from "../../codegen/index.js";
import { bindingsOf } from "../support/bindings.js";
import { planOfFile, textOf } from "../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../support/repo.js";
import { arbitrariesOf } from "../support/samples.js";
import { gatesAgree, serverAgrees, typeProgram } from "../support/server-agreement.js";
import { check } from "../support/typescript.js";

const SURFACES: readonly Surface[] = ["stable", "experimental"];
const BUNDLES = [
  ["MSP", MSP_SCHEMA],
  ["depot", DEPOT_SCHEMA],
  ["workspace", WORKSPACE_SCHEMA],
] as const;
const RUNS = 25;

/** Without unknown members: the types of literals refuse these, as the protocol does not. */
const known = (text: string): string => text.replace("model.push([UNKNOWN, OTHERS.array])", "void UNKNOWN");

describe.each(BUNDLES)("%s", (_, schema) => {
  it.each(SURFACES)(
    "the server handles what is valid and refuses what is not, for its own reason: %s",
    async (surface) => {
      const plan = planOfFile(schema, surface);
      const { broken, counts } = await serverAgrees(await bindingsOf(plan), await arbitrariesOf(plan), RUNS);
      expect(broken).toEqual([]);
      const withParams = plan.protocol.methods
        .filter(({ params }) => params !== undefined)
        .map(({ name }) => name);
      expect(Object.keys(counts)).toHaveLength(plan.protocol.methods.length);
      expect(
        withParams.filter((name) => counts[name]!.handled < RUNS || counts[name]!.refused < RUNS),
      ).toEqual([]);
    },
  );

  it.each(SURFACES)("samples compile as their types: %s", async (surface) => {
    const plan = planOfFile(schema, surface);
    const arbitraries = await arbitrariesOf(plan, known);
    const { program, lines } = typeProgram(await bindingsOf(plan), arbitraries, 2);
    const types = await textOf(plan, "types");
    expect(lines).toBe(plan.protocol.definitions.size * 2);
    expect(check({ "types.ts": types, "program.ts": program })).toEqual([]);
  });

  // Of a bundle in which all is stable there is nothing that a stable peer may not send.
  const marked = readFileSync(schema, "utf8").includes('"x-msp-stability"');
  it.runIf(marked)(
    "what a stable peer may not send is refused by the server and never drawn for it",
    async () => {
      const plan = planOfFile(schema, "experimental");
      const stable = await arbitrariesOf(planOfFile(schema, "stable"));
      const { broken, refused, handled } = await gatesAgree(
        await bindingsOf(plan),
        await arbitrariesOf(plan),
        stable,
        60,
      );
      expect(broken).toEqual([]);
      expect(refused).toBeGreaterThan(20);
      expect(handled).toBeGreaterThan(100);
    },
  );
});

describe("the law is broken by", () => {
  const plan = planOfFile(DEPOT_SCHEMA);

  it("a validator that forgets a bound, in the server", async () => {
    const bindings = await bindingsOf(plan, {
      validators: (text) => text.replace(/if\(L\(\w+\)>200&&[^\n]*\n/, ""),
    });
    expect((await serverAgrees(bindings, await arbitrariesOf(plan), 200)).broken.length).toBeGreaterThan(0);
  });

  it.each([
    [
      "an open enum that is closed",
      /"hall" \| "shelf" \| "bin" \| \(string & \{\}\)/,
      '"hall" | "shelf" | "bin"',
    ],
    ["an optional member that is required", "note?: string", "note: string"],
    ["a union arm that is lost", "TargetPlace | TargetDepot", "TargetPlace"],
  ])("%s, in the types", async (_, what, by) => {
    const types = await textOf(plan, "types");
    const poisoned = types.replace(what, by);
    expect(poisoned).not.toBe(types);
    const { program } = typeProgram(await bindingsOf(plan), await arbitrariesOf(plan, known), 20);
    expect(check({ "types.ts": types, "program.ts": program })).toEqual([]);
    expect(check({ "types.ts": poisoned, "program.ts": program }).length).toBeGreaterThan(0);
  });

  it("a gate that is gone", async () => {
    const stable = await arbitrariesOf(planOfFile(DEPOT_SCHEMA, "stable"));
    const bindings = await bindingsOf(plan, {
      server: (text) => text.replace(/"move\.dryRun"/g, "undefined as never"),
    });
    const { broken } = await gatesAgree(bindings, await arbitrariesOf(plan), stable, 60);
    expect(broken.length).toBeGreaterThan(0);
  });
});
