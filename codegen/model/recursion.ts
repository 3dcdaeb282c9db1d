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
