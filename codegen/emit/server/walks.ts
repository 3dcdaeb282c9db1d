/**
 * The part of a generated server that walks values: what a peer may send is told from what it may not, and what it
 * may not be sent is left out. Plain text, the same in every server.
 */

/** Declarations that the dispatch stands on. */
export const WALKS = `/** What of a value not every peer may send or be sent. What it does not mention is free. */
interface Restriction {
  /** A definition whose restrictions apply too. */
  readonly ref?: string;
  readonly members?: Readonly<Record<string, MemberRestriction>>;
  /** Of the members that \`members\` does not name. */
  readonly others?: Restriction;
  readonly items?: Restriction;
  /** The experimental words of an enum, with their descriptors. */
  readonly words?: Readonly<Record<string, string>>;
  readonly open?: boolean;
  readonly union?: UnionRestriction;
  /** The value is a message: \`method\` names the notification whose params \`params\` are. */
  readonly carries?: boolean;
}

interface MemberRestriction extends Restriction {
  readonly required?: boolean;
  /** The descriptor of an experimental member. */
  readonly experimental?: string;
  readonly capability?: string;
}

interface UnionRestriction {
  readonly arms: readonly Restriction[];
  /** The arms of a value, by its JSON type. */
  readonly kinds: Readonly<Record<string, readonly number[]>>;
  /** Of objects: the member that selects an arm, by its value. */
  readonly tag?: string;
  readonly cases?: Readonly<Record<string, number>>;
  readonly otherwise?: number;
}

/** Definitions inside definitions. What nests deeper is no valid value, and is not walked to its end. */
const MAX_NESTING = 1_100;

type JsonMembers = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is JsonMembers {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own entry of a table. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function optedIn({ experimental }: Connection, descriptor: string): boolean {
  return typeof experimental === "boolean" ? experimental : experimental.includes(descriptor);
}

function isGranted({ grants }: Connection, capability: string): boolean {
  return "has" in grants ? grants.has(capability) : grants.includes(capability);
}

/** Whether a peer may be sent a message, apart from its members. */
function maySee(name: string, row: MessageRow, connection: Connection): boolean {
  if (row.stability !== undefined && !optedIn(connection, row.descriptor ?? name)) return false;
  return row.capability === undefined || isGranted(connection, row.capability);
}

function armsOf({ arms, kinds, tag, cases, otherwise }: UnionRestriction, value: unknown): Restriction[] {
  let chosen: readonly (number | undefined)[];
  if (tag !== undefined && isMembers(value)) {
    const word = own(value, tag);
    chosen = typeof word === "string" ? [own(cases ?? {}, word) ?? otherwise] : [];
  } else {
    chosen = own(kinds, value === null ? "null" : Array.isArray(value) ? "array" : typeof value) ?? [];
  }
  return chosen.flatMap((arm) => (arm === undefined ? [] : (arms[arm] ?? [])));
}

/** The first part of a value that a peer may not use. */
interface Refused {
  experimental?: string;
  capability?: string;
}

/** Looks for parts that a peer may not send. An experimental one ends the search, since it is told first. */
function refuse(part: Restriction, value: unknown, connection: Connection, refused: Refused, depth: number): void {
  if (depth > MAX_NESTING || refused.experimental !== undefined) return;
  if (part.ref !== undefined) {
    const target = own(restrictions, part.ref);
    if (target !== undefined) refuse(target, value, connection, refused, depth + 1);
  }
  // To a peer that did not opt in, a new word of an open enum is one of those that it may send.
  if (part.words !== undefined && part.open !== true && typeof value === "string") {
    const descriptor = own(part.words, value);
    if (descriptor !== undefined && !optedIn(connection, descriptor)) refused.experimental ??= descriptor;
  }
  if (part.union !== undefined) {
    for (const arm of armsOf(part.union, value)) refuse(arm, value, connection, refused, depth);
  }
  if (Array.isArray(value)) {
    if (part.items !== undefined) {
      for (const item of value) refuse(part.items, item, connection, refused, depth);
    }
  } else if (isMembers(value)) {
    refuseMembers(part, value, connection, refused, depth);
  }
}

function refuseMembers(
  part: Restriction,
  value: JsonMembers,
  connection: Connection,
  refused: Refused,
  depth: number,
): void {
  const { members = {}, others, carries } = part;
  for (const name of Object.keys(others === undefined ? members : value)) {
    const member = own(members, name) ?? (others as MemberRestriction);
    const inner = own(value, name);
    if (inner === undefined) continue;
    const { experimental, capability } = member;
    if (experimental !== undefined && !optedIn(connection, experimental)) refused.experimental ??= experimental;
    if (capability !== undefined && !isGranted(connection, capability)) refused.capability ??= capability;
    refuse(member, inner, connection, refused, depth);
  }
  if (carries !== true) return;
  const carried = carriedBy(value);
  if (carried === undefined) return;
  const { name, row } = carried;
  const descriptor = row.descriptor ?? name;
  if (row.stability !== undefined && !optedIn(connection, descriptor)) refused.experimental ??= descriptor;
  if (row.capability !== undefined && !isGranted(connection, row.capability)) refused.capability ??= row.capability;
  if (row.params !== undefined) refuse({ ref: row.params }, own(value, "params"), connection, refused, depth);
}

/** The known notification that a message inside a message is. */
function carriedBy(value: JsonMembers): { readonly name: string; readonly row: MessageRow } | undefined {
  const name = own(value, "method");
  const row = typeof name === "string" ? own(notificationRows, name) : undefined;
  return row === undefined ? undefined : { name: name as string, row };
}

/** What a peer may be sent of a value: the value itself where that is all of it, or HIDDEN where it is nothing. */
const HIDDEN = Symbol("hidden");

/** How a value is shown. */
interface Show {
  readonly connection: Connection;
  /** Whether messages inside the message are checked. */
  readonly check: boolean;
}

/**
 * Leaves out what a peer may not be sent, without changing the value. What cannot be left out alone (a required
 * member, a message inside a message) takes what holds it along.
 */
function show(part: Restriction, value: unknown, how: Show, isElement: boolean, depth: number): unknown {
  if (depth > MAX_NESTING) throw new RangeError("the value nests too deep to be sent");
  let shown = value;
  if (part.ref !== undefined) {
    const target = own(restrictions, part.ref);
    if (target !== undefined) shown = show(target, shown, how, isElement, depth + 1);
  }
  if (part.union !== undefined && shown !== HIDDEN) {
    for (const arm of armsOf(part.union, shown)) {
      shown = show(arm, shown, how, isElement, depth);
      if (shown === HIDDEN) return HIDDEN;
    }
  }
  if (typeof shown === "string") {
    // A reader knows what to do with a new word of an open enum, but may be spared it in a list.
    const descriptor = part.words === undefined ? undefined : own(part.words, shown);
    const hides = descriptor !== undefined && (isElement || part.open !== true);
    return hides && !optedIn(how.connection, descriptor) ? HIDDEN : shown;
  }
  if (Array.isArray(shown)) return part.items === undefined ? shown : showItems(part.items, shown, how, depth);
  return isMembers(shown) ? showMembers(part, shown, how, depth) : shown;
}

function showItems(items: Restriction, value: readonly unknown[], how: Show, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  value.forEach((item, i) => {
    const shown = show(items, item, how, true, depth);
    if (copy === undefined && shown !== item) copy = value.slice(0, i);
    if (copy !== undefined && shown !== HIDDEN) copy.push(shown);
  });
  return copy ?? value;
}

function showMembers(part: Restriction, value: JsonMembers, how: Show, depth: number): unknown {
  const { members = {}, others, carries } = part;
  const { connection } = how;
  let copy: Record<string, unknown> | undefined;
  const replace = (name: string, shown: unknown): void => {
    copy ??= { ...value };
    if (shown === HIDDEN) delete copy[name];
    else copy[name] = shown;
  };
  for (const name of Object.keys(others === undefined ? members : value)) {
    const member = own(members, name) ?? (others as MemberRestriction);
    const inner = own(value, name);
    if (inner === undefined) continue;
    const { experimental, capability, required } = member;
    if (
      (experimental !== undefined && !optedIn(connection, experimental)) ||
      (capability !== undefined && !isGranted(connection, capability))
    ) {
      replace(name, HIDDEN);
      continue;
    }
    const shown = show(member, inner, how, false, depth);
    if (shown === inner) continue;
    if (shown === HIDDEN && required === true) return HIDDEN;
    replace(name, shown);
  }
  const carried = carries === true ? carriedBy(value) : undefined;
  if (carried === undefined) return copy ?? value;
  const { name, row } = carried;
  if (!maySee(name, row, connection)) return HIDDEN;
  const params = own(copy ?? value, "params");
  if (how.check) assertValid(notificationValidators[name], params, "the params of the " + name + " inside");
  if (row.params === undefined) return copy ?? value;
  const shown = show({ ref: row.params }, params, how, false, depth);
  if (shown === HIDDEN) return HIDDEN;
  if (shown !== params) replace("params", shown);
  return copy ?? value;
}
`;
