/** The edits of the table: one thing that is added, removed or changed, and what that does to the values of a node. */
import type { DriftRuleId } from "../../../../codegen/drift/rules.js";

/** A node as a bundle spells it. */
export type Node = { readonly [keyword: string]: unknown };

/** What one rule is to tell, as whoever wrote the edit knows it. */
export interface Told {
  readonly rule: DriftRuleId;
  /** Some values are lost; some are gained. */
  readonly narrows?: true;
  readonly widens?: true;
  /** Something is gone that somebody may rely on. */
  readonly relied?: true;
  readonly moved?: "promoted" | "demoted";
  /** Seen behind the opt-in alone. */
  readonly surface?: "experimental";
}

/** One edit of one node. */
export interface Case {
  readonly thing: string;
  readonly what: "added" | "removed" | "changed";
  /** Of the list or the union that the thing is in, where that matters. */
  readonly openness?: "open" | "closed";
  /** Tells this edit from others of the same thing. */
  readonly how?: string;
  readonly before: Node;
  readonly after: Node;
  readonly tells: readonly Told[];
}

const text: Node = { type: "string" };
const whole: Node = { type: "integer" };

function words(openness: "open" | "closed", ...values: string[]): Node {
  return { type: "string", enum: values, "x-msp-openness": openness };
}

