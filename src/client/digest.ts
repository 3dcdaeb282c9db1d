/**
 * Digests of JSON values for the memory of one process. Two values have one digest when they are the same JSON,
 * whatever the order of members. It tells apart what a program sends by accident; it is no defence against somebody who
 * looks for collisions, and nothing durable is built on it.
 */

/** The two halves of the value that was digested last. */
let low = 0;
let high = 0;

/**
 * The digest of a value: 64 bits, as a text of four UTF-16 units. Array order, types, number values and Unicode forms
 * count. Members that are undefined count as absent, as they do in JSON. The value has no cycle.
 */
export function digest(value: unknown): string {
  low = 0x9e3779b9;
  high = 0x7f4a7c15;
  add(value);
  return String.fromCharCode(low, low >>> 16, high, high >>> 16);
}

/** Goes on from the halves with a value. Each kind begins with a unit that no text begins with at this place. */
function add(value: unknown): void {
  switch (typeof value) {
    case "string":
      unit(TEXT);
      text(value);
      break;
    case "number":
      unit(NUMBER);
      // As JSON has it: -0 is 0.
      text(String(value));
      break;
    case "boolean":
      unit(value ? TRUE : FALSE);
      break;
    case "object":
      if (value === null) unit(NULL);
      else if ("toJSON" in value && typeof value.toJSON === "function") {
        // It says itself how it is written.
        add(JSON.parse(JSON.stringify(value)));
        return;
      } else if (Array.isArray(value)) items(value);
      else members(value as Readonly<Record<string, unknown>>);
      break;
    default:
      unit(NULL); // what JSON writes for it in an array
  }
  settle();
}

function items(values: readonly unknown[]): void {
  unit(ARRAY);
  for (const value of values) add(value);
  unit(END);
}

/** Members are added up, each digested from the same beginning: so their order does not matter. */
function members(object: Readonly<Record<string, unknown>>): void {
  unit(OBJECT);
  const [startLow, startHigh] = [low, high];
  let sumLow = 0;
  let sumHigh = 0;
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value === undefined) continue;
    low = startLow;
    high = startHigh;
    text(name);
    unit(END);
    add(value);
    sumLow = (sumLow + low) | 0;
    sumHigh = (sumHigh + high) | 0;
  }
  low = startLow ^ sumLow;
  high = startHigh ^ sumHigh;
}

function text(units: string): void {
  let a = low;
  let b = high;
  for (let i = 0; i < units.length; i++) {
    const code = units.charCodeAt(i);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  // The length tells where one text ends and the next begins.
  low = Math.imul(a ^ units.length, 0x85ebca6b);
  high = Math.imul(b ^ units.length, 0xc2b2ae35);
}

function unit(code: number): void {
  low = Math.imul(low ^ code, 0x9e3779b1);
  high = Math.imul(high ^ code, 0x5f356495);
}

/** Lets every bit of one half change the other. */
function settle(): void {
  const a = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  const b = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  low = a;
  high = b;
}

/** Above all UTF-16 units. */
const TEXT = 0x10001;
const NUMBER = 0x10002;
const TRUE = 0x10003;
const FALSE = 0x10004;
const NULL = 0x10005;
const ARRAY = 0x10006;
const OBJECT = 0x10007;
const END = 0x10008;
