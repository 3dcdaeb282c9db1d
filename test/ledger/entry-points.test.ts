/** What of the ledger runs where: in a browser without Node, and without a package that only one store needs. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT, scratchFolder } from "../support/repo.js";

/** The parts of Node that a module reaches. */
async function nodeParts(path: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(ROOT, path)],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    external: ["node:*", "better-sqlite3"],
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return imports.filter(({ external }) => external).map((entry) => entry.path);
}

it.each(["src/ledger/index.ts", "src/laws/store/index.ts"])("%s needs nothing of Node", async (path) => {
  expect(await nodeParts(path)).toEqual([]);
});

it("what needs Node does", async () => {
  expect(await nodeParts("src/ledger/node.ts")).toContain("node:fs");
});

it("without better-sqlite3 the other stores work, and that one says what to install", async () => {
  // A folder above which there are no packages.
  const outfile = join(scratchFolder(), "try.mjs");
  await build({
    stdin: {
      contents: `
        import { openStore } from "./src/ledger/node.ts";
        const folder = process.argv[2];
        const files = openStore("file:" + folder);
        await (await files.open("sessions", "a", { expect: "new" })).write(["1"]);
        await files.close();
        const store = openStore("sqlite:" + folder + "/db");
        const error = await store.open("sessions", "a", { expect: "new" }).catch((reason) => reason);
        await store.close();
        console.log(JSON.stringify([error.kind, error.package]));`,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    logLevel: "silent",
  });
  const { stdout, stderr } = spawnSync(process.execPath, [outfile, scratchFolder()], { encoding: "utf8" });
  expect([stdout, stderr]).toEqual(['["packageMissing","better-sqlite3"]\n', ""]);
});
