/**
 * Payload identity: what of a command's params counts, and one short text for it. Two payloads are the same exactly when
 * their signatures are. What counts is told by a table that is generated from the bundle; nothing here knows a protocol.
 */
import { hash } from "node:crypto";
import { memberPointer } from "../wire/pointer.js";
import { canonicalJson } from "./canonical.js";

/** What the table says of a value: the form of an entry of `payloads` in the generated tables. */
export interface PayloadShape {
  /** The entry of the table that says the rest. */
  readonly ref?: string;
  /** Of an object, the members that are known. Others count only where `values` is there. */
  readonly members?: Readonly<Record<string, PayloadShape>>;
  /** Of an object, any other member. */
  readonly values?: PayloadShape;
  /** Of an array, any item. */
  readonly items?: PayloadShape;
  /** Of an optional member: null stands for its absence. */
  readonly null?: true;
  /** Of an optional member: the value that stands for its absence. */
  readonly default?: unknown;
}

/** The shapes of a bundle, by definition. Never changed once it was used. */
export type PayloadShapes = Readonly<Record<string, PayloadShape>>;

/** A value of JSON that never changes. Member names are in the order of the canonical form, where an object can have it. */
export type Frozen = null | boolean | number | string | readonly Frozen[] | FrozenObject;
/** An object of JSON that never changes. Its members are own properties, `__proto__` included. */
export interface FrozenObject {
  readonly [name: string]: Frozen;
}

/** How a payload is taken. */
export interface DecodeOptions {
  /** Names of members of the params themselves that do not count. */
  readonly leaveOut?: readonly string[];
  /**
   * Changes a scalar that is the value of a known member, or an item of a list there; else gives it back as it is. Gets
   * the name of the member.
   */
  readonly scalar?: (value: Frozen, name: string) => Frozen;
}

/** Why a value has no identity that every peer would agree on. */
export type PayloadFault =
  /** A number without a fraction beyond 2^53-1 in magnitude: several texts give this one. */
  | "unsafeInteger"
  /** A number that no double has: JSON has no text for what it became. */
  | "notFinite"
  /** Half of a surrogate pair in a text or in the name of a member: it has no bytes in UTF-8. */
  | "loneSurrogate";

/** A shape with its references followed. */
interface Place {
  /** The known members in canonical order; undefined where objects count as a whole. */
  members: readonly Known[] | undefined;
  byName: ReadonlyMap<string, Known> | undefined;
  values: Place | undefined;
  items: Place | undefined;
}

interface Known {
  readonly name: string;
  readonly place: Place | undefined;
  readonly nullIsAbsent: boolean;
  /** The canonical text of the default. */
  readonly preset: string | undefined;
}

const placesOf = new WeakMap<PayloadShapes, Map<string, Place>>();

/**
 * What counts of a command's params: a frozen copy, all the way down, that shares nothing with them. It has the known
 * members of `definition` but those left out; members that are undefined, and those whose value stands for absence, are
 * left out too. -0 is 0. The params have been validated.
 * @throws {RangeError} when the table has no such definition
 */
export function decodePayload(
  shapes: PayloadShapes,
  definition: string,
  params: object,
  { leaveOut, scalar }: DecodeOptions = {},
): FrozenObject {
  let places = placesOf.get(shapes);
  if (places === undefined) {
    places = new Map();
    placesOf.set(shapes, places);
  }
  const place = placeOf(shapes, definition, places);
  return copyMembers(params as Readonly<Record<string, unknown>>, place, scalar, leaveOut);
}

/** The place of a definition, made when it is first asked for. */
function placeOf(shapes: PayloadShapes, definition: string, places: Map<string, Place>): Place {
  const known = places.get(definition);
  if (known !== undefined) return known;
  // One after the other and not each inside the last: a table may have a ring of thousands.
  const waiting: [Place, PayloadShape][] = [];
  const named = (name: string): Place => {
    let place = places.get(name);
    if (place === undefined) {
      if (!Object.hasOwn(shapes, name)) throw new RangeError(`no payload has the shape ${name}`);
      place = { members: undefined, byName: undefined, values: undefined, items: undefined };
      places.set(name, place);
      waiting.push([place, shapes[name]!]);
    }
    return place;
  };
  const wanted = named(definition);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) fill(...next, named);
  return wanted;
}

