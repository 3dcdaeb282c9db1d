// Two versions of a protocol that follow each other: real releases where they lie beside the project, else the schema
// of the project and what it might have been before.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, SCHEMA } from "./places.mjs";

const REFERENCE = join(ROOT, "../shared/msp");

/** The files of the earlier and the later version, and what they are. */
export function neighbours(scratch) {
  const base = join(REFERENCE, "releases/1.4.12.json");
  const head = join(REFERENCE, "surface.json");
  if (existsSync(base) && existsSync(head)) return { base, head, what: "1.4.12 to 1.4.13" };
  const earlier = join(scratch, "earlier.schema.json");
  writeFileSync(earlier, JSON.stringify(without(JSON.parse(readFileSync(SCHEMA, "utf8"))), null, 2));
  return { base: earlier, head: SCHEMA, what: "the schema, before and after a step as long as a release" };
}

/** What a release may add: members of what many messages carry, a method, and what it answers when it fails. */
const MEMBERS = {
  ApprovalCuaCardFacts: ["data"],
  ErrorData: ["failureKind", "retryAfterMs"],
  Item: ["replayHint", "terminalRowAfterItemId", "workId"],
  SessionReadResult: ["queuedInputs"],
};
const METHOD = "usage/refresh";
const KINDS = ["usageRefreshFailed", "usageRefreshRateLimited", "usageRefreshUnavailable"];

function without(bundle) {
  const { $defs, methods } = bundle;
  const take = (from, name) => {
    if (!Object.hasOwn(from, name)) throw new Error(`the schema has no ${name} any more`);
    delete from[name];
  };
  for (const [definition, members] of Object.entries(MEMBERS))
    for (const member of members) take($defs[definition].properties, member);
  take(methods, METHOD);
  const words = $defs.ErrorKind;
  for (const kind of KINDS) take(words["x-msp-value-stability"], kind);
  words.enum = words.enum.filter((kind) => !KINDS.includes(kind));
  bundle.errors = bundle.errors.filter(({ kind }) => !KINDS.includes(kind));
  return bundle;
}
