/**
 * The owners publish two complete bundles, `stable/` and `experimental/`. Their difference is the stability of
 * every node; written into the experimental one as marks, it gives one bundle from which both can be projected.
 */
import type { Findings } from "../diagnostics/finding.js";
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "./json.js";
import { ANNOTATIONS } from "./keywords.js";
import { child } from "./pointer.js";
import { Source } from "./source.js";

/** The experimental bundle with the marks that the stable one implies; disagreements are findings. */
export function mergePair(stable: Source, experimental: Source, findings: Findings): Source {
  const root = structuredClone(experimental.value) as JsonObject;
  const base = stable.value as JsonObject;
  const disagree = (pointer: string, problem: string): void => {
    findings.report("pair-mismatch", experimental, pointer, { problem });
  };

  for (const section of ["$defs", "methods", "notifications", "requests"]) {
    const more = section in root ? (root[section] as JsonObject) : {};
    const less = section in base ? (base[section] as JsonObject) : {};
    for (const name of Object.keys(less)) {
      if (!Object.hasOwn(more, name)) disagree(child("", section), `"${name}" is only in the stable bundle`);
    }
    for (const name of Object.keys(more)) {
      const pointer = child(child("", section), name);
      const node = more[name] as JsonObject;
      if (!Object.hasOwn(less, name)) mark(node, name);
      else align(node, less[name] as JsonObject, pointer, name, disagree);
    }
  }
  if (!jsonEqual(root["protocol"] ?? null, base["protocol"] ?? null))
    disagree("/protocol", "they are not of one protocol and version");
  alignErrors(root, base, disagree);
  alignCapabilities(root, base, disagree);
  return new Source(experimental.path, experimental.text, root);
}

type Disagree = (pointer: string, problem: string) => void;

function mark(node: JsonObject, descriptor: string): void {
  node["x-msp-stability"] = "experimental";
  node["x-msp-descriptor"] ??= descriptor;
}

/** Marks the members and enum values of `more` that `less` lacks; anything else that differs is a disagreement. */
function align(more: JsonObject, less: JsonObject, pointer: string, name: string, disagree: Disagree): void {
  const marked = new Set<string>();
  for (const key of new Set([...Object.keys(more), ...Object.keys(less)])) {
    const a = more[key];
    const b = less[key];
    const at = child(pointer, key);
    if (key === "x-msp-stability") disagree(at, "marked experimental, but the stable bundle has it");
    if (says(key) || key === "x-msp-stability" || key === "x-msp-value-stability") continue;
    if (key === "properties" && isJsonObject(a) && isJsonObject(b)) {
      for (const member of Object.keys(b))
        if (!Object.hasOwn(a, member)) disagree(at, `the member "${member}" is only in the stable bundle`);
      for (const member of Object.keys(a)) {
        if (Object.hasOwn(b, member)) {
          align(
            a[member] as JsonObject,
            b[member] as JsonObject,
            child(at, member),
            `${name}.${member}`,
            disagree,
          );
        } else {
          mark(a[member] as JsonObject, `${name}.${member}`);
          marked.add(member);
        }
      }
    } else if (key === "required") continue;
    else if (key === "enum" && Array.isArray(a) && Array.isArray(b)) alignEnum(more, a, b, at, disagree);
    else if (isJsonObject(a) && isJsonObject(b)) align(a, b, at, name, disagree);
    else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every(isJsonObject)) {
      a.forEach((arm, i) => align(arm as JsonObject, b[i] as JsonObject, child(at, i), name, disagree));
    } else if (a === undefined || b === undefined || !jsonEqual(a, b)) disagree(at, `${key} differs`);
  }
  const required = names(more["required"]).filter((member) => !marked.has(member));
  if (!jsonEqual(required.sort(), names(less["required"]).sort()))
    disagree(child(pointer, "required"), "required differs");
}

/** Whether a key only speaks of a node: a text, a name for errors, a note of another tool. */
function says(key: string): boolean {
  return Object.hasOwn(ANNOTATIONS, key) || key === "x-msp-descriptor" || /^x-(?!msp-)/.test(key);
}

function alignEnum(
  node: JsonObject,
  more: readonly Json[],
  less: readonly Json[],
  at: string,
  disagree: Disagree,
): void {
  if (!less.every((value) => more.some((x) => jsonEqual(x, value))))
    disagree(at, "the stable enum has other values");
  const added = more.filter((value) => typeof value === "string" && !less.includes(value)) as string[];
  delete node["x-msp-value-stability"];
  if (added.length > 0)
    node["x-msp-value-stability"] = Object.fromEntries(added.map((value) => [value, "experimental"]));
}

function alignErrors(root: JsonObject, base: JsonObject, disagree: Disagree): void {
  const stable = (base["errors"] ?? []) as JsonObject[];
  for (const [i, row] of ((root["errors"] ?? []) as JsonObject[]).entries()) {
    const twin = stable.find((other) => other["code"] === row["code"]);
    if (twin === undefined) row["x-msp-stability"] = "experimental";
    else if (!jsonEqual(bare(twin), bare(row))) disagree(child("/errors", i), "the error differs");
  }
  const codes = new Set(((root["errors"] ?? []) as JsonObject[]).map(({ code }) => code));
  for (const { code } of stable)
    if (!codes.has(code)) disagree("/errors", `the error ${String(code)} is only in the stable bundle`);
}

function bare(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !says(key)));
}

function alignCapabilities(root: JsonObject, base: JsonObject, disagree: Disagree): void {
  const more = (root["capabilities"] ?? {}) as JsonObject;
  const all = names(more["grantable"]);
  const stable = names((base["capabilities"] as JsonObject | undefined)?.["grantable"]);
  if (!stable.every((name) => all.includes(name)))
    disagree("/capabilities", "a capability is only in the stable bundle");
  const added = all.filter((name) => !stable.includes(name));
  if (added.length === 0) return;
  more["grantable"] = all.filter((name) => stable.includes(name));
  more["experimental"] = [...names(more["experimental"]), ...added];
}

function names(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((x): x is string => typeof x === "string") : [];
}
