/**
 * Which definitions can contain themselves.
 */
import { type Definition, references } from "./protocol.js";

/** The definitions from which a definition that contains itself is reached, themselves included. */
export function reachingCycles(definitions: ReadonlyMap<string, Definition>): Set<string> {
  // A definition reaches no cycle exactly when everything that it refers to reaches none.
  const users = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const [name, { schema }] of definitions) {
    const targets = references(schema);
    open.set(name, targets.size);
    for (const target of targets) {
      const list = users.get(target);
      if (list === undefined) users.set(target, [name]);
      else list.push(name);
    }
  }
  const ready = [...open].filter(([, count]) => count === 0).map(([name]) => name);
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    open.delete(name);
    for (const user of users.get(name) ?? []) {
      const count = open.get(user)! - 1;
      open.set(user, count);
      if (count === 0) ready.push(user);
    }
  }
  return new Set(open.keys());
}

/** A number for each definition that can contain itself: the same for those that contain each other. */
export function cycleGroups(definitions: ReadonlyMap<string, Definition>): Map<string, number> {
  // Two walks (Kosaraju): the first puts each definition after all that it reaches, the second goes the other way.
  const order: string[] = [];
  const users = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const start of definitions.keys()) {
    const todo: { readonly name: string; readonly leaving: boolean }[] = [{ name: start, leaving: false }];
    for (let step = todo.pop(); step !== undefined; step = todo.pop()) {
      const { name, leaving } = step;
      if (leaving) order.push(name);
      else if (!seen.has(name)) {
        seen.add(name);
        todo.push({ name, leaving: true });
        for (const target of references(definitions.get(name)!.schema)) {
          const list = users.get(target);
          if (list === undefined) users.set(target, [name]);
          else list.push(name);
          todo.push({ name: target, leaving: false });
        }
      }
    }
  }
  let number = 0;
  const groups = new Map<string, number>();
  const assigned = new Set<string>();
  for (const start of order.reverse()) {
    if (assigned.has(start)) continue;
    const group: string[] = [];
    const todo = [start];
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (assigned.has(name)) continue;
      assigned.add(name);
      group.push(name);
      todo.push(...(users.get(name) ?? []));
    }
    const cyclic = group.length > 1 || references(definitions.get(start)!.schema).has(start);
    if (cyclic) {
      number++;
      for (const name of group) groups.set(name, number);
    }
  }
  return groups;
}
