/**
 * The helpers for arrays, objects and unions, and the way from a generator to what the module exports.
 */
export const PARTS_RUNTIME = `function array(items, { min = 0, max } = {}) {
  if (items === undefined)
    return min > 0 ? undefined : gen(["array"], fc.constant([]), () => leaving("type", ["array"]));
  const list = (minLength, most) =>
    fc.array(items.valid, {
      minLength,
      maxLength: Math.max(minLength, Math.min(most ?? minLength + 3, minLength + 3)),
    });
  return gen(["array"], list(min, max), () => [
    ...leaving("type", ["array"]),
    ...(min > 0
      ? [
          way("minItems", () =>
            fc.array(items.valid, { minLength: Math.max(0, min - 2), maxLength: min - 1 }),
          ),
        ]
      : []),
    ...(max === undefined
      ? []
      : [way("maxItems", () => items.valid.map((value) => Array(max + 1).fill(value)))]),
    ...(max === 0
      ? []
      : items.ways().map((inner) => ({
          at: "/*" + inner.at,
          keyword: inner.keyword,
          make: once(() =>
            fc
              .tuple(
                list(Math.max(0, min - 1), max === undefined ? undefined : max - 1),
                fc.nat(),
                inner.make(),
              )
              .map(([before, n, wrong]) => {
                const i = n % (before.length + 1);
                return {
                  value: [...before.slice(0, i), wrong.value, ...before.slice(i)],
                  at: "/" + i + wrong.at,
                };
              }),
          ),
        }))),
  ]);
}
const UNKNOWN = "x-unknown";

function object(required, optional, options = {}) {
  const { others, needs = {}, exact } = options;
  const must = Object.keys(required);
  const members = new Map();
  for (const [name, member] of [...Object.entries(required), ...Object.entries(optional)]) {
    if (member !== undefined) members.set(name, member);
    else if (must.includes(name)) return undefined;
  }
  const isMap = "others" in options;
  /** What has to be there when some members are. */
  const withNeeds = (names) => {
    const all = new Set(names);
    for (const name of all) if (Object.hasOwn(needs, name)) for (const need of needs[name]) all.add(need);
    return all;
  };
  /** What has to go when a member goes. */
  const withoutNeed = (name) => {
    const gone = new Set([name]);
    for (let before = 0; before !== gone.size; ) {
      before = gone.size;
      for (const [other, list] of Object.entries(needs))
        if (list.some((need) => gone.has(need))) gone.add(other);
    }
    return gone;
  };
  const record = (forced, gone = new Set()) => {
    const model = [];
    for (const [name, member] of members) if (!gone.has(name)) model.push([name, member.valid]);
    const keys = model
      .map(([name]) => name)
      .filter((name) => forced.has(name) || (must.includes(name) && !gone.has(name)));
    if (!isMap && exact !== true) model.push([UNKNOWN, OTHERS.array]);
    let values = fc.record(own(model), { requiredKeys: keys, noNullPrototype: true });
    if (Object.keys(needs).length > 0) values = values.map(dropUnmet);
    if (others === undefined) return values;
    const names = fc
      .string({ minLength: 1, maxLength: 12 })
      .map((name) => (members.has(name) || gone.has(name) ? name + "+" : name));
    const rest = fc.dictionary(names, others.valid, { maxKeys: 4, noNullPrototype: true });
    return members.size === 0
      ? rest
      : fc.tuple(values, rest).map(([a, b]) => own([...Object.entries(b), ...Object.entries(a)]));
  };
  const needing = Object.keys(needs).map((name) => [name, [...withNeeds([name])]]);
  const dropUnmet = (value) => {
    const unmet = (name, all) => Object.hasOwn(value, name) && !all.every((need) => Object.hasOwn(value, need));
    const gone = new Set(needing.flatMap(([name, all]) => (unmet(name, all) ? [name] : [])));
    return gone.size === 0 ? value : own(Object.entries(value).filter(([name]) => !gone.has(name)));
  };
  return gen(["object"], record(new Set()), () => {
    const ways = leaving("type", ["object"]);
    for (const name of must) {
      const gone = withoutNeed(name);
      if ([...gone].some((other) => other !== name && must.includes(other))) continue;
      ways.push(way("required", () => record(new Set(), gone), { without: name }));
    }
    for (const [name, list] of Object.entries(needs)) {
      for (const need of list) {
        if (must.includes(need) || !members.has(name)) continue;
        const gone = withoutNeed(need);
        const forced = [...withNeeds([name])].filter((other) => other !== need);
        if (
          forced.some((other) => other !== name && gone.has(other)) ||
          [...gone].some((other) => must.includes(other))
        )
          continue;
        ways.push(
          way("dependentRequired", () =>
            fc
              .tuple(record(new Set(forced), gone), members.get(name).valid)
              .map(([value, member]) => own([...Object.entries(value), [name, member]])),
          ),
        );
      }
    }
    for (const [name, member] of members) for (const inner of member.ways()) ways.push(lifted(name, inner));
    if (others !== undefined) {
      for (const inner of others.ways()) ways.push({ ...lifted("x-other", inner), at: "/*" + inner.at });
    }
    return ways;
  });
  function lifted(name, inner) {
    const step = "/" + name.replaceAll("~", "~0").replaceAll("/", "~1");
    const forced = withNeeds([name]);
    return {
      at: step + inner.at,
      keyword: inner.keyword,
      make: once(() =>
        fc.tuple(record(forced), inner.make()).map(([value, wrong]) => ({
          value: own([...Object.entries(value).filter(([other]) => other !== name), [name, wrong.value]]),
          at: step + wrong.at,
        })),
      ),
    };
  }
}

/** An object with own members, whatever their names. */
function own(entries) {
  const out = {};
  for (const [name, value] of entries)
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  return out;
}

/** Alternatives that differ by category. */
function union(...arms) {
  const there = arms.filter((arm) => arm !== undefined);
  if (there.length === 0) return undefined;
  const categories = CATEGORIES.filter((category) => arms.some((arm) => arm?.categories.includes(category)));
  return gen(categories, fc.oneof(...there.map((arm) => arm.valid)), () => [
    // An arm that is too deep to be made would take some of these.
    ...(there.length < arms.length ? [] : leaving("type", categories)),
    ...there.flatMap((arm) => arm.ways().filter((entry) => entry.leaves !== true)),
  ]);
}

/** Objects that differ by a tag. \`keyword\` is what an unknown tag breaks; undefined where the last arm takes it. */
function tagged(tag, keyword, known, ...arms) {
  const there = arms.filter((arm) => arm !== undefined);
  if (there.length === 0) return undefined;
  const at = "/" + tag.replaceAll("~", "~0").replaceAll("/", "~1");
  const last = keyword === undefined ? arms.at(-1) : undefined;
  const setTag = (value, word) =>
    own([...Object.entries(value).filter(([name]) => name !== tag), [tag, word]]);
  const unknownTag = (value) => {
    const word = value[tag];
    return typeof word === "string" && known.includes(word) ? setTag(value, word + "?") : value;
  };
  const valid = there.map((arm) => (arm === last ? arm.valid.map(unknownTag) : arm.valid));
  return gen(["object"], fc.oneof(...valid), () => {
    const ways = leaving("type", ["object"]);
    for (const arm of there) {
      for (const entry of arm.ways()) {
        const ofTag = entry.at === at || entry.without === tag;
        if (entry.leaves === true || (ofTag && arm !== last)) continue;
        if (arm !== last || ofTag) ways.push(entry);
        else
          ways.push({
            ...entry,
            make: once(() => entry.make().map((wrong) => ({ ...wrong, value: unknownTag(wrong.value) }))),
          });
      }
    }
    const first = there[0];
    if (keyword !== undefined) {
      const values = fc.oneof(
        outside(["string"]),
        fc.string().map((word) => (known.includes(word) ? word + "?" : word)),
      );
      ways.push({
        at,
        keyword,
        make: once(() =>
          fc.tuple(first.valid, values).map(([value, word]) => ({ value: setTag(value, word), at })),
        ),
      });
      ways.push(
        way(
          "required",
          () => first.valid.map((value) => own(Object.entries(value).filter(([name]) => name !== tag))),
          { without: tag },
        ),
      );
    }
    return ways;
  });
}

/** The test data of a definition, made when first asked for. */
function samples(definition) {
  const made = once(() => definition(NESTING));
  const ways = once(() => made().ways());
  const invalid = once(() =>
    ways().length === 0
      ? undefined
      : // Which way is drawn does not shrink: a smaller counterexample is wrong for the same reason.
        fc.noShrink(fc.nat(ways().length - 1)).chain((i) => {
          const { keyword, make } = ways()[i];
          return make().map(({ value, at }) => ({ value, instanceLocation: at, keyword }));
        }),
  );
  return {
    get valid() {
      return made().valid;
    },
    get invalid() {
      return invalid();
    },
    get reasons() {
      return ways().map(({ at, keyword }) => ({ instanceLocation: at, keyword }));
    },
  };
}
`;
