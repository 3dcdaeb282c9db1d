/** Rules about stability: `stability-leak`, `descriptor-mismatch`, `descriptor-missing`. */
import {
  type Annotated,
  type Definition,
  type Protocol,
  references,
  type Schema,
} from "../model/protocol.js";
import type { LintContext } from "./context.js";

/** Reports stable nodes that reach experimental ones, and descriptors that are missing or name another place. */
export function lintStability(context: LintContext): void {
  lintLeaks(context);
  lintDescriptors(context);
}

function lintLeaks({ protocol, source, findings }: LintContext): void {
  const { definitions } = protocol;
  const leak = (pointer: string, name: string): void => {
    if (definitions.get(name)?.stability === undefined) return;
    findings.report("stability-leak", source, pointer, { what: "definition", name });
  };
  const visit = (schema: Schema): void => {
    if (schema.ref !== undefined) leak(schema.pointer, schema.ref);
    if (schema.members !== undefined) {
      for (const { schema: inner } of schema.members) if (inner.stability === undefined) visit(inner);
    }
    if (schema.additional !== undefined) visit(schema.additional);
    if (schema.items !== undefined) visit(schema.items);
    if (schema.union !== undefined) for (const arm of schema.union.arms) visit(arm);
  };
  for (const definition of definitions.values())
    if (definition.stability === undefined) visit(definition.schema);
  for (const entry of [...protocol.methods, ...protocol.requests, ...protocol.notifications]) {
    if (entry.stability !== undefined) continue;
    if (entry.params !== undefined) leak(`${entry.pointer}/params`, entry.params);
    if ("result" in entry) leak(`${entry.pointer}/result`, entry.result);
  }
  const experimental = new Set(
    protocol.capabilities.filter((c) => c.stability !== undefined).map((c) => c.name),
  );
  for (const entry of [...protocol.methods, ...protocol.notifications]) {
    const name = entry.capability;
    if (entry.stability !== undefined || name === undefined || !experimental.has(name)) continue;
    findings.report("stability-leak", source, `${entry.pointer}/x-msp-capability`, {
      what: "capability",
      name,
    });
  }
}

function lintDescriptors({ protocol, source, findings }: LintContext): void {
  const check = (node: Annotated, expected: ReadonlySet<string>): void => {
    if (node.stability === undefined) return;
    if (node.descriptor === undefined) {
      findings.report("descriptor-missing", source, node.pointer, {});
    } else if (!expected.has(node.descriptor)) {
      const params = { descriptor: node.descriptor, expected: preferred(expected) };
      findings.report("descriptor-mismatch", source, `${node.pointer}/x-msp-descriptor`, params);
    }
  };
  for (const entry of [...protocol.methods, ...protocol.requests, ...protocol.notifications]) {
    check(entry, new Set([entry.name]));
  }
  const messages = [...protocol.methods, ...protocol.requests, ...protocol.notifications];
  const speakers = speakersOf(messages);
  const byName = new Map([...messages].reverse().map((entry) => [entry.name, entry]));
  for (const [name, definition] of protocol.definitions) {
    checkDefinition(definition);
    checkMembers(definition, () => [name, ...(speakers.get(name) ?? [])]);
  }

  function checkDefinition(definition: Definition): void {
    const { name, stability, descriptor } = definition;
    if (stability === undefined || descriptor === name) return;
    const named = descriptor === undefined ? undefined : byName.get(descriptor);
    if (named !== undefined && reaches(protocol, named, name)) return;
    check(
      definition,
      new Set([
        name,
        ...messages.filter((entry) => reaches(protocol, entry, name)).map((entry) => entry.name),
      ]),
    );
  }

  function checkMembers({ schema: root }: Definition, owners: () => readonly string[]): void {
    const visit = (schema: Schema, path: string): void => {
      if (schema.members !== undefined) {
        for (const { name, schema: member } of schema.members) {
          const at = `${path}.${name}`;
          if (member.stability !== undefined) check(member, new Set(owners().map((owner) => owner + at)));
          visit(member, at);
        }
      }
      if (schema.items !== undefined) visit(schema.items, path);
      if (schema.additional !== undefined) visit(schema.additional, path);
      if (schema.union !== undefined) for (const arm of schema.union.arms) visit(arm, path);
    };
    visit(root, "");
  }
}

type Entry = Protocol["methods"][number] | Protocol["requests"][number] | Protocol["notifications"][number];

/** By definition: the names of the messages whose params or result it is. */
function speakersOf(messages: readonly Entry[]): ReadonlyMap<string, readonly string[]> {
  const speakers = new Map<string, string[]>();
  for (const entry of messages) {
    for (const definition of new Set([entry.params, "result" in entry ? entry.result : undefined])) {
      if (definition === undefined) continue;
      const names = speakers.get(definition);
      if (names === undefined) speakers.set(definition, [entry.name]);
      else names.push(entry.name);
    }
  }
  return speakers;
}

/** Whether a message contains a definition somewhere. */
function reaches(protocol: Protocol, entry: Entry, definition: string): boolean {
  const seen = new Set<string>();
  const todo = [entry.params, "result" in entry ? entry.result : undefined].filter(
    (name) => name !== undefined,
  );
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (name === definition) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    todo.push(...references(protocol.definitions.get(name)!.schema));
  }
  return false;
}

function preferred(expected: ReadonlySet<string>): string {
  const names = [...expected];
  return names.length <= 3
    ? names.join(" or ")
    : `${names.slice(0, 2).join(", ")} or another message that reaches it`;
}
