/** The product `tables`: the protocol as data, in JavaScript, with declarations that know the values. */
import type { Json } from "../../bundle/json.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { scriptHeader } from "../header.js";
import { TYPE, VALUE, write } from "../literal.js";
import { tablesOf } from "./data.js";

/** The text of `tables.js`. */
export function emitTables(plan: SurfacePlan): string {
  const tables = tablesOf(plan).map(
    ({ name, value }) => `export const ${name} = ${write(value as Json, "", VALUE)};\n`,
  );
  return scriptHeader(plan) + tables.join("\n");
}

/** The text of `tables.d.ts`. */
export function emitTableTypes(plan: SurfacePlan): string {
  const tables = tablesOf(plan).map(
    ({ name, doc, value, declared }) =>
      `${declared === undefined ? "" : `${declared.before}\n`}/** ${doc} */\nexport declare const ${name}: ${declared?.type ?? write(value as Json, "", TYPE)};\n`,
  );
  return scriptHeader(plan) + tables.join("\n");
}
