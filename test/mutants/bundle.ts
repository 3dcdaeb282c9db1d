/** Bundles a host with the patches of a mutant into a folder of its own. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { HostOptions } from "../../src/host/host-options.js";
import type { EmbeddedHost } from "../../src/laws/simulation/embedded.js";
import type { Store } from "../../src/ledger/store.js";
import { type Patch, PatchError, patched } from "./mutant.js";

/** What a bundle of the host has. */
export interface HostModule {
  /** Makes a host on the store and with the agent of whoever asks. */
  makeHost(options: HostOptions): EmbeddedHost;
  /** Stands between a store and its hosts. */
  throughStore(store: Store): Store;
}

/**
 * Bundles a module of the tree, patched.
 * @param root of the repository
 * @param folder where it is put: below the repository, so that packages are found
 * @returns the path of the bundle
 * @throws {PatchError} where a patch does not fit, or is for a file that is not in the bundle
 */
export async function bundle(
  root: string,
  entry: string,
  patches: readonly Patch[],
  folder: string,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "bundle.mjs");
  const seen = new Set<string>();
  let failure: unknown;
  const plugin: Plugin = {
    name: "patches",
    setup: ({ onLoad, onResolve }) => {
      // Large, and the same for all: loaded as they are.
      onResolve({ filter: /\/generated\/.*\.js$/ }, ({ path, resolveDir }) => {
        const target = resolve(resolveDir, path);
        return existsSync(target) ? { path: pathToFileURL(target).href, external: true } : undefined;
      });
      onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
        const file = relative(root, path).split(sep).join("/");
        if (!patches.some((patch) => patch.file === file)) return undefined;
        seen.add(file);
        try {
          const contents = patched(file, readFileSync(path, "utf8"), patches);
          return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
        } catch (error) {
          failure = error;
          return { errors: [{ text: String(error) }] };
        }
      });
    },
  };
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
      plugins: [plugin],
      logLevel: "silent",
    });
  } catch (error) {
    throw failure ?? error;
  }
  for (const { file } of patches)
    if (!seen.has(file)) throw new PatchError(`${file} is not in the bundle of ${entry}`);
  return outfile;
}

/** The module of the embedded host, patched; see {@link bundle}. */
export async function hostModule(
  root: string,
  patches: readonly Patch[],
  folder: string,
): Promise<HostModule> {
  const path = await bundle(root, "test/mutants/host-entry.ts", patches, folder);
  return (await import(/* @vite-ignore */ pathToFileURL(resolve(path)).href)) as HostModule;
}
