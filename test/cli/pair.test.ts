/** The owners' pair: two complete files instead of marks. Its model is that of the marked bundle. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit } from "../support/cli.js";
import { ownersExperimental, ownersStable } from "../support/owners.js";
import { DEPOT_SCHEMA, hasReference, REFERENCE, scratchFolder } from "../support/repo.js";

type Bundle = ReturnType<typeof ownersStable>;

const read = (path: string): Bundle => JSON.parse(readFileSync(path, "utf8")) as Bundle;

/** A folder with the pair, and beside each bundle the manifest that the owners put there. */
function writePair(stable: Bundle, experimental: Bundle): string {
  const cwd = scratchFolder();
  for (const [surface, bundle] of Object.entries({ stable, experimental })) {
    mkdirSync(join(cwd, "pair", surface), { recursive: true });
    writeFileSync(join(cwd, "pair", surface, "p.schema.json"), `${JSON.stringify(bundle, null, 2)}\n`);
    const manifest = {
      experimental: surface === "experimental",
      fingerprint: `sha256:${"0".repeat(64)}`,
      schemaVersion: 1,
    };
    writeFileSync(join(cwd, "pair", surface, "manifest.json"), JSON.stringify(manifest));
  }
  return cwd;
}

/** Both models that a schema gives, without places, comments, and what the owners' form cannot say. */
async function modelsOf(schema: string, cwd: string): Promise<unknown[]> {
  const run = await mspkit(["generate", "--schema", schema, "--out", "out", "--only", "model"], { cwd });
  expect(run).toMatchObject({ code: 0 });
  return ["stable", "experimental"].map((surface) =>
    JSON.parse(readFileSync(join(cwd, "out", surface, "model.json"), "utf8"), (key, value: unknown) =>
      key === "pointer" || key === "$comment" ? undefined : value,
    ),
  );
}

describe("a pair", () => {
  test("of the depot has the model of the marked depot", async () => {
    const marked = read(DEPOT_SCHEMA);
    // The owners' error rows carry no descriptor.
    for (const row of marked["errors"] as Record<string, unknown>[]) delete row["x-msp-descriptor"];
    const cwd = writePair(ownersStable(marked), ownersExperimental(marked));
    const text = readFileSync(join(cwd, "pair/stable/p.schema.json"), "utf8");
    expect(text).not.toContain("experimental");
    const other = scratchFolder();
    writeFileSync(join(other, "b.json"), JSON.stringify(marked));
    expect(await modelsOf("pair", cwd)).toEqual(await modelsOf("b.json", other));
    const [stable, experimental] = (await modelsOf("pair", cwd)) as { methods: object }[];
    expect(Object.keys(experimental!.methods)).toContain("stocktake");
    expect(Object.keys(stable!.methods)).not.toContain("stocktake");
  });

  test.skipIf(!hasReference)("of MSP has the model of the marked surface", async () => {
    const surface = read(join(REFERENCE, "surface.json"));
    const stable = read(join(REFERENCE, "stable.json"));
    const cwd = writePair(stable, ownersExperimental(surface));
    expect(JSON.stringify(ownersExperimental(surface))).not.toContain("x-msp-value-stability");
    expect(await modelsOf("pair", cwd)).toEqual(
      await modelsOf(join(REFERENCE, "surface.json"), scratchFolder()),
    );
  });

  const change: [string, (stable: Bundle, experimental: Bundle) => void, string][] = [
    [
      "a definition that only the stable one has",
      (s) => void (at(s, "$defs")["Only"] = { type: "null" }),
      "/$defs",
    ],
    ["a method that only the stable one has", (_, e) => void delete at(e, "methods")["ping"], "/methods"],
    [
      "a member of another type",
      (s) => void (at(s, "$defs", "Article", "properties", "old")["type"] = "null"),
      "/$defs/Article/properties/old/type",
    ],
    [
      "a member that only the stable one has",
      (_, e) => void delete at(e, "$defs", "Article", "properties")["old"],
      "/$defs/Article/properties",
    ],
    [
      "other required members",
      (s) => void (at(s, "$defs", "Article")["required"] = []),
      "/$defs/Article/required",
    ],
    [
      "other enum values",
      (s) => void (at(s, "$defs", "PlaceKind")["enum"] = ["hall", "cellar"]),
      "/$defs/PlaceKind/enum",
    ],
    [
      "another openness",
      (s) => void (at(s, "$defs", "PlaceKind")["x-msp-openness"] = "closed"),
      "/$defs/PlaceKind/x-msp-openness",
    ],
    ["another error", (s) => void (at(s, "errors", "0")["retryable"] = true), "/errors/0"],
    ["an error that only the stable one has", (_, e) => void (e["errors"] as unknown[]).shift(), "/errors"],
    [
      "a capability that only the stable one has",
      (s) => void (at(s, "capabilities")["grantable"] = ["fly"]),
      "/capabilities",
    ],
    ["another version", (s) => void (at(s, "protocol")["version"] = 4), "/protocol"],
    [
      "a mark on what the stable one has",
      (_, e) => void (at(e, "methods", "ping")["x-msp-stability"] = "experimental"),
      "/methods/ping/x-msp-stability",
    ],
  ];
  test.each(change)("with %s is refused", async (_, edit, pointer) => {
    const marked = read(DEPOT_SCHEMA);
    const [stable, experimental] = [ownersStable(marked), ownersExperimental(marked)];
    edit(stable, experimental);
    const cwd = writePair(stable, experimental);
    const { code, stdout } = await mspkit(["lint", "--schema", "pair", "--json"], { cwd });
    expect(code).toBe(1);
    const found = JSON.parse(stdout) as {
      rule: string;
      instanceLocation: string;
      file: string;
      severity: string;
    }[];
    expect(
      found.filter(({ severity }) => severity === "error").map((f) => [f.rule, f.instanceLocation, f.file]),
    ).toEqual([["pair-mismatch", pointer, "pair/experimental/p.schema.json"]]);
  });

  test("may differ in texts and in the notes of other tools", async () => {
    const marked = read(DEPOT_SCHEMA);
    const [stable, experimental] = [ownersStable(marked), ownersExperimental(marked)];
    at(stable, "$defs", "Article")["description"] = "Another text.";
    at(stable, "methods", "ping")["description"] = "Another text.";
    at(stable, "errors", "0")["description"] = "Another text.";
    at(stable, "$defs", "Article")["x-vendor"] = 1;
    const cwd = writePair(stable, experimental);
    expect(await mspkit(["fingerprint", "--schema", "pair"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });
});

/** The node at a path. */
function at(bundle: Bundle, ...path: string[]): Record<string, unknown> {
  return path.reduce(
    (node, key) => (node as Record<string, Record<string, unknown>>)[key]!,
    bundle as Record<string, unknown>,
  );
}
