/** What of commands needs what: of Node, and of the packages that only some results need. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT, scratchFolder } from "../support/repo.js";

it("what runs anywhere runs in a folder without packages, and the rest says what to install", async () => {
  const outfile = join(scratchFolder(), "try.mjs");
  const { metafile } = await build({
    stdin: {
      contents: `
        import { openTelemetry, silence, Workspaces } from "./src/commands/index.ts";
        import { migratePostgres, openResults } from "./src/commands/node.ts";
        const handle = { tenant: "t", workspace: "w", participant: "p", carryOut: async () => ({ status: "accepted", result: 1 }) };
        const workspaces = new Workspaces({ telemetry: await openTelemetry() });
        const { status } = await workspaces.execute(handle, { method: "m", params: {} }, { commandId: "a" });
        const key = { tenant: "t", workspace: "w", participant: "p", commandId: "a" };
        const missing = (action) => action().then(() => "?", (error) => error.kind + " " + error.package);
        console.log(JSON.stringify([
          status,
          (await openTelemetry()) === silence,
          await missing(async () => openResults("sqlite:" + process.argv[2] + "/db").read(key)),
          await missing(async () => openResults("postgres://127.0.0.1:1/x").read(key)),
          await missing(() => migratePostgres("postgres://127.0.0.1:1/x")),
        ]));`,
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
    metafile: true,
    logLevel: "silent",
  });
  expect(Object.keys(metafile.inputs).length).toBeGreaterThan(20);
  const { stdout, stderr } = spawnSync(process.execPath, [outfile, scratchFolder()], { encoding: "utf8" });
  expect([stderr, stdout && JSON.parse(stdout)]).toEqual([
    "",
    ["accepted", true, "packageMissing better-sqlite3", "packageMissing pg", "packageMissing pg"],
  ]);
});

it("src/commands/index.ts needs of Node only what makes a signature", async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, "src/commands/index.ts")],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    external: ["node:*", "@opentelemetry/api"],
    logLevel: "silent",
  });
  const outside = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external }) => external)
    .map(({ path }) => path);
  expect(outside).toEqual(["@opentelemetry/api", "node:crypto"]);
});
