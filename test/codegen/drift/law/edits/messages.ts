/** Edits of messages as wholes, and of how they are treated. */
import type { Verdict } from "../../../../../codegen/drift/change.js";
import type { DriftRuleId } from "../../../../../codegen/drift/rules.js";
import { type Bundle, type Node, refTo } from "../bundle.js";
import type { Edit } from "./edit.js";

type Table = "methods" | "notifications" | "requests";

function edit(
  name: string,
  message: string,
  rule: DriftRuleId,
  verdicts: readonly [Verdict, Verdict],
  apply: (bundle: Bundle) => void,
  fits: (bundle: Bundle) => boolean = () => true,
): Edit {
  const known = {
    rules: [rule],
    verdicts: { "old-client-new-host": verdicts[0], "new-client-old-host": verdicts[1] },
  };
  return {
    name,
    sites: (bundle) => (fits(bundle) ? [{ about: [message], experimental: false, apply, known }] : []),
  };
}

const add =
  (table: Table, of: Node) =>
  (bundle: Bundle): void =>
    void (bundle[table]["thing/new"] = of);
const remove =
  (table: Table, name: string) =>
  (bundle: Bundle): void =>
    void delete bundle[table][name];
const demote =
  (table: Table, name: string) =>
  (bundle: Bundle): void =>
    void ((bundle[table][name] as Node)["x-msp-stability"] = "experimental");

const doOf = (bundle: Bundle): Node => bundle.methods["thing/do"] as Node;
const isStrict = (bundle: Bundle): boolean => doOf(bundle)["x-msp-strict"] === true;
const CALL: Node = { params: refTo("Said"), result: refTo("Told") };

/** The edits. */
export const MESSAGE_EDITS: readonly Edit[] = [
  edit(
    "add a method",
    "thing/new",
    "method-added",
    ["additive", "additive"],
    add("methods", { ...CALL, "x-msp-kind": "query" }),
  ),
  edit(
    "remove a method",
    "thing/do",
    "method-removed",
    ["breaking", "additive"],
    remove("methods", "thing/do"),
  ),
  edit(
    "remove a method without params",
    "thing/see",
    "method-removed",
    ["breaking", "additive"],
    remove("methods", "thing/see"),
  ),
  edit(
    "demote a method",
    "thing/do",
    "method-removed",
    ["breaking", "additive"],
    demote("methods", "thing/do"),
  ),
  edit(
    "add a notification of the host",
    "thing/new",
    "notification-added",
    ["additive", "additive"],
    add("notifications", { params: refTo("Told"), "x-msp-direction": "host-to-client" }),
  ),
  edit(
    "add a notification of the client",
    "thing/new",
    "notification-added",
    ["additive", "additive"],
    add("notifications", { params: refTo("Said"), "x-msp-direction": "client-to-host" }),
  ),
  edit(
    "remove a notification of the host",
    "thing/told",
    "notification-removed",
    ["unknown", "additive"],
    remove("notifications", "thing/told"),
  ),
  edit(
    "remove a notification of the client",
    "thing/said",
    "notification-removed",
    ["unknown", "additive"],
    remove("notifications", "thing/said"),
  ),
  edit("add a request", "thing/new", "request-added", ["breaking", "additive"], add("requests", CALL)),
  edit(
    "remove a request",
    "thing/ask",
    "request-removed",
    ["unknown", "breaking"],
    remove("requests", "thing/ask"),
  ),
  edit(
    "refuse unknown members",
    "thing/do",
    "unknown-members-refused",
    ["breaking", "additive"],
    (bundle) => void (doOf(bundle)["x-msp-strict"] = true),
    (bundle) => !isStrict(bundle),
  ),
  edit(
    "take unknown members",
    "thing/do",
    "unknown-members-taken",
    ["additive", "additive"],
    (bundle) => void delete doOf(bundle)["x-msp-strict"],
    isStrict,
  ),
];
