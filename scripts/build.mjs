// Builds dist/: the library by the TypeScript compiler, the program as one file (so that it starts fast),
// and the generated JavaScript as it is.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
// Built beside its place and moved there when all of it is done: a build that fails leaves the last one, and two at once
// do not meet.
const dist = join(root, `dist.new-${process.pid}`);
rmSync(dist, { recursive: true, force: true });

execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json", "--outDir", dist],
  {
    cwd: root,
    stdio: "inherit",
  },
);

for (const entry of readdirSync(join(root, "generated"), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || (entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))) continue;
  const from = join(entry.parentPath, entry.name);
  cpSync(from, join(dist, from.slice(root.length)));
}

// The entry points of src as few modules, which they share: loading twenty takes longer than running them. The
// declarations stay as they are.
const entries = Object.values(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports)
  .map(({ default: file }) => file)
  .filter((file) => file?.startsWith("./dist/src/"))
  .map((file) => join(dist, file.slice("./dist/".length)));
const bundled = join(dist, "bundled");
await build({
  entryPoints: entries,
  outdir: bundled,
  outbase: join(dist, "src"),
  // As deep below dist as the modules that they come from, so that what they refer to is as far away.
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  packages: "external",
  external: ["node:*"],
  plugins: [
    {
      name: "generated code is a module of its own",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/generated\// }, ({ path }) => ({
          path: path.replace(/^.*\/generated\//, "../../generated/"),
          external: true,
        })),
    },
  ],
  logLevel: "warning",
});
const source = join(dist, "src");
for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
  if (entry.name.endsWith(".js")) rmSync(join(entry.parentPath, entry.name));
cpSync(bundled, source, { recursive: true });
rmSync(bundled, { recursive: true });

const bin = join(dist, "bin");
const program = {
  absWorkingDir: root,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  packages: "external",
  minifySyntax: true,
  minifyWhitespace: true,
  // What the program loads by name is CommonJS or has it; files are imported by the function that the launcher lends.
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "__url" },
  banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: "warning",
};
await build({
  ...program,
  entryPoints: { program: "src/cli/bin.ts" },
  outdir: bin,
  outExtension: { ".js": ".cjs" },
});
for (const [from, to] of [
  ["launcher.cjs", "mspkit.cjs"],
  ["conformance.cjs", "mspkit-conformance.cjs"],
]) {
  cpSync(join(root, "scripts", from), join(bin, to));
  chmodSync(join(bin, to), 0o755);
}

// One run that touches what most runs need, so that V8's code cache has it. Another V8 ignores the cache.
const scratch = mkdtempSync(join(tmpdir(), "mspkit-build-"));
execFileSync(process.execPath, [join(bin, "mspkit.cjs"), "generate", "--out", scratch], {
  cwd: scratch,
  env: { ...process.env, MSPKIT_WRITE_CODE_CACHE: "1" },
  stdio: "pipe",
});
rmSync(scratch, { recursive: true });

rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(dist, join(root, "dist"));
