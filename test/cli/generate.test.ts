/** `mspkit generate`: what it writes, and what it leaves alone. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit } from "../support/cli.js";
import { bundleText } from "../support/marked.js";
import { DEPOT_SCHEMA, scratchFolder } from "../support/repo.js";
import { timesOf, treeOf } from "../support/tree.js";

const PRODUCTS = {
  types: ["types.ts"],
  validators: ["validators.d.ts", "validators.js"],
  tables: ["tables.d.ts", "tables.js"],
  schema: ["schema.json"],
  model: ["model.json"],
};
const MANIFEST = "mspkit.manifest.json";

const generate = (cwd: string, ...words: string[]): ReturnType<typeof mspkit> =>
  mspkit(["generate", "--schema", DEPOT_SCHEMA, "--out", "out", ...words], { cwd });

const listed = (folder: string): string[] =>
  Object.keys((JSON.parse(readFileSync(join(folder, MANIFEST), "utf8")) as { files: object }).files);

describe("generate", () => {
  test("writes both surfaces, then nothing until something changes", async () => {
    const cwd = scratchFolder();
    const first = await generate(cwd);
    expect(first).toMatchObject({ code: 0, stderr: "1 warning; mspkit lint shows them.\n" });
    const out = join(cwd, "out");
    const tree = treeOf(out);
    for (const surface of ["stable", "experimental"]) {
      const names = Object.keys(tree).filter((name) => name.startsWith(`${surface}/`) && !name.endsWith("/"));
      expect(names).toEqual(
        expect.arrayContaining(
          Object.values(PRODUCTS)
            .flat()
            .map((n) => `${surface}/${n}`),
        ),
      );
      expect(
        listed(join(out, surface))
          .map((name) => `${surface}/${name}`)
          .toSorted(),
      ).toEqual(names.filter((name) => !name.endsWith(MANIFEST)));
    }
    const times = timesOf(out);
    const second = await generate(cwd);
    expect(second.code).toBe(0);
    expect(second.stdout).toContain("nothing to write");
    expect(timesOf(out)).toEqual(times);
    expect(await generate(cwd, "--check")).toMatchObject({ code: 0 });
    expect(timesOf(out)).toEqual(times);
  });

  test("--check lists what is missing, changed and left over, and writes nothing", async () => {
    const cwd = scratchFolder();
    await generate(cwd);
    const stable = join(cwd, "out/stable");
    rmSync(join(stable, "tables.js"));
    writeFileSync(join(stable, "types.ts"), "// mine\n");
    writeFileSync(join(stable, "old.js"), "old\n");
    const manifest = join(stable, MANIFEST);
    writeFileSync(
      manifest,
      readFileSync(manifest, "utf8").replace('"files": {', '"files": { "old.js": { "product": "tables" },'),
    );
    const before = [treeOf(cwd), timesOf(cwd)];
    const { code, stdout, stderr } = await generate(cwd, "--check");
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(
      stderr
        .split("\n")
        .map((line) => line.split(": ").slice(0, 2).join(" "))
        .filter((line) => line !== ""),
    ).toEqual([
      "out/stable/mspkit.manifest.json:1:1 error output-changed",
      "out/stable/old.js:1:1 error output-extra",
      "out/stable/tables.js:1:1 error output-missing",
      "out/stable/types.ts:1:1 error output-changed",
    ]);
    expect([treeOf(cwd), timesOf(cwd)]).toEqual(before);

    expect((await generate(cwd)).stdout).toContain("1 removed");
    expect(existsSync(join(stable, "old.js"))).toBe(false);
    expect((await generate(cwd, "--check")).code).toBe(0);
  });

  test("leaves other people's files alone, and stops before writing over one", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, "out/stable"), { recursive: true });
    writeFileSync(join(cwd, "out/stable/README.md"), "Mine.\n");
    expect((await generate(cwd, "--surface", "stable")).code).toBe(0);
    expect(readFileSync(join(cwd, "out/stable/README.md"), "utf8")).toBe("Mine.\n");
    expect(listed(join(cwd, "out/stable"))).not.toContain("README.md");

    mkdirSync(join(cwd, "out/experimental"));
    writeFileSync(join(cwd, "out/experimental/types.ts"), "export const mine = 1;\n");
    const before = treeOf(cwd);
    const { code, stdout, stderr } = await generate(cwd);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^out\/experimental\/types\.ts:1:1: error output-not-owned: .*\n$/);
    expect(treeOf(cwd)).toEqual(before);
  });

  test("--only makes what is asked for and what it stands on, and keeps the rest", async () => {
    const cwd = scratchFolder();
    const out = join(cwd, "out/stable");
    expect((await generate(cwd, "--only", "validators", "--surface", "stable")).code).toBe(0);
    expect(listed(out)).toEqual([...PRODUCTS.types, ...PRODUCTS.validators]);
    expect((await generate(cwd, "--only", "tables", "--surface", "stable")).code).toBe(0);
    expect(listed(out).toSorted()).toEqual(
      [...PRODUCTS.tables, ...PRODUCTS.types, ...PRODUCTS.validators].toSorted(),
    );
    expect(existsSync(join(cwd, "out/experimental"))).toBe(false);
    const check = (...words: string[]): Promise<number | null> =>
      generate(cwd, "--check", "--surface", "stable", ...words).then(({ code }) => code);
    expect([await check("--only", "types"), await check("--only", "schema")]).toEqual([0, 1]);
  });

  test("--config names a configuration elsewhere; its surfaces are made, and --surface goes before them", async () => {
    const cwd = scratchFolder();
    const away = scratchFolder();
    const out = join(away, "out");
    const config = join(away, "other.json");
    writeFileSync(config, JSON.stringify({ schema: DEPOT_SCHEMA, out: "out", surfaces: ["experimental"] }));
    const run = (...words: string[]) => mspkit(["generate", "--config", config, ...words], { cwd });
    expect((await run()).code).toBe(0);
    expect(readdirSync(out)).toEqual(["experimental"]);
    expect((await run("--check")).code).toBe(0);
    expect((await run("--check", "--surface", "all")).code).toBe(1);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await mspkit(["generate", "--config", join(away, "none.json")], { cwd })).code).toBe(3);
    expect((await mspkit(["generate", "--config", ""], { cwd })).code).toBe(2);
  });

  test("--surface makes one, and its bytes do not depend on whether the other was made", async () => {
    const [one, both] = [scratchFolder(), scratchFolder()];
    await generate(one, "--surface", "stable");
    await generate(both);
    expect(treeOf(join(one, "out/stable"))).toEqual(treeOf(join(both, "out/stable")));
    expect(existsSync(join(one, "out/experimental"))).toBe(false);
    const times = timesOf(join(one, "out/stable"));
    const later = await generate(one, "--surface", "all");
    expect(later.code).toBe(0);
    expect(timesOf(join(one, "out/stable"))).toEqual(times);
    expect(treeOf(one)).toEqual(treeOf(both));
    expect((await generate(one, "--experimental", "--check")).code).toBe(0);
  });

  test("--json and --summary md tell what was made", async () => {
    const cwd = scratchFolder();
    const json = JSON.parse((await generate(cwd, "--json")).stdout) as {
      surfaces: { surface: string; fingerprint: string; counts: Record<string, unknown> }[];
      written: string[];
      removed: string[];
    };
    expect(json.surfaces.map(({ surface }) => surface)).toEqual(["stable", "experimental"]);
    expect(json.surfaces[0]!.counts["methods"]).toEqual({ total: 5, experimental: 0 });
    expect(json.surfaces[1]!.counts["methods"]).toEqual({ total: 6, experimental: 1 });
    expect(json.removed).toEqual([]);
    const files = Object.keys(treeOf(join(cwd, "out"))).filter((name) => !name.endsWith("/"));
    expect(json.written.toSorted()).toEqual(files.map((name) => `out/${name}`));
    expect(
      json.written.filter((name) => name.endsWith(MANIFEST)).map((name) => json.written.indexOf(name)),
    ).toEqual([files.length / 2 - 1, files.length - 1]);
    const { stdout } = await generate(cwd, "--summary", "md");
    expect(stdout).toContain("### Depot Protocol\n");
    expect(stdout).toContain(`| experimental | 6 (1 experimental) | `);
    expect(stdout).toContain(json.surfaces[1]!.fingerprint);
  });

  test("refuses a bundle with an error and writes nothing; a warning does not stop it", async () => {
    const cwd = scratchFolder();
    const run = (body: string): ReturnType<typeof mspkit> => {
      writeFileSync(join(cwd, "b.json"), bundleText(body));
      return mspkit(["generate", "--schema", "b.json", "--out", "out"], { cwd });
    };
    const bad = await run('"$defs": { "A": { "type": "strnig" } }');
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toMatch(/^b\.json:3:21: error unknown-type: .*\n$/);
    expect(existsSync(join(cwd, "out"))).toBe(false);
    expect((await run('"$defs": { "A": { "type": "string" } }')).code).toBe(0);
    const before = treeOf(join(cwd, "out"));
    expect((await run('"$defs": { "A": {} }, "nope": 1')).code).toBe(1);
    expect(treeOf(join(cwd, "out"))).toEqual(before);
  });

  test("takes schema, out, products and rules from the configuration, and refuses an excuse without use", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "b.json"), bundleText('"$defs": { "A": { "type": "string", "minLenght": 1 } }'));
    const configure = (more: object): void =>
      writeFileSync(
        join(cwd, "mspkit.config.json"),
        JSON.stringify({ schema: "b.json", out: "gen", products: ["schema"], ...more }),
      );
    const excuse = (pointer: string, rule: string): object => ({
      excuses: [{ pointer, rule, reason: "Known." }],
    });
    configure({});
    expect((await mspkit(["generate"], { cwd })).code).toBe(1);
    configure({ rules: { "unknown-keyword": "warning" } });
    expect((await mspkit(["generate"], { cwd })).code).toBe(0);
    expect(listed(join(cwd, "gen/stable"))).toEqual(["schema.json"]);
    configure(excuse("/$defs/A/minLenght", "unknown-keyword"));
    expect((await mspkit(["generate", "--check"], { cwd })).code).toBe(0);

    configure({ rules: { "unknown-keyword": "off" }, ...excuse("/$defs/B", "unused-definition") });
    const unused = await mspkit(["generate", "--check"], { cwd });
    expect(unused).toMatchObject({ code: 1 });
    expect(unused.stderr).toContain("unused-excuse");
    // For another schema it neither holds nor is missed.
    expect((await generate(cwd, "--surface", "stable")).code).toBe(0);
    configure({ rules: { "unknown-type": "off" } });
    expect(await mspkit(["generate"], { cwd })).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("an output folder that cannot be had", () => {
  test.each<[string, (out: string) => void]>([
    ["is a file", (out) => writeFileSync(out, "")],
    [
      "has a file for a surface",
      (out) => {
        mkdirSync(out);
        writeFileSync(join(out, "stable"), "");
      },
    ],
    ["has a folder for a file", (out) => void mkdirSync(join(out, "stable/types.ts"), { recursive: true })],
    ["leads to where nothing can be written", (out) => symlinkSync("/proc/mspkit", out)],
    [
      "takes the first surface but not the second",
      (out) => {
        mkdirSync(out);
        symlinkSync("/proc/mspkit", join(out, "experimental"));
      },
    ],
  ])("because it %s, is trouble and stays as it was", async (_, prepare) => {
    const cwd = scratchFolder();
    prepare(join(cwd, "out"));
    const names = (): string[] => readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort();
    const before = names();
    const { code, stdout, stderr } = await generate(cwd);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("--out");
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(names()).toEqual(before);
  });

  test("as /proc, is trouble", async () => {
    const { code, stderr } = await generate(scratchFolder(), "--out", "/proc/mspkit");
    expect(code).toBe(3);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
