/** The bundle of the application: what is generated from it is current, and it names every reason that there is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Findings, generate, readConfig } from "../../../codegen/index.js";
import * as tables from "../../../generated/workspace/stable/tables.js";
import { REJECTIONS } from "../../../src/commands/index.js";
import { ROOT, scratchFolder, WORKSPACE_SCHEMA } from "../../support/repo.js";

const APP = join(ROOT, "examples/workspace-app");

/** The sources of the application. */
function sources(): string[] {
  return readdirSync(APP, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("the bundle of workspaces", () => {
  it("is what its generated code was made from", async () => {
    const findings = new Findings();
    const config = readConfig(join(ROOT, "schema/workspace/mspkit.config.json"), findings);
    expect(config).toMatchObject({ schema: WORKSPACE_SCHEMA, out: join(ROOT, "generated/workspace") });
    const options = { schema: WORKSPACE_SCHEMA, surfaces: config?.surfaces ?? [], check: true };
    const { surfaces, findings: found } = await generate({ ...options, out: config?.out ?? "" });
    expect(surfaces.map(({ protocol }) => protocol.surface)).toEqual(["stable"]);
    expect(found.sorted()).toEqual([]);
    // Of a folder that has nothing it is said.
    const { findings: stale } = await generate({ ...options, out: scratchFolder() });
    expect(stale.hasErrors).toBe(true);
  });

  it("names every reason of the application and of what carries commands out, for the methods that answer it", () => {
    const listed = new Map<string, { readonly definedBy: string; readonly methods?: readonly string[] }>(
      Object.entries(tables.rejections),
    );
    expect(Object.keys(REJECTIONS).filter((reason) => !listed.has(reason))).toEqual([]);
    const thrown = sources().flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/(?:rejected|refused|rejection)\(\s*"(\w+)"/g)].map(
        ([, reason]) => reason as string,
      ),
    );
    const known = [...new Set([...thrown, "event_not_found", "run_not_found"])];
    expect(known.length).toBeGreaterThan(15);
    expect(known.filter((reason) => !listed.has(reason))).toEqual([]);
    const unused = [...listed.keys()].filter((r) => !known.includes(r) && !Object.hasOwn(REJECTIONS, r));
    expect(unused).toEqual([]);
    const names = Object.keys(tables.methods);
    for (const { methods } of listed.values())
      expect((methods ?? []).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("keeps out of the codes that the Model Context Protocol reserves", () => {
    const codes = Object.values(tables.errors).map(({ code }): number => code);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => code <= -32_020 && code >= -32_099)).toEqual([]);
  });

  it("has the workspace in every params, and a required id in those of commands alone", async () => {
    const { methods } = JSON.parse(readFileSync(WORKSPACE_SCHEMA, "utf8")) as {
      methods: Record<string, { params: { $ref: string }; "x-msp-kind": string }>;
    };
    const defs = (
      JSON.parse(readFileSync(WORKSPACE_SCHEMA, "utf8")) as { $defs: Record<string, { required: string[] }> }
    ).$defs;
    for (const [name, { params, "x-msp-kind": kind }] of Object.entries(methods)) {
      const required = defs[params.$ref.slice("#/$defs/".length)]?.required ?? [];
      expect(required, name).toContain("workspaceId");
      expect(required.includes("commandId"), name).toBe(kind === "command");
    }
  });
});

describe("source files of the application", () => {
  it("have at most 400 lines", () => {
    const lines = sources().map((path) => readFileSync(path, "utf8").split("\n").length - 1);
    expect(lines.length).toBeGreaterThan(20);
    expect(Math.max(...lines)).toBeLessThanOrEqual(400);
  });
});
