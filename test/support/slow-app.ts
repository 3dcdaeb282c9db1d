/** An application in a module of its own, whose commands take their time. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./repo.js";

/** Writes the module to a folder; its path. A command says `carrying out` on standard error, and takes half a second. */
export function slowApp(folder: string): string {
  const bundle = join(folder, "bundle.mjs");
  const generated = (name: string) =>
    JSON.stringify(pathToFileURL(join(ROOT, "generated/workspace/stable", name)).href);
  writeFileSync(
    bundle,
    `import { readFileSync } from "node:fs";
     import * as tables from ${generated("tables.js")};
     import * as validators from ${generated("validators.js")};
     export const bundle = { tables, validators, schema: JSON.parse(readFileSync(new URL(${generated("schema.json")}))) };`,
  );
  const module = join(folder, "slow.mjs");
  writeFileSync(
    module,
    `import { bundle } from ${JSON.stringify(pathToFileURL(bundle).href)};
     export const createApp = ({ store }) => ({
       bundle,
       async open({ tenant, participant }, workspace) {
         return {
           tenant, participant, workspace,
           async carryOut(command, { commandId }) {
             console.error("carrying out");
             await new Promise((resolve) => setTimeout(resolve, 500));
             return { status: "accepted", result: { commandId, store } };
           },
           query: async () => ({ status: "accepted", result: {} }),
           subscribe: () => () => {},
         };
       },
       async close() { console.error("the application is closed"); },
     });`,
  );
  return module;
}
