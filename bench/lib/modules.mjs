// The modules of validators that are compared: ours and ajv's, of the same definitions.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { node } from "./cold.mjs";
import { KINDS } from "./payloads.mjs";
import { BENCH } from "./places.mjs";

/** Which definitions the module exports: every one, or those that a server checks most and what they refer to. */
export const SETS = ["every definition", "message definitions"];
export const MAKERS = ["mspkit", "ajv"];

/** The words that make a module in a fresh process, which prints how long that took. */
export function makingWords(maker, set, file) {
  return [join(BENCH, `contenders/make-${maker}.mjs`), set, file];
}

/** The file of a module, made if it is not there. */
export function moduleFile(maker, set, scratch) {
  const file = join(scratch, `${maker}-${SETS.indexOf(set)}.mjs`);
  if (!existsSync(file)) node(makingWords(maker, set, file));
  return file;
}

/** The check of one kind of message, as a user of the module calls it: whether the value is valid. */
export async function checkOf(maker, file, kind) {
  const module = await import(pathToFileURL(file).href);
  if (maker === "ajv") return module[KINDS[kind]];
  const validate = kind in module.methods ? module.methods[kind].params : module.notifications[kind];
  return (value) => validate(value) === null;
}
