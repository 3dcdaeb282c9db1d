/** A bundle whose texts and names try to break Markdown and HTML, with every shape that a page must tell. */
import { bundleOf } from "../../../support/compile.js";

/** Text that ends cells, comments, code, tags and lines somewhere. */
export const HOSTILE_TEXT =
  "a | b || <b>bold</b> `co|de` and `un*finished* */ --> </script><script>alert(1)</script> \u2028 \u2029 [x](javascript:1) ![i](u) &lt; &#60; $x$ {y} \\ ~~~ _e_ snake_case\n# no heading\n- no list\n1. no list\n> no quote\n``` no fence\n    no block\n| no | row |\n</details>";

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const text = (more: object = {}): object => ({ type: "string", description: HOSTILE_TEXT, ...more });

/** Made of it. */
export const HOSTILE_BUNDLE = bundleOf(
  {
    "a|b": text({ minLength: 1, maxLength: 3 }),
    "a-c": text({ enum: ["`", "|", "<", "\u2028", "", " ", "a\\", "1"] }),
    "<script>": object({
      "a|b": text(),
      "c.d": ref("a|b"),
      "`": text({ pattern: "^[|`\\\\]{2,3}$" }),
      "": text({ default: "|`</script>" }),
      " ": text({ examples: ["|"] }),
      "*": text({ const: "</details>" }),
      "[]": text({ enum: ["x | y", "z"], "x-msp-openness": "open" }),
      toString: text(),
      list: {
        type: "array",
        items: { type: "array", items: { type: "integer", minimum: 1, maximum: 3 } },
        minItems: 2,
      },
      map: {
        type: "object",
        additionalProperties: object({ deep: { enum: [1, "1", null, true] } }, { required: ["deep"] }),
      },
      both: { ...ref("a|b"), pattern: "^a", description: HOSTILE_TEXT },
      choice: {
        anyOf: [{ type: "string", minLength: 2 }, object({ k: { type: "boolean" } }), { type: "null" }],
      },
      free: {},
      bare: object({}),
      loose: { minItems: 1, minLength: 2 },
    }),
    Union: {
      oneOf: [
        object({ "<tag>": { const: "a|b" }, v: text() }, { required: ["<tag>"] }),
        object({ "<tag>": { const: "c" }, n: { type: "integer", maximum: 4 } }, { required: ["<tag>", "n"] }),
        {
          anyOf: [
            { type: "string", pattern: "^\\|+$" },
            { type: "array", items: text(), maxItems: 2 },
          ],
        },
        { type: "null" },
      ],
      description: HOSTILE_TEXT,
    },
    Ring: object({ next: ref("Ring"), also: { type: "array", items: ref("Ring") } }),
    Params: object(
      { tag: text(), two: ref("Union"), ring: ref("Ring") },
      { required: ["tag", "undeclared"] },
    ),
    Result: object({ a: ref("<script>"), b: ref("a-c") }),
  },
  {
    protocol: { name: "hostile", title: "H | <b> `t` */ \u2028", version: 1 },
    description: HOSTILE_TEXT,
    methods: {
      "con/a|b": {
        params: ref("Params"),
        result: ref("Result"),
        description: HOSTILE_TEXT,
        "x-msp-kind": "action",
      },
      "CON/<x>": { result: ref("Union"), description: HOSTILE_TEXT, title: HOSTILE_TEXT },
      "../../up": { result: ref("Union") },
      "/": { result: ref("Union") },
    },
    notifications: { "con/a|b": { params: ref("Ring"), description: HOSTILE_TEXT } },
    capabilities: {
      grantable: ["a|`"],
      descriptions: { "a|`": HOSTILE_TEXT },
      reserved: [{ name: "|", reference: HOSTILE_TEXT }],
    },
    errors: [{ code: 1, kind: "a|<b>`", description: HOSTILE_TEXT, overrideKinds: ["`|"] }],
    rejections: [{ reason: "|`: x", description: HOSTILE_TEXT }],
    reserved: [{ identifier: "`|", reference: HOSTILE_TEXT }],
  },
);
