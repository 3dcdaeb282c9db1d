/** Rules about methods: `command-id-mismatch`, `ack-envelope`, `unknown-capability`. */
import { didYouMean } from "../bundle/suggest.js";
import { commandIdOf } from "../model/build.js";
import type { Method, Notification, Schema } from "../model/protocol.js";
import type { LintContext } from "./context.js";

/** Reports methods whose marks contradict their params or that lack what a command must have. */
export function lintMethods(context: LintContext): void {
  for (const method of context.protocol.methods) {
    lintCommandId(method, context);
    lintAck(method, context);
    lintCapability(method, context);
  }
  for (const notification of context.protocol.notifications) lintCapability(notification, context);
}

function lintCommandId(method: Method, { protocol, source, findings }: LintContext): void {
  const said = commandIdOf(
    method.params === undefined ? undefined : protocol.definitions.get(method.params)?.schema,
  );
  const report = (marked: string, problem: string): void =>
    findings.report("command-id-mismatch", source, method.pointer, { marked, problem });
  if (method.kind !== "command" && said === "required") {
    report(`as a${method.kind === "action" ? "n" : ""} ${method.kind}`, "its params require a commandId");
  } else if (method.kind === "command" && said === "none") {
    report("as a command", "its params have no commandId");
  } else if (method.kind === "command" && method.commandId !== said) {
    report(`commandId ${method.commandId}`, `its params have it ${said}`);
  }
}

function lintAck(method: Method, { protocol, source, findings }: LintContext): void {
  if (method.kind !== "command") return;
  const members = protocol.definitions.get(method.result)?.schema.members ?? [];
  const missing = ["commandId", "status"].filter(
    (name) => !members.some((m) => m.name === name && m.required),
  );
  if (missing.length > 0) {
    findings.report("ack-envelope", source, `${method.pointer}/result`, { missing: missing.join(" and ") });
  }
}

/** Reports a gate on a capability that nobody can be granted. */
export function lintCapability(
  node: Method | Notification | Schema,
  { protocol, source, findings }: LintContext,
): void {
  const { capability, pointer } = node;
  if (capability === undefined) return;
  const known = protocol.capabilities.map(({ name }) => name);
  if (known.includes(capability)) return;
  const hint = didYouMean(capability, known);
  findings.report("unknown-capability", source, `${pointer}/x-msp-capability`, { capability, hint });
}
