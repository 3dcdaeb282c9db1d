/** A small protocol of notes, in versions that differ in one thing each. */

/** What a version has otherwise than the first one. */
export interface NotesVersion {
  /** More members of what `note/add` takes, and the names of those that must be there. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** The words of the closed list `Kind`. */
  readonly kinds?: readonly string[];
  /** More methods, each with no params. */
  readonly methods?: readonly string[];
  readonly without?: readonly string[];
  /** More keys of the object that `note/add` takes. */
  readonly keywords?: Readonly<Record<string, unknown>>;
}

/** The bundle of a version, in canonical form. */
export function notesBundle(version: NotesVersion = {}): string {
  const {
    params = {},
    required = [],
    kinds = ["plain", "list"],
    methods = [],
    without = [],
    keywords = {},
  } = version;
  const result = { $ref: "#/$defs/Done" };
  const all: Record<string, unknown> = {
    "note/add": { description: "Adds.", params: { $ref: "#/$defs/AddParams" }, result },
    "note/clear": { description: "Clears.", result },
    "note/last": { description: "Tells.", result: { $ref: "#/$defs/Note" } },
  };
  for (const name of methods) all[name] = { description: "More.", result };
  for (const name of without) delete all[name];
  const text = { description: "Words.", type: "string" };
  const kind = { $ref: "#/$defs/Kind" };
  const bundle = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      AddParams: {
        description: "What is added.",
        properties: { kind, text, ...params },
        required: ["text", ...required],
        type: "object",
        ...keywords,
      },
      Done: { description: "It is done.", properties: {}, type: "object" },
      Kind: { description: "How it looks.", enum: kinds, type: "string", "x-msp-openness": "closed" },
      Note: { description: "A note.", properties: { kind, text }, required: ["kind"], type: "object" },
    },
    errors: [{ code: -32601, kind: "methodNotFound" }],
    methods: all,
  };
  return `${JSON.stringify(bundle, null, 2)}\n`;
}
