/** Where a bundle has what the pointer of a change names. */
import { describe, expect, test } from "vitest";
import { Source } from "../../../codegen/bundle/source.js";
import { isWritten, placesOf } from "../../../codegen/drift/written.js";
import { bundleText, unmark } from "../../support/marked.js";

const { text, places } = unmark(
  bundleText(`▸"$defs": {
    ▸"A": { "type": "object", "properties": { ▸"x": { "type": "null", "default": null } } },
    "E": { ▸"enum": ["a", { "b": 1, "c": 2 }], "x-msp-openness": "closed" }
  },
  ▸"errors": [{ "code": -1, "kind": "one" },
    ▸{ "code": -2, "kind": "a/b" }],
  "rejections": [{ "reason": "one" }, ▸{ "reason": "two" }],
  "capabilities": { "grantable": ["g"], "experimental": [▸"h"] },
  ▸"methods": { ▸"a/b": { "result": { "$ref": "#/$defs/A" } } }`),
);
const head = new Source("head.json", text, JSON.parse(text));
const base = new Source("base.json", "{}", {});

describe("what a pointer names", () => {
  test.each([
    ["/$defs/A", 1],
    ["/$defs/A/properties/x", 2],
    ["/$defs/E/enum", 3],
    ["/errors/a~1b", 5],
    ["/rejections/two", 6],
    ["/capabilities/h", 7],
    ["/methods/a~1b", 9],
  ] as const)("%s is there, and found", (pointer, mark) => {
    expect(isWritten(head, pointer)).toBe(true);
    const { file, line, column } = placesOf(base, head)(pointer, "head");
    expect(`${file} ${line}:${column}`).toBe(`head.json ${places[mark]}`);
  });

  test.each([
    ["/$defs/A/properties/y", 1],
    ["/$defs/A/properties/toString", 1],
    ["/errors/two", 4],
    ["/methods/c", 8],
    ["/$defs/E/enum/01", 3],
  ] as const)("%s is not there; the nearest that is gives the place", (pointer, mark) => {
    expect(isWritten(head, pointer)).toBe(false);
    const found = placesOf(base, head)(pointer, "head");
    expect(found.line).toBe(Number(places[mark]?.split(":")[0]));
  });

  test("is looked for on the side that is asked", () => {
    expect(placesOf(base, head)("/$defs/A", "base")).toEqual({ file: "base.json", line: 1, column: 1 });
    expect(isWritten(base, "/$defs/A")).toBe(false);
    expect(isWritten(base, "")).toBe(true);
  });

  test("is a listed word, where there is one", () => {
    expect(isWritten(head, "/$defs/E/enum", "a")).toBe(true);
    expect(isWritten(head, "/$defs/E/enum", { c: 2, b: 1 })).toBe(true);
    expect(isWritten(head, "/$defs/E/enum", "b")).toBe(false);
    // The shape of an alternative is not what is written.
    expect(isWritten(head, "/$defs/A/properties", { const: "a" })).toBe(true);
    expect(isWritten(head, "/$defs/A/properties/x/default")).toBe(true);
  });
});
