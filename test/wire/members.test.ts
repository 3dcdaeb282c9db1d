import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { membersOf } from "../../src/wire/members.js";

/** JSON text of an object, with white space anywhere it may be. */
const spaced = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom("", " ", "\n\t", "  "))
  .map(([value, space]) => ({ value, text: space + JSON.stringify(value, null, space) + space }));

describe("the members of a JSON text", () => {
  it("are those that parsing gives, each with its value's own text", () => {
    let members = 0;
    fc.assert(
      fc.property(spaced, ({ value, text }) => {
        const found = [...membersOf(text)];
        members += found.length;
        expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(JSON.parse(text) as object).sort());
        const rebuilt = Object.fromEntries(
          found.map(({ name, valueStart, valueEnd }) => [
            name,
            JSON.parse(text.slice(valueStart, valueEnd)) as unknown,
          ]),
        );
        expect(rebuilt).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1_000 },
    );
    expect(members).toBeGreaterThan(1_000);
  });

  it("of a text that is cut off are its beginning; the one that is cut has no end", () => {
    fc.assert(
      fc.property(spaced, fc.nat(), ({ text }, at) => {
        const cut = text.slice(0, at % (text.length + 1));
        const whole = [...membersOf(text)];
        for (const [i, member] of [...membersOf(cut)].entries()) {
          expect(member.name).toBe(whole[i]?.name);
          if (member.valueEnd !== undefined) expect(member).toEqual(whole[i]);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["", "[]", "null", "{", "{}", '{"a', '{"a"', '{"a" 1}', "{a:1}", '{"a":', '{"\\q":1}'])(
    "of %j end without an error",
    (text) => {
      for (const { valueEnd } of membersOf(text)) expect(valueEnd).toBeUndefined();
    },
  );

  it("may be as long as a frame", () => {
    const long = '"\\'.repeat(2_000_000);
    const text = JSON.stringify({ long, list: [long], last: 1 });
    expect([...membersOf(text)].map(({ name, valueEnd }) => [name, valueEnd !== undefined])).toEqual([
      ["long", true],
      ["list", true],
      ["last", true],
    ]);
  });

  it("are all there when names come twice", () => {
    expect([...membersOf('{"id":1,"id":"a","x":{"id":2}}')].map(({ name }) => name)).toEqual([
      "id",
      "id",
      "x",
    ]);
  });
});
