/** The application that is served: that of a module, or the example. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import type { App } from "../../commands/app.js";
import { importFile } from "../module.js";

/** What a module gives the application by: `createApp`, or its default. */
type CreateApp = (options: { readonly store: string }) => App | Promise<App>;

/** The example, on a store. */
export async function exampleApp(store: string, onError: (error: unknown) => void): Promise<App> {
  const { createWorkspaceApp, openStorage } = await import("../../../examples/workspace-app/index.js");
  // Effects are kept beside the results of their commands where both are in one database.
  return createWorkspaceApp({ storage: await openStorage(store, true), onError });
}

/**
 * The application of a module.
 * @param name an absolute path, or a package as it is found from the folder
 * @throws {TroubleError} where there is none
 */
export async function moduleApp(name: string, store: string, cwd: string): Promise<App> {
  let loaded: unknown;
  try {
    loaded = await importFile(pathToFileURL(createRequire(join(cwd, "index.js")).resolve(name)).href);
  } catch (error) {
    throw new TroubleError(name, `cannot be loaded: ${(error as Error).message}`);
  }
  const { createApp, default: standard } = loaded as {
    readonly createApp?: unknown;
    readonly default?: unknown;
  };
  const create = typeof createApp === "function" ? createApp : standard;
  if (typeof create !== "function") throw new TroubleError(name, "exports no function createApp");
  let app: App;
  try {
    app = await (create as CreateApp)({ store });
  } catch (error) {
    throw new TroubleError(
      name,
      `createApp failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const whole =
    typeof app === "object" &&
    app !== null &&
    typeof app.bundle === "object" &&
    typeof app.open === "function" &&
    typeof app.close === "function";
  if (!whole) throw new TroubleError(name, "createApp gave no application: bundle, open, close");
  return app;
}
