/** Rules about references: `circular-ref`, `unused-definition`. */
import { type Protocol, references, type Schema } from "../model/protocol.js";
import type { LintContext } from "./lint.js";

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
  const settled = new Set<string>();
  let sound = true;
  for (const start of protocol.definitions.keys()) {
    const path: string[] = [];
    const visit = (name: string): void => {
      if (settled.has(name)) return;
      const at = path.indexOf(name);
      if (at !== -1) {
        const cycle = [...path.slice(at), name].join(" > ");
        findings.report("circular-ref", source, protocol.definitions.get(name)!.schema.pointer, { cycle });
        sound = false;
        return;
      }
      path.push(name);
      for (const next of bareReferences(protocol.definitions.get(name)!.schema)) visit(next);
      path.pop();
      settled.add(name);
    };
    visit(start);
  }
  return sound;
}

/** The definitions that a node applies to the very value it describes. */
function* bareReferences(schema: Schema): Iterable<string> {
  if (schema.ref !== undefined) yield schema.ref;
  for (const arm of schema.union?.arms ?? []) yield* bareReferences(arm);
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
