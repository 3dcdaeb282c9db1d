/** Rules about references: `circular-ref`, `unused-definition`. */
import { type Protocol, references, type Schema } from "../model/protocol.js";
import type { LintContext } from "./context.js";

/** False when a definition is only itself, which later rules cannot look through. */
export function lintReferences({ protocol, source, findings }: LintContext): boolean {
  const sound = lintCircles({ protocol, source, findings });
  const used = usedDefinitions(protocol);
  for (const { name, role, schema } of protocol.definitions.values()) {
    if (!used.has(name) && role === undefined)
      findings.report("unused-definition", source, schema.pointer, { name });
  }
  return sound;
}

function lintCircles({ protocol, source, findings }: LintContext): boolean {
  const next = new Map<string, readonly string[]>();
  for (const { name, schema } of protocol.definitions.values()) {
    const targets = bareReferences(schema);
    if (targets.length > 0) next.set(name, targets);
  }
  const settled = new Set<string>();
  const path: string[] = [];
  let sound = true;
  const visit = (name: string): void => {
    if (settled.has(name) || !next.has(name)) return;
    const at = path.indexOf(name);
    if (at !== -1) {
      const ring = path.slice(at);
      const shown = ring.length <= 6 ? ring : [...ring.slice(0, 5), `(${ring.length - 5} more)`];
      const cycle = [...shown, name].join(" > ");
      findings.report("circular-ref", source, protocol.definitions.get(name)!.schema.pointer, { cycle });
      sound = false;
      return;
    }
    path.push(name);
    for (const target of next.get(name)!) visit(target);
    path.pop();
    settled.add(name);
  };
  for (const name of next.keys()) visit(name);
  return sound;
}

/** The definitions that a node applies to the very value it describes. */
function bareReferences({ ref, union }: Schema): string[] {
  const own = ref === undefined ? [] : [ref];
  return union === undefined ? own : [...own, ...union.arms.flatMap(bareReferences)];
}

/** The definitions that some message reaches, or that have a role. */
function usedDefinitions(protocol: Protocol): Set<string> {
  const used = new Set<string>();
  const todo: string[] = [];
  const use = (name: string | undefined): void => {
    if (name === undefined || used.has(name)) return;
    used.add(name);
    todo.push(name);
  };
  for (const entry of [...protocol.methods, ...protocol.requests]) {
    use(entry.params);
    use(entry.result);
  }
  for (const entry of protocol.notifications) use(entry.params);
  for (const { name, role } of protocol.definitions.values()) if (role !== undefined) use(name);
  use(protocol.errorData);
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    for (const next of references(protocol.definitions.get(name)!.schema)) use(next);
  }
  return used;
}
