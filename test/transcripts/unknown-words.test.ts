/** Words that open enums do not list, wherever a value holds them. */
import { describe, expect, it } from "vitest";
import type { Bundle, ModelDefinition } from "../../src/transcripts/index.js";
import { walk } from "../../src/transcripts/unknown-words.js";

const word = (open: boolean): ModelDefinition => ({
  enum: { open, values: [{ value: "a" }, { value: "b" }] },
});
const tagged = (names: readonly string[], otherwise?: number): ModelDefinition => ({
  union: {
    arms: names.map((name) => ({ members: [{ name, schema: { ref: "Open" } }] })),
    dispatch: [
      {
        kind: "tag",
        categories: ["object"],
        tag: "t",
        cases: [{ value: "one", arm: 0 }],
        ...(otherwise === undefined ? {} : { otherwise }),
      },
      { kind: "arm", categories: ["null", "string"], arm: 1 },
    ],
  },
});
const definitions: Readonly<Record<string, ModelDefinition>> = {
  Open: word(true),
  Closed: word(false),
  Scalar: {
    union: { arms: [{}, { ref: "Open" }], dispatch: [{ kind: "arm", categories: ["string"], arm: 1 }] },
  },
  Tagged: tagged(["x", "y"], 1),
  Shut: tagged(["x", "y"]),
  Root: {
    members: [
      { name: "open", schema: { ref: "Open" } },
      { name: "closed", schema: { ref: "Closed" } },
      { name: "list", schema: { items: { ref: "Open" } } },
      { name: "map", schema: { members: [{ name: "no", schema: {} }], additional: { ref: "Open" } } },
      { name: "own", schema: { enum: { open: true, values: [{ value: 1 }] } } },
      { name: "scalar", schema: { ref: "Scalar" } },
      { name: "tagged", schema: { ref: "Tagged" } },
      { name: "shut", schema: { ref: "Shut" } },
      { name: "page", schema: { carries: "notification", members: [] } },
    ],
  },
};
const walked = (value: unknown, definition = "Root") =>
  walk(value, definition, { definitions } as unknown as Bundle["model"]);

describe("a value", () => {
  it.each([
    [{ open: "a", closed: "z", list: ["a", "b"], map: { no: "z" }, own: 2 }, []],
    [{ open: "z" }, [["Open", "z", "/open"]]],
    [
      { list: ["a", "y", "z"] },
      [
        ["Open", "y", "/list/1"],
        ["Open", "z", "/list/2"],
      ],
    ],
    [{ map: { "a/b~": "z" } }, [["Open", "z", "/map/a~1b~0"]]],
    [{ own: "z" }, [["Root", "z", "/own"]]],
    [{ scalar: "z" }, [["Open", "z", "/scalar"]]],
    [{ scalar: 1 }, []],
    [{ tagged: { t: "one", x: "z", y: "z" } }, [["Open", "z", "/tagged/x"]]],
    [{ tagged: { t: "new", x: "z", y: "z" } }, [["Open", "z", "/tagged/y"]]],
    [{ shut: { t: "new", x: "z", y: "z" } }, []],
    // What does not fit is the validator's to tell.
    [{ open: 1, list: "z", map: ["z"], tagged: [] }, []],
    ["z", []],
  ])("%j", (value, expected) => {
    expect(
      walked(value).words.map(({ def, value: found, instanceLocation }) => [def, found, instanceLocation]),
    ).toEqual(expected);
  });

  it("that carries a message gives it with its place", () => {
    expect(walked({ page: { method: "m", params: { open: "z" } } })).toEqual({
      words: [],
      carried: [{ method: "m", params: { open: "z" }, instanceLocation: "/page/params" }],
    });
    expect(walked({ page: { params: {} } }).carried).toEqual([]);
  });

  it("of a definition that is not there has nothing", () => {
    expect(walked({}, "Nowhere")).toEqual({ words: [], carried: [] });
  });
});
