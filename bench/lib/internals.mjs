// Parts that no entry point exports, to be measured by themselves: bundled from the source.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./places.mjs";

const PARTS = `
  export { CommandLedger } from "./src/ledger/command-ledger.ts";
  export { memoryStore } from "./src/ledger/stores/memory.ts";
  export { fileStore } from "./src/ledger/stores/file/store.ts";
  export { payloadOf, signature } from "./src/host/payloads.ts";
  export { scriptedAgent } from "./src/host/agents/scripted.ts";
  export { Host } from "./src/host/host.ts";
  export { identityOf } from "./src/host/identity.ts";
  export { Sessions } from "./src/host/sessions.ts";
  export { platform } from "./src/host/surroundings.ts";
  export { inProcess, Peer } from "./src/wire/index.ts";
  export { History } from "./src/laws/model/history.ts";
  export { judge } from "./src/laws/model/judge.ts";
  export { embeddedDriver } from "./src/laws/simulation/embedded.ts";
  export { Stand } from "./src/laws/stand.ts";
  export { fuzz } from "./src/laws/fuzz/fuzz.ts";
  export { openDriver } from "./src/laws/driver/open.ts";
  export { Trial } from "./src/laws/trial.ts";
  export { driftOf, loadForDrift } from "./codegen/drift/drift.ts";
`;

/** What the parts import is beside the root, and not beside the bundle. */
const BESIDE_ROOT = {
  name: "beside the root",
  setup: ({ onResolve }) => {
    const { resolve } = createRequire(join(ROOT, "package.json"));
    onResolve({ filter: /^fast-check$/ }, ({ path }) => ({
      path: pathToFileURL(resolve(path)).href,
      external: true,
    }));
  },
};

/** Bundles the parts into a folder; the path of the module. */
export async function bundleInternals(scratch) {
  const outfile = join(scratch, "internals.mjs");
  await build({
    stdin: { contents: PARTS, resolveDir: ROOT, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    packages: "external",
    plugins: [BESIDE_ROOT],
    // What is read beside the source is not beside the bundle.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(ROOT, "src", "internals.ts")).href) },
    logLevel: "error",
  });
  return outfile;
}
