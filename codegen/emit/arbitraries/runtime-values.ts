/**
 * The helpers for values without parts, as every arbitraries module carries them, written out.
 *
 * A generator knows valid values and the ways to be wrong:
 *
 * - `valid`: an arbitrary;
 * - `ways()`: each `{ at, keyword, leaves?, without?, make }`. A way is wrong in exactly one place for exactly one keyword; it is built
 *   from valid parts, so shrinking keeps the place and the keyword. `leaves`: the value is of a category that the
 *   generator never makes, so that in a union it may belong to another arm. `without`: the member that is missing.
 *
 * A generator is undefined where no value is finite: a definition that would have to contain itself once more.
 */
export const VALUES_RUNTIME = `/** How often a definition may contain itself in a sample. */
const NESTING = 3;
const MAX = Number.MAX_SAFE_INTEGER;
const OTHERS = {
  array: fc.constantFrom([], [null], ["x"]),
  boolean: fc.boolean(),
  null: fc.constant(null),
  number: fc.oneof(fc.integer(), fc.constant(0.5)),
  object: fc.constantFrom({}, { a: 1 }),
  string: fc.constantFrom("", "x", "0", "null"),
};
const CATEGORIES = Object.keys(OTHERS);

function once(make) {
  let made;
  return () => (made ??= { value: make() }).value;
}

function way(keyword, make, more = {}) {
  return { at: "", keyword, ...more, make: once(() => make().map((value) => ({ value, at: "" }))) };
}

function outside(categories) {
  const rest = CATEGORIES.filter((category) => !categories.includes(category));
  return rest.length === 0 ? undefined : fc.oneof(...rest.map((category) => OTHERS[category]));
}

function leaving(keyword, categories) {
  const values = outside(categories);
  return values === undefined ? [] : [way(keyword, () => values, { leaves: true })];
}

function gen(categories, valid, ways) {
  return { categories, valid, ways: once(ways) };
}

/** A definition: made when first used, once for each depth where it may contain itself. */
function define(recursive, make) {
  const made = new Map();
  return (depth) => {
    if (depth < 0) return undefined;
    const key = recursive ? depth : 0;
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key);
  };
}

const anything = gen(
  CATEGORIES,
  fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(fc.string(), { maxLength: 2 }),
    fc.dictionary(fc.string(), fc.integer(), { maxKeys: 2, noNullPrototype: true }),
  ),
  () => [],
);

const freeForm = gen(
  ["object"],
  fc.dictionary(fc.string(), anything.valid, { maxKeys: 3, noNullPrototype: true }),
  () => leaving("type", ["object"]),
);

const nothing = gen(["null"], fc.constant(null), () => leaving("type", ["null"]));

const bool = gen(["boolean"], fc.boolean(), () => leaving("type", ["boolean"]));
/** Printable ASCII, and now and then what has gone wrong elsewhere: accents, a line separator, a pair of surrogates. */
const CHARACTER = fc.constantFrom(
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
  "\\u0000",
  "\\u00e9",
  "\\u0301",
  "\\u2028",
  "\\u4e2d",
  "\\ud83d\\ude00",
);
const LETTERS = ["", "!", " ", "a", "A", "0", "_", "-", "\\u00e9", "\\ud83d\\ude00"];

function text({ min = 0, max, pattern, draw } = {}) {
  const bounds = { minLength: min, ...(max === undefined ? {} : { maxLength: max }) };
  const matches = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const fits = (value) => {
    const length = [...value].length;
    return length >= min && (max === undefined || length <= max);
  };
  let valid;
  if (matches === undefined || pattern === undefined) {
    // Each unit is one code point, which is what the bounds count.
    valid = fc.string({ ...bounds, unit: CHARACTER });
  } else {
    valid = fc.stringMatching(new RegExp(draw ?? pattern, "u"));
    if (draw !== undefined || min > 0 || max !== undefined)
      valid = firstThat(valid, (value) => fits(value) && matches.test(value), pattern);
  }
  return gen(["string"], valid, () => {
    const ways = leaving("type", ["string"]);
    const misfits = (lengths) =>
      [
        ...new Set(
          lengths.flatMap((length) =>
            LETTERS.flatMap((letter) => (letter === "" && length > 0 ? [] : [letter.repeat(length)])),
          ),
        ),
      ].filter((value) => matches === undefined || matches.test(value));
    if (min > 0) add("minLength", misfits([min - 1]));
    if (max !== undefined) add("maxLength", misfits([max + 1]));
    if (matches !== undefined) {
      const lengths = [min, min + 1, min + 3, max ?? min + 8].filter(
        (length) => max === undefined || length <= max,
      );
      const values = [
        ...new Set(
          lengths.flatMap((length) => LETTERS.map((letter) => letter.repeat(letter === "" ? 0 : length))),
        ),
      ];
      add(
        "pattern",
        values.filter((value) => fits(value) && !matches.test(value)),
      );
    }
    return ways;
    function add(keyword, values) {
      if (values.length > 0) ways.push(way(keyword, () => fc.constantFrom(...values)));
    }
  });
}

/** The first drawn value that fits; a bounded search, so that a pattern that is hard to meet ends in an error. */
function firstThat(values, fits, pattern) {
  return fc.infiniteStream(values).map((stream) => {
    let tries = 0;
    for (const value of stream) {
      if (fits(value)) return value;
      if (++tries === 2_000) break;
    }
    throw new Error("no string was found that matches " + pattern + " within its bounds");
  });
}

function integer({ min, max } = {}) {
  const low = Math.max(Math.ceil(min ?? -MAX), -MAX);
  const high = Math.min(Math.floor(max ?? MAX), MAX);
  const middle = Math.min(Math.max(0, low), high);
  return gen(["number"], fc.integer({ min: low, max: high }), () => [
    ...leaving("type", ["number"]),
    way("type", () => fc.constantFrom(...(middle < high ? [middle + 0.5] : [middle - 0.5]))),
    ...(min === undefined
      ? []
      : [
          way("minimum", () =>
            low - 1 < -MAX
              ? fc.constant(low - 1)
              : fc.integer({ min: Math.max(low - 1_000, -MAX), max: low - 1 }),
          ),
        ]),
    ...(max === undefined
      ? []
      : [
          way("maximum", () =>
            high + 1 > MAX
              ? fc.constant(high + 1)
              : fc.integer({ min: high + 1, max: Math.min(high + 1_000, MAX) }),
          ),
        ]),
  ]);
}

function number({ min, max } = {}) {
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  // JSON has no negative zero.
  const valid = fc.double({ ...bounds, noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n));
  return gen(["number"], valid, () => [
    ...leaving("type", ["number"]),
    ...(min === undefined
      ? []
      : [way("minimum", () => fc.integer({ min: 1, max: 1_000 }).map((n) => min - n))]),
    ...(max === undefined
      ? []
      : [way("maximum", () => fc.integer({ min: 1, max: 1_000 }).map((n) => max + n))]),
  ]);
}

/** One of some values: a closed enum, or a constant. */
function oneOf(keyword, categories, values) {
  const texts = values.map((value) => JSON.stringify(value));
  const within = fc
    .oneof(
      ...categories.map((category) =>
        category === "string" ? fc.oneof(OTHERS.string, fc.string()) : OTHERS[category],
      ),
    )
    .map((value) => (texts.includes(JSON.stringify(value)) ? undefined : value));
  const spare = categories.includes("string")
    ? "no such word"
    : categories.includes("number")
      ? 0.25
      : categories.includes("array")
        ? ["no such value"]
        : { no: "such value" };
  const same = categories.some((category) => category !== "null" && category !== "boolean");
  return gen(categories, fc.constantFrom(...values), () => [
    ...leaving(keyword, categories),
    ...(same ? [way(keyword, () => within.map((value) => value ?? spare))] : []),
  ]);
}

/** An open enum: its words, and now and then another. */
function words(...known) {
  return gen(
    ["string"],
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.string() }),
    () => leaving("type", ["string"]),
  );
}
`;
