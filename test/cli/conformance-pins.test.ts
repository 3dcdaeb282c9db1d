/** `mspkit conformance staleness` and `repin`: pins of other schemas, by what changed since. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { addedOnly, type Parts } from "../../src/cli/conformance/parts.js";
import { knownReleases } from "../../src/releases/known.js";
import { mspkit, type Run } from "../support/cli.js";
import { MSP_SCHEMA, scratchFolder } from "../support/repo.js";
import { OWN_TRANSCRIPTS } from "../support/transcripts.js";

/** The fingerprints of a schema that nobody knows, as somebody's table names them. */
const SHA = (digit: string): string => `sha256:${digit.repeat(64)}`;

/** A root with two recordings, one of them pinned to another schema. */
function rootWith(pin: string): string {
  const root = scratchFolder();
  for (const scenario of ["steer", "text-turn"])
    cpSync(join(OWN_TRANSCRIPTS, scenario), join(root, scenario), { recursive: true });
  const manifest = readFileSync(join(root, "text-turn/manifest.json"), "utf8");
  expect(manifest).toMatch(/sha256:[0-9a-f]{64}/);
  writeFileSync(join(root, "text-turn/manifest.json"), manifest.replace(/sha256:[0-9a-f]{64}/, pin));
  return root;
}

type Bundle = Record<string, Record<string, unknown>>;

/** A table of one release, whose bundle is that of today with a change. */
function tableWith(pin: string, change: (bundle: Bundle) => void): string {
  const folder = scratchFolder();
  const bundle = JSON.parse(readFileSync(MSP_SCHEMA, "utf8")) as Bundle;
  change(bundle);
  writeFileSync(join(folder, "old.schema.json"), JSON.stringify(bundle));
  const row = { release: "1.4.0", stableFingerprint: pin, surface: "old.schema.json" };
  writeFileSync(join(folder, "releases.json"), JSON.stringify([row]));
  return join(folder, "releases.json");
}

const conformance = (...words: readonly string[]): Promise<Run> => mspkit(["conformance", ...words]);

async function pinIn(root: string, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await conformance("staleness", "--root", root, "--json", ...words);
  expect(code).toBe(1);
  const { pins } = JSON.parse(stdout) as { pins: Record<string, unknown>[] };
  expect(pins.map(({ transcript, state }) => [transcript, state])[0]).toEqual(["steer", "same"]);
  return pins[1]!;
}

const bytesIn = (root: string): string[] =>
  ["manifest.json", "transcript.ndjson"].map((file) => readFileSync(join(root, "text-turn", file), "utf8"));

