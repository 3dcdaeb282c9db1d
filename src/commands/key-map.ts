/** Values by the keys of commands. */
import type { CommandKey } from "./key.js";

/**
 * A map with keys of four parts: for each actor in a workspace one of its ids, so that no text is made of a key. What the
 * last actor has is at hand.
 */
export class KeyMap<V> {
  readonly #tenants = new Map<string, Map<string, Map<string, Map<string, V>>>>();
  #tenant = "";
  #workspace = "";
  #participant = "";
  // Of that actor, and whether it stands in the maps: once it has something, until another actor comes and it is empty.
  #ids = new Map<string, V>();
  #stands = false;

  /** The value of a key. */
  get(key: CommandKey): V | undefined {
    return this.#of(key).get(key.commandId);
  }

  /** Sets the value of a key. */
  set(key: CommandKey, value: V): void {
    const ids = this.#of(key);
    if (!this.#stands) {
      const workspaces = madeIn(this.#tenants, key.tenant);
      madeIn(workspaces, key.workspace).set(key.participant, ids);
      this.#stands = true;
    }
    ids.set(key.commandId, value);
  }

  /** Takes a key out. */
  delete(key: CommandKey): void {
    this.#of(key).delete(key.commandId);
  }

  /** How many actors are in it: those that have something, and perhaps the last one. */
  get actors(): number {
    let count = 0;
    for (const workspaces of this.#tenants.values())
      for (const participants of workspaces.values()) count += participants.size;
    return count;
  }

  /** All values, by actor. */
  *values(): IterableIterator<V> {
    for (const workspaces of this.#tenants.values())
      for (const participants of workspaces.values())
        for (const ids of participants.values()) yield* ids.values();
  }

  #of({ tenant, workspace, participant }: CommandKey): Map<string, V> {
    if (participant === this.#participant && workspace === this.#workspace && tenant === this.#tenant)
      return this.#ids;
    if (this.#stands && this.#ids.size === 0) this.#drop();
    this.#tenant = tenant;
    this.#workspace = workspace;
    this.#participant = participant;
    const found = this.#tenants.get(tenant)?.get(workspace)?.get(participant);
    this.#stands = found !== undefined;
    this.#ids = found ?? new Map<string, V>();
    return this.#ids;
  }

  /** Takes out who has nothing any more. */
  #drop(): void {
    const workspaces = this.#tenants.get(this.#tenant);
    const participants = workspaces?.get(this.#workspace);
    participants?.delete(this.#participant);
    if (participants?.size === 0) workspaces?.delete(this.#workspace);
    if (workspaces?.size === 0) this.#tenants.delete(this.#tenant);
  }
}

function madeIn<V>(maps: Map<string, Map<string, V>>, name: string): Map<string, V> {
  let made = maps.get(name);
  if (made === undefined) maps.set(name, (made = new Map()));
  return made;
}
