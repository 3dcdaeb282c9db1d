/** Small messages: what is not needed is gone, and the place in the message is still known. */
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../codegen/bundle/json.js";
import { partAt, pointerTo, withPart } from "../../../../codegen/drift/evidence/paths.js";
import { shrink } from "../../../../codegen/drift/evidence/shrink.js";

describe("a message made small", () => {
  it("keeps what it has to show, where the place says", () => {
    const whole = { a: [1, 2, { deep: [["x"], ["wanted text", 7], null] }, 4], b: { c: "long text" } };
    const small = shrink({ whole, place: ["a", 2, "deep", 1, 0] }, ({ whole: now, place }) => {
      const part = partAt(now, place);
      return typeof part === "string" && part.includes("t");
    });
    expect(small).toEqual({ whole: { a: [{ deep: [["t"]] }] }, place: ["a", 0, "deep", 0, 0] });
  });

  it("keeps what else it cannot be without", () => {
    const whole = { need: { x: 900, y: 2 }, other: "o", part: { n: 12 } };
    const small = shrink(
      { whole, place: ["part", "n"] },
      ({ whole: now, place }) =>
        typeof partAt(now, ["need", "x"]) === "number" && Number(partAt(now, place)) > 10,
    );
    expect(small.whole).toEqual({ need: { x: 0 }, part: { n: 12 } });
  });

  it("takes null for what may be null beside the place, and not at it", () => {
    const whole = { beside: { x: 1 }, part: { x: 1 } };
    const small = shrink({ whole, place: ["part"] }, ({ whole: now }) => {
      const { beside, part } = now as Record<string, Json>;
      return beside !== undefined && part !== undefined;
    });
    expect(small.whole).toEqual({ beside: null, part: {} });
  });

  it("ends where everything could go on being smaller", () => {
    let tries = 0;
    const whole = Array.from({ length: 5_000 }, (_, i) => ({ i }));
    const small = shrink({ whole, place: [4_999] }, () => ++tries > 0);
    expect(tries).toBeLessThan(1_000);
    expect(partAt(small.whole, small.place)).toBeDefined();
  });
});

describe("places", () => {
  it("may have any name", () => {
    const value = JSON.parse('{"__proto__": {"a/b": [{"~": 1}]}}') as Json;
    const path = ["__proto__", "a/b", 0, "~"];
    expect(partAt(value, path)).toBe(1);
    expect(pointerTo(path)).toBe("/__proto__/a~1b/0/~0");
    const other = withPart(value, path, 2);
    expect(JSON.stringify(other)).toBe('{"__proto__":{"a/b":[{"~":2}]}}');
    expect(JSON.stringify(withPart(other, ["__proto__", "a/b", 0], undefined))).toBe(
      '{"__proto__":{"a/b":[]}}',
    );
    expect(partAt(value, ["toString"])).toBeUndefined();
    expect(partAt({}, ["__proto__"])).toBeUndefined();
  });
});
