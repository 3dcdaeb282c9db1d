import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleOf, planOf, textOf } from "../../../support/compile.js";
import { check, programOf } from "../../../support/typescript.js";

/** What an editor tells about a type, or a member of one. */
interface Doc {
  readonly text: string;
  readonly tags: readonly string[];
}

/** The docs of the types and members of generated types, by `Type` and `Type.member`. */
function docsOf(types: string): ReadonlyMap<string, Doc> {
  const program = programOf({ "types.ts": types });
  const checker = program.getTypeChecker();
  const docs = new Map<string, Doc>();
  const put = (name: string, symbol: ts.Symbol): void => {
    docs.set(name, {
      text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
      tags: symbol
        .getJsDocTags(checker)
        .map((tag) => [tag.name, ts.displayPartsToString(tag.text)].filter((part) => part !== "").join(" ")),
    });
  };
  const source = program.getSourceFiles().find(({ fileName }) => fileName.endsWith("/types.ts"))!;
  for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)) {
    put(symbol.name, symbol);
    if ((symbol.flags & ts.SymbolFlags.Type) === 0) continue;
    for (const member of checker.getDeclaredTypeOfSymbol(symbol).getProperties())
      if (member.declarations?.[0]?.getSourceFile() === source) put(`${symbol.name}.${member.name}`, member);
  }
  return docs;
}

describe("doc comments say what the schema says", () => {
  let docs: ReadonlyMap<string, Doc>;

  beforeAll(async () => {
    const bundle = bundleOf(
      {
        T: {
          type: "object",
          description: "A thing.",
          properties: {
            plain: { type: "string", description: "Two\nlines." },
            silent: { type: "string" },
            blank: { type: "string", description: "  " },
            size: { type: "integer", minimum: 1, maximum: 9, description: "How big." },
            low: { type: "number", minimum: -0.5 },
            word: { type: "string", minLength: 1, maxLength: 3, pattern: "^[a-z]+$" },
            list: { type: "array", items: { type: "string" }, maxItems: 5 },
            old: { type: "string", description: "Gone soon.", deprecated: true },
            fresh: { type: "string", "x-msp-stability": "experimental", "x-msp-descriptor": "m.fresh" },
          },
          dependentRequired: { size: ["low", "word"] },
        },
        Old: { type: "string", deprecated: true, minLength: 2 },
        Fresh: {
          type: "object",
          description: "New.",
          properties: {},
          "x-msp-stability": "experimental",
          "x-msp-descriptor": "fresh",
        },
      },
      {
        methods: {
          m: { description: "Does it.", params: { $ref: "#/$defs/T" }, result: { $ref: "#/$defs/T" } },
          fresh: {
            description: "Does more.",
            result: { $ref: "#/$defs/Fresh" },
            "x-msp-stability": "experimental",
            "x-msp-descriptor": "fresh",
          },
        },
      },
    );
    docs = docsOf(await textOf(planOf(bundle), "types"));
  });

  test.each<[string, string, readonly string[]]>([
    ["T", "A thing.\n`size` needs `low` and `word`.", []],
    ["T.plain", "Two\nlines.", []],
    ["T.silent", "", []],
    ["T.blank", "", []],
    ["T.size", "How big.\nValue from 1 to 9.", []],
    ["T.low", "Value at least -0.5.", []],
    ["T.word", "Length from 1 to 3 code points. Matches `^[a-z]+$`.", []],
    ["T.list", "Length at most 5 elements.", []],
    ["T.old", "Gone soon.", ["deprecated"]],
    ["T.fresh", "", ["experimental m.fresh"]],
    ["Old", "Length at least 2 code points.", ["deprecated"]],
    ["Fresh", "New.", ["experimental fresh"]],
    ["MethodParams.m", "Does it.", []],
    ["MethodParams.fresh", "Does more.", ["experimental fresh"]],
  ])("%s", (name, text, tags) => {
    expect(docs.get(name)).toEqual({ text, tags });
  });
});

describe("no text breaks out of its comment", () => {
  /** Texts that end a comment, open one, or are read as something else in a script or a page. */
  const HOSTILE = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it must not become a template either
    "ends here */ ${x} `y` \u2028 <script>",
    "*/",
    "*/*/",
    "**/",
    "/*",
    "*\n/",
    "*\u2028/",
    "/",
    "ends in a star *",
    "\r\n*/\r\n",
    "// x",
    "</script><script>alert(1)</script>",
    "\\*/ \\u002a/",
    "*\u0000/",
  ];

  test.each(HOSTILE.map((text) => [JSON.stringify(text), text]))("%s", async (_, description) => {
    const object = { type: "object", description, properties: { default: { type: "string", description } } };
    const plan = planOf(
      bundleOf(
        {
          Error: object,
          P: { type: "string", pattern: "a*/", description },
          U: {
            description,
            anyOf: [
              { ...object, properties: { k: { const: `a ${description}` } }, required: ["k"] },
              { type: "object", properties: { k: { const: "b*/" } }, required: ["k"] },
              { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
            ],
            "x-msp-openness": "open",
          },
        },
        { methods: { "*/": { description, result: { $ref: "#/$defs/Error" } } } },
      ),
    );
    const types = await textOf(plan, "types");
    const files = {
      "types.ts": types,
      "validators.d.ts": await textOf(plan, "validators", "validators.d.ts"),
      "tables.d.ts": await textOf(plan, "tables", "tables.d.ts"),
    };
    expect(check(files)).toEqual([]);
    // The program is the same as without any text, so no part of a text became code.
    const exports = types.match(/^export (?:type|interface|function) \w+/gm);
    expect(exports).toHaveLength(3 + 3 + 3 + 10);
  });

  test("and the words of an enum do not break out of their quotes", async () => {
    const bundle = bundleOf({
      Error: { type: "object", description: HOSTILE[0], properties: { default: { type: "string" } } },
      "foo-bar": { type: "string" },
      String: { type: "string", enum: ["", "a b", "1", "__proto__", ...HOSTILE] },
    });
    const types = await textOf(planOf(bundle), "types");
    expect(check({ "types.ts": types })).toEqual([]);
    expect(types).not.toContain("\u2028");
    expect(types).not.toContain("</script");
  });
});