function object(properties: Node, required: readonly string[] = []): Node {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function arm(kind: string, required: readonly string[] = []): Node {
  return object({ kind: { const: kind }, note: text }, ["kind", ...required]);
}

function union(openness: "open" | "closed", ...arms: Node[]): Node {
  return openness === "closed"
    ? { oneOf: arms }
    : { anyOf: [...arms, object({ kind: text }, ["kind"])], "x-msp-openness": "open" };
}

const later = (node: Node): Node => ({ ...node, "x-msp-stability": "experimental" });
const laterWords = (openness: "open" | "closed", ...values: string[]): Node => ({
  ...words(openness, ...values),
  "x-msp-value-stability": { [values.at(-1) as string]: "experimental" },
});

const OPENNESS = ["open", "closed"] as const;

const GAIN = { widens: true } as const;
const LOSS = { narrows: true } as const;
const RELY = { relied: true } as const;

/** What a new and a missing word or arm does, by the openness of where it is. */
const CAME = { open: {}, closed: GAIN } as const;
const WENT = { open: RELY, closed: LOSS } as const;

function ofOpenness(openness: "open" | "closed"): Case[] {
  const [came, went] = [CAME[openness], WENT[openness]];
  const value = (before: string[], after: string[]): Pick<Case, "before" | "after"> => ({
    before: words(openness, ...before),
    after: words(openness, ...after),
  });
  const arms = (before: Node[], after: Node[]): Pick<Case, "before" | "after"> => ({
    before: union(openness, ...before),
    after: union(openness, ...after),
  });
  const [a, b, c] = [arm("a"), arm("b"), arm("c")];
  const known = { thing: "value", openness };
  const branch = { thing: "union arm", openness };
  return [
    { ...known, what: "added", ...value(["a"], ["a", "c"]), tells: [{ rule: "value-added", ...came }] },
    { ...known, what: "removed", ...value(["a", "c"], ["a"]), tells: [{ rule: "value-removed", ...went }] },
    {
      ...known,
      what: "changed",
      ...value(["a", "b"], ["a", "c"]),
      tells: [
        { rule: "value-added", ...came },
        { rule: "value-removed", ...went },
      ],
    },
    { ...branch, what: "added", ...arms([a, b], [a, c, b]), tells: [{ rule: "arm-added", ...came }] },
    { ...branch, what: "removed", ...arms([a, c, b], [a, b]), tells: [{ rule: "arm-removed", ...went }] },
    {
      ...branch,
      what: "changed",
      how: "for another one",
      ...arms([a, b], [a, c]),
      tells: [
        { rule: "arm-added", ...came },
        { rule: "arm-removed", ...went },
      ],
    },
    {
      ...branch,
      what: "changed",
      how: "inside",
      ...arms([a, b], [arm("a", ["note"]), b]),
      tells: [{ rule: "member-required", ...LOSS }],
    },
    {
      thing: "stability",
      what: "added",
      openness,
      how: "to a value",
      before: words(openness, "a", "c"),
      after: laterWords(openness, "a", "c"),
      tells: [{ rule: "value-removed", ...went, moved: "demoted" }],
    },
    {
      thing: "stability",
      what: "removed",
      openness,
      how: "from a value",
      before: laterWords(openness, "a", "c"),
      after: words(openness, "a", "c"),
      tells: [{ rule: "value-added", ...came, moved: "promoted" }],
    },
  ];
}

const MEMBERS: readonly Case[] = [
  {
    thing: "member",
    what: "added",
    before: object({ a: text }),
    after: object({ a: text, b: text }),
    tells: [{ rule: "member-added" }],
  },
  {
    thing: "member",
    what: "added",
    how: "as required",
    before: object({ a: text }),
    after: object({ a: text, b: text }, ["b"]),
    tells: [{ rule: "required-member-added", ...LOSS }],
  },
  {
    thing: "member",
    what: "removed",
    before: object({ a: text, b: text }),
    after: object({ a: text }),
    tells: [{ rule: "member-removed", ...RELY }],
  },
  {
    thing: "member",
    what: "removed",
    how: "as required",
    before: object({ a: text, b: text }, ["b"]),
    after: object({ a: text }),
    tells: [{ rule: "required-member-removed", ...GAIN, ...RELY }],
  },
  {
    thing: "member",
    what: "changed",
    how: "for another one",
    before: object({ a: text, b: text }),
    after: object({ a: text, c: text }),
    tells: [{ rule: "member-added" }, { rule: "member-removed", ...RELY }],
  },
  {
    thing: "requiredness",
    what: "added",
    before: object({ a: text }),
    after: object({ a: text }, ["a"]),
    tells: [{ rule: "member-required", ...LOSS }],
  },
  {
    thing: "requiredness",
    what: "removed",
    before: object({ a: text }, ["a"]),
    after: object({ a: text }),
    tells: [{ rule: "member-optional", ...GAIN }],
  },
  {
    thing: "requiredness",
    what: "changed",
    how: "to another member",
    before: object({ a: text, b: text }, ["a"]),
    after: object({ a: text, b: text }, ["b"]),
    tells: [
      { rule: "member-optional", ...GAIN },
      { rule: "member-required", ...LOSS },
    ],
  },
  {
    thing: "requiredness",
    what: "added",
    how: "of one member beside another",
    before: object({ a: text, b: text }),
    after: { ...object({ a: text, b: text }), dependentRequired: { a: ["b"] } },
    tells: [{ rule: "dependency-added", ...LOSS }],
  },
  {
    thing: "requiredness",
    what: "removed",
    how: "of one member beside another",
    before: { ...object({ a: text, b: text }), dependentRequired: { a: ["b"] } },
    after: object({ a: text, b: text }),
    tells: [{ rule: "dependency-removed", ...GAIN }],
  },
];

const BOUNDS: readonly Case[] = (
  [
    ["maximum", whole, 10, 5],
    ["minimum", whole, 5, 10],
    ["maxLength", text, 4, 2],
    ["minLength", text, 1, 2],
    ["maxItems", { type: "array", items: text }, 3, 2],
    ["minItems", { type: "array", items: text }, 1, 2],
  ] as const
).flatMap(([key, node, loose, tight]): Case[] => {
  const [free, wide, narrow] = [node, { ...node, [key]: loose }, { ...node, [key]: tight }];
  const bound = { thing: "bound", how: key };
  const [loss, gain] = [
    [{ rule: "bound-tightened", ...LOSS }],
    [{ rule: "bound-loosened", ...GAIN }],
  ] as const;
  return [
    { ...bound, what: "added", before: free, after: narrow, tells: loss },
    { ...bound, what: "removed", before: narrow, after: free, tells: gain },
    { ...bound, what: "changed", how: `${key}, tighter`, before: wide, after: narrow, tells: loss },
    { ...bound, what: "changed", how: `${key}, looser`, before: narrow, after: wide, tells: gain },
  ];
});

const PATTERNS: readonly Case[] = [
  {
    thing: "bound",
    what: "added",
    how: "pattern",
    before: text,
    after: { ...text, pattern: "^a" },
    tells: [{ rule: "pattern-added", ...LOSS }],
  },
  {
    thing: "bound",
    what: "removed",
    how: "pattern",
    before: { ...text, pattern: "^a" },
    after: text,
    tells: [{ rule: "pattern-removed", ...GAIN }],
  },
  {
    thing: "bound",
    what: "changed",
    how: "pattern",
    before: { ...text, pattern: "^a" },
    after: { ...text, pattern: "^b" },
    tells: [{ rule: "pattern-changed", ...LOSS, ...GAIN }],
  },
];

const TYPES: readonly Case[] = [
  {
    thing: "type",
    what: "added",
    before: whole,
    after: { type: ["integer", "string"] },
    tells: [{ rule: "type-added", ...GAIN }],
  },
  {
    thing: "type",
    what: "removed",
    before: { type: ["integer", "string"] },
    after: whole,
    tells: [{ rule: "type-removed", ...LOSS }],
  },
  {
    thing: "type",
    what: "changed",
    before: whole,
    after: text,
    tells: [
      { rule: "type-added", ...GAIN },
      { rule: "type-removed", ...LOSS },
    ],
  },
  {
    thing: "type",
    what: "changed",
    how: "number to integer",
    before: { type: "number" },
    after: whole,
    tells: [{ rule: "type-removed", ...LOSS }],
  },
  {
    thing: "type",
    what: "changed",
    how: "integer to number",
    before: whole,
    after: { type: "number" },
    tells: [{ rule: "type-added", ...GAIN }],
  },
  {
    thing: "nullability",
    what: "added",
    before: text,
    after: { type: ["string", "null"] },
    tells: [{ rule: "null-added", ...GAIN }],
  },
  {
    thing: "nullability",
    what: "removed",
    before: { type: ["string", "null"] },
    after: text,
    tells: [{ rule: "null-removed", ...LOSS }],
  },
  {
    thing: "nullability",
    what: "changed",
    how: "optional to nullable",
    before: object({ a: text }),
    after: object({ a: { type: ["string", "null"] } }, ["a"]),
    tells: [
      { rule: "member-required", ...LOSS },
      { rule: "null-added", ...GAIN },
    ],
  },
  {
    thing: "nullability",
    what: "changed",
    how: "nullable to optional",
    before: object({ a: { type: ["string", "null"] } }, ["a"]),
    after: object({ a: text }),
    tells: [
      { rule: "member-optional", ...GAIN },
      { rule: "null-removed", ...LOSS },
    ],
  },
  {
    thing: "nullability",
    what: "changed",
    how: "nullable to absent allowed",
    before: object({ a: { type: ["string", "null"] } }, ["a"]),
    after: object({ a: { type: ["string", "null"] } }),
    tells: [{ rule: "member-optional", ...GAIN }],
  },
];

const { "x-msp-openness": _, ...unsaid } = words("closed", "a", "b");

const OPENING: readonly Case[] = [
  {
    thing: "openness",
    what: "added",
    how: "of values",
    before: words("closed", "a", "b"),
    after: words("open", "a", "b"),
    tells: [{ rule: "values-opened", ...GAIN }],
  },
  {
    thing: "openness",
    what: "removed",
    how: "of values",
    before: words("open", "a", "b"),
    after: words("closed", "a", "b"),
    tells: [{ rule: "values-closed", ...LOSS }],
  },
  {
    thing: "openness",
    what: "changed",
    how: "of values, from unsaid to closed",
    before: unsaid,
    after: words("closed", "a", "b"),
    tells: [],
  },
  {
    thing: "openness",
    what: "added",
    how: "of values, and a word",
    before: words("closed", "a"),
    after: words("open", "a", "c"),
    tells: [
      { rule: "value-added", ...GAIN },
      { rule: "values-opened", ...GAIN },
    ],
  },
  {
    thing: "openness",
    what: "removed",
    how: "of values, and a word",
    before: words("open", "a", "c"),
    after: words("closed", "a"),
    tells: [
      { rule: "value-removed", ...LOSS },
      { rule: "values-closed", ...LOSS },
    ],
  },
  {
    thing: "openness",
    what: "added",
    how: "of a union",
    before: union("closed", arm("a"), arm("b")),
    after: union("open", arm("a"), arm("b")),
    tells: [{ rule: "union-opened", ...GAIN }],
  },
  {
    thing: "openness",
    what: "removed",
    how: "of a union",
    before: union("open", arm("a"), arm("b")),
    after: union("closed", arm("a"), arm("b")),
    tells: [{ rule: "union-closed", ...LOSS }],
  },
  {
    thing: "openness",
    what: "added",
    how: "of a union that may be null, and an arm",
    before: { anyOf: [{ type: "null" }, union("closed", arm("a"), arm("b"))] },
    after: { anyOf: [{ type: "null" }, union("open", arm("a"), arm("b"), arm("c"))] },
    tells: [
      { rule: "arm-added", ...GAIN },
      { rule: "union-opened", ...GAIN },
    ],
  },
  {
    thing: "openness",
    what: "removed",
    how: "of a union, and an arm",
    before: union("open", arm("a"), arm("b"), arm("c")),
    after: union("closed", arm("a"), arm("b")),
    tells: [
      { rule: "arm-removed", ...LOSS },
      { rule: "union-closed", ...LOSS },
    ],
  },
];

const STABILITY: readonly Case[] = [
  {
    thing: "stability",
    what: "added",
    how: "to a member",
    before: object({ a: text, b: text }),
    after: object({ a: text, b: later(text) }),
    tells: [{ rule: "member-removed", ...RELY, moved: "demoted" }],
  },
  {
    thing: "stability",
    what: "added",
    how: "to a member that refers to a definition",
    before: object({ a: text, b: { $ref: "#/$defs/Nothing" } }),
    after: object({ a: text, b: later({ $ref: "#/$defs/Nothing" }) }),
    tells: [{ rule: "member-removed", ...RELY, moved: "demoted" }],
  },
  {
    thing: "stability",
    what: "removed",
    how: "from a member",
    before: object({ a: text, b: later(text) }),
    after: object({ a: text, b: text }),
    tells: [{ rule: "member-added", moved: "promoted" }],
  },
  {
    thing: "stability",
    what: "changed",
    how: "from a member, under another name",
    before: object({ a: text, b: later(text) }),
    after: object({ a: text, c: text }),
    tells: [{ rule: "member-added" }, { rule: "member-removed", ...RELY, surface: "experimental" }],
  },
];

/** All edits. */
export const CASES: readonly Case[] = [
  ...OPENNESS.flatMap(ofOpenness),
  ...MEMBERS,
  ...BOUNDS,
  ...PATTERNS,
  ...TYPES,
  ...OPENING,
  ...STABILITY,
];

/** What an edit is called: `value added, open`. */
export function nameOf({ thing, what, openness, how }: Case): string {
  return [`${thing} ${what}`, openness, how].filter((word) => word !== undefined).join(", ");
}