describe("a pin of a schema to which that of today only adds", () => {
  const pin = SHA("1");
  const older = (bundle: Bundle): void => {
    expect(bundle["methods"]).toHaveProperty("model/list");
    delete bundle["methods"]!["model/list"];
  };

  it("is additive, and repin --accept moves it and changes no other byte", async () => {
    const root = rootWith(pin);
    const table = tableWith(pin, older);
    const [manifest, transcript] = bytesIn(root);
    expect(await pinIn(root, "--releases", table)).toMatchObject({ change: "additive", because: [] });
    const text = await conformance("staleness", "--root", root, "--releases", table);
    expect(text.stdout).toContain(`text-turn: additive: ${pin}\n`);
    expect(text.stderr).toBe("1 same, 1 additive, 0 non-additive, 0 undecided, 0 unknown\n");

    const dry = await conformance("repin", "--root", root, "--releases", table);
    expect(dry).toMatchObject({ code: 1, stdout: `text-turn: additive: ${pin}\n` });
    expect(bytesIn(root)).toEqual([manifest, transcript]);
    expect((await conformance("repin", "--root", root, "--releases", table, "--accept")).code).toBe(0);
    const own = readFileSync(join(OWN_TRANSCRIPTS, "text-turn/manifest.json"), "utf8");
    expect(bytesIn(root)).toEqual([own, transcript]);
    expect((await conformance("staleness", "--root", root)).code).toBe(0);
    expect(await conformance("repin", "--root", root)).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("a pin of a schema from which something was taken", () => {
  const pin = SHA("2");
  const older = (bundle: Bundle): void => {
    bundle["methods"]!["note/gone"] = { description: "Gone.", result: { $ref: "#/$defs/TurnStartResult" } };
  };

  it("is not additive: what is in the way is told with the manifest's path, and repin leaves it", async () => {
    const root = rootWith(pin);
    const table = tableWith(pin, older);
    expect(await pinIn(root, "--releases", table)).toMatchObject({
      change: "non-additive",
      because: ["method-removed note/gone"],
    });
    const before = bytesIn(root);
    for (const words of [["staleness"], ["repin"], ["repin", "--accept"]]) {
      const run = await conformance(...words, "--root", root, "--releases", table);
      expect(run.code).toBe(1);
      expect(run.stdout).toContain(`text-turn: non-additive: ${pin}\n    method-removed note/gone\n`);
      expect(run.stdout).toContain(join(root, "text-turn", "manifest.json"));
    }
    expect(bytesIn(root)).toEqual(before);
  });

  it("is moved where a person names it and it is valid today, and only then", async () => {
    const root = rootWith(pin);
    const words = ["repin", "--root", root, "--transcript", "text-turn", "--accept"];
    const path = join(root, "text-turn/transcript.ndjson");
    const transcript = readFileSync(path, "utf8");
    writeFileSync(path, transcript.replace(/\\"turnId\\":\\"[^"]+\\"/, '\\"turnId\\":1'));
    const refused = await conformance(...words);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("not valid");
    expect(readFileSync(join(root, "text-turn/manifest.json"), "utf8")).toContain(pin);
    writeFileSync(path, transcript);
    expect((await conformance(...words)).code).toBe(0);
    expect((await conformance("staleness", "--root", root)).code).toBe(0);
  });
});

describe("a pin whose bundle is not at hand", () => {
  it("of no known schema is unknown, and repin leaves it", async () => {
    const root = rootWith(SHA("0"));
    expect(await pinIn(root)).toMatchObject({ state: "unknown", change: "undecided" });
    const run = await conformance("repin", "--root", root, "--accept");
    expect(run.code).toBe(1);
    expect(run.stdout).toContain(`text-turn: unknown: ${SHA("0")}\n`);
  });

  it("of a known release is judged by its parts: what is gone is not additive", async () => {
    const first = knownReleases().releases.find(({ release }) => release === "1.4.2")!;
    const pin = await pinIn(rootWith(first.published.stable));
    expect(pin).toMatchObject({ state: "different", release: "1.4.2", change: "non-additive" });
    expect(pin["because"]).toContain("session/delete is gone");
  });

  it("of a known release whose parts nobody has is undecided", async () => {
    const without = knownReleases().releases.find(({ stable }) => stable === undefined)!;
    const root = rootWith(without.published.stable);
    expect(await pinIn(root)).toMatchObject({ release: without.release, change: "undecided" });
    expect((await conformance("repin", "--root", root, "--accept")).code).toBe(1);
  });

  it("is trouble where a table is named that cannot be read", async () => {
    for (const name of ["staleness", "repin"]) {
      const run = await conformance(name, "--root", rootWith(SHA("0")), "--releases", "no.json");
      expect(run).toMatchObject({ code: 3, stdout: "" });
    }
  });
});

describe("parts alone tell", () => {
  const parts: Parts = {
    methods: { a: "1" },
    notifications: { n: "1" },
    requests: { r: "1" },
    errors: "1",
    capabilities: "1",
    envelopes: "1",
  };

  it.each([
    ["a method more", { methods: { a: "1", b: "2" } }, "additive"],
    ["a notification more", { notifications: { n: "1", m: "1" } }, "additive"],
    ["a request more, which an old client refuses", { requests: { r: "1", s: "1" } }, "non-additive"],
    ["a method less", { methods: {} }, "non-additive"],
    ["a notification less", { notifications: {} }, "non-additive"],
    ["a request less", { requests: {} }, "non-additive"],
    ["a method that is another", { methods: { a: "2" } }, "undecided"],
    ["errors that are others", { errors: "2" }, "undecided"],
    ["one gone and one another", { methods: {}, errors: "2" }, "non-additive"],
    ["nothing", {}, "additive"],
  ])("%s", (_, change, expected) => {
    expect(addedOnly(parts, { ...parts, ...change }).change).toBe(expected);
  });
});