/** Follows what a shape says. `named` gives the place of an entry of the table. */
function fill(place: Place, shape: PayloadShape, named: (name: string) => Place): void {
  const inner = (next: PayloadShape): Place | undefined => {
    if (next.ref !== undefined) return named(next.ref);
    if (next.members === undefined && next.values === undefined && next.items === undefined) return undefined;
    const made: Place = { members: undefined, byName: undefined, values: undefined, items: undefined };
    fill(made, next, named);
    return made;
  };
  if (shape.members !== undefined) {
    place.members = Object.keys(shape.members)
      .sort()
      .map((name) => {
        const member = shape.members![name]!;
        const preset = member.default === undefined ? undefined : canonicalJson(member.default);
        return { name, place: inner(member), nullIsAbsent: member.null === true, preset };
      });
  }
  if (shape.values !== undefined) {
    place.byName = new Map((place.members ?? []).map((member) => [member.name, member]));
    place.members = undefined;
    place.values = inner(shape.values);
  }
  if (shape.items !== undefined) place.items = inner(shape.items);
}

type Scalar = DecodeOptions["scalar"];

function copy(value: unknown, place: Place | undefined, scalar: Scalar, name: string): Frozen {
  if (typeof value !== "object" || value === null) {
    // As JSON has it: -0 is 0, and what it has no text for is null.
    const plain: Frozen =
      typeof value === "string" || typeof value === "boolean"
        ? value
        : typeof value === "number"
          ? value === 0
            ? 0
            : value
          : null;
    return scalar === undefined || name === "" ? plain : scalar(plain, name);
  }
  if (Array.isArray(value)) {
    const items: Frozen[] = [];
    for (let i = 0; i < value.length; i++) items.push(copy(value[i], place?.items, scalar, name));
    return Object.freeze(items);
  }
  const members = value as Readonly<Record<string, unknown>>;
  if (typeof members["toJSON"] === "function")
    return copy(JSON.parse(JSON.stringify(value)), place, scalar, name);
  return copyMembers(members, place, scalar, undefined);
}

function copyMembers(
  value: Readonly<Record<string, unknown>>,
  place: Place | undefined,
  scalar: Scalar,
  leaveOut: readonly string[] | undefined,
): FrozenObject {
  const out: Record<string, Frozen> = {};
  const known = place?.members;
  if (known !== undefined) {
    for (const member of known) {
      const inner = value[member.name];
      if (inner === undefined || leaveOut?.includes(member.name) === true) continue;
      if (Object.hasOwn(value, member.name)) keep(out, member.name, inner, member, scalar);
    }
    return Object.freeze(out);
  }
  const rest = place?.values;
  for (const name of Object.keys(value).sort()) {
    const inner = value[name];
    if (inner === undefined || leaveOut?.includes(name) === true) continue;
    const member = place?.byName?.get(name);
    if (member !== undefined) keep(out, name, inner, member, scalar);
    // What stands under a name that the bundle does not have is nobody's to change; a known member in it is.
    else set(out, name, copy(inner, rest, rest === undefined ? undefined : scalar, ""));
  }
  return Object.freeze(out);
}

function keep(
  out: Record<string, Frozen>,
  name: string,
  value: unknown,
  member: Known,
  scalar: Scalar,
): void {
  if (value === null && member.nullIsAbsent) return;
  const copied = copy(value, member.place, scalar, name);
  if (member.preset === undefined || canonicalJson(copied) !== member.preset) set(out, name, copied);
}

/** Gives an object a member of its own, whatever its name. */
function set(out: Record<string, Frozen>, name: string, value: Frozen): void {
  if (name !== "__proto__") out[name] = value;
  else Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The first place in a payload that has no identity that every peer would agree on, in canonical order; undefined where
 * there is none. `pointer` is a JSON Pointer; for the name of a member it points to the object.
 */
export function checkPayload(
  value: Frozen,
): { readonly pointer: string; readonly fault: PayloadFault } | undefined {
  if (typeof value === "string")
    return wellFormed(value) ? undefined : { pointer: "", fault: "loneSurrogate" };
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return undefined;
    if (!Number.isFinite(value)) return { pointer: "", fault: "notFinite" };
    return Number.isInteger(value) ? { pointer: "", fault: "unsafeInteger" } : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (isList(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = checkPayload(value[i]!);
      if (found !== undefined) return { ...found, pointer: `/${i}${found.pointer}` };
    }
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (!wellFormed(name)) return { pointer: "", fault: "loneSurrogate" };
    const found = checkPayload(value[name]!);
    if (found !== undefined) return { ...found, pointer: memberPointer("", name) + found.pointer };
  }
  return undefined;
}

/**
 * The signature of a payload: SHA-256 over the canonical form (RFC 8785) of the method and the payload, as base64url.
 * Nothing is folded: two forms of one letter are two texts, and the order of a list counts.
 */
export function signatureOf(method: string, payload: FrozenObject): string {
  return hash("sha256", canonicalJson([method, payload]), "base64url");
}

/** Whether a value is a list. `Array.isArray` does not tell a read-only one. */
function isList(value: readonly Frozen[] | FrozenObject): value is readonly Frozen[] {
  return Array.isArray(value);
}

function wellFormed(text: string): boolean {
  // Every Node that the package runs on has it; the library that TypeScript is told of is older.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
