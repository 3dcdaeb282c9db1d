/**
 * Pairs of payloads, by the kind of command that they are for: such as are one payload by the protocol's rules, and such
 * as are two although they look alike.
 */
import { payloads } from "../../../generated/msp/stable/tables.js";
import type { JsonObject } from "../model/history.js";
import { textInput } from "../trial.js";

/** Another payload, or another text of the same one. */
export interface PayloadPair {
  readonly name: string;
  /** The name of the kind of command. */
  readonly kind: string;
  /** Members that the first payload has instead of those of the kind. */
  readonly first?: (params: JsonObject) => JsonObject;
  /** The text of the second one. */
  text(params: JsonObject): string;
}

/** A pair whose second payload has other members. */
const instead = (name: string, kind: string, change: (params: JsonObject) => JsonObject): PayloadPair => ({
  name,
  kind,
  text: (params) => JSON.stringify({ ...params, ...change(params) }),
});

/** White space by Unicode's property: what `objective` is trimmed of. */
const WHITE = "\u0085\u00a0\u2003\t ";

/** A default that is said. */
const said = (kind: string, change: JsonObject): PayloadPair =>
  instead(`${Object.keys(change).join()} by default`, kind, () => change);

/** Members of the params of a kind for which null stands, as the schema has it. */
function nulls(kind: string, definition: string): PayloadPair[] {
  return Object.entries(payloads[definition]?.members ?? {})
    .filter(([, { null: isAbsent }]) => isAbsent === true)
    .map(([member]) => instead(`${member} null`, kind, () => ({ [member]: null })));
}

/** Members of the model that is chosen. */
const ofModel = (name: string, change: JsonObject): PayloadPair =>
  instead(name, "session/setModel", ({ model }) => ({ model: { ...(model as JsonObject), ...change } }));

/** Pairs that are one payload. */
export const sameButFor: readonly PayloadPair[] = [
  instead("objective trimmed", "goal/set", ({ objective }) => ({ objective: `${WHITE}${objective}\n` })),
  instead("objective trimmed", "goal/edit", ({ objective }) => ({ objective: ` ${objective}${WHITE}` })),
  said("turn/start, idle", { ifBusy: "queue" }),
  said("turn/start, queued", { ifBusy: "queue" }),
  said("turn/interrupt", { retract: false }),
  said("session/leave", { stop: false }),
  said("session/fork", { excludeItems: false }),
  ...nulls("approval/decide", "ApprovalDecideParams"),
  ...nulls("session/start", "SessionStartParams"),
  ...Object.entries(payloads["ModelSelection"]?.members ?? {})
    .filter(([, { null: isAbsent }]) => isAbsent === true)
    .map(([member]) => ofModel(`model.${member} null`, { [member]: null })),
  ofModel("model.profileId empty", { profileId: "" }),
  ofModel("model.displayLabel empty", { displayLabel: "" }),
  {
    name: "a number in another form",
    kind: "approval/decide",
    text: (params) => JSON.stringify(params).replace(/("sourceIndex":)(\d+)/, "$1$2.0e0"),
  },
];

const COMPOSED = "caf\u00e9";
const DECOMPOSED = "cafe\u0301";

/** Payloads that differ in one text only. */
function texts(name: string, one: string, other: string): PayloadPair[] {
  const of = (kind: string, make: (text: string) => JsonObject): PayloadPair => ({
    name,
    kind,
    first: () => make(one),
    text: (params) => JSON.stringify({ ...params, ...make(other) }),
  });
  return [
    of("turn/start, idle", (displayText) => ({ displayText })),
    of("turn/steer", (text) => ({ input: textInput(text) })),
    of("turn/start, steered", (text) => ({ input: textInput(text) })),
  ];
}

/** Input of two texts. */
const two = (first: string, second: string): JsonObject => ({
  input: [
    { type: "text", text: first },
    { type: "text", text: second },
  ],
});

/** Pairs that are two payloads. */
export const sharpOn: readonly PayloadPair[] = [
  ...texts("the Unicode form of a text", COMPOSED, DECOMPOSED),
  ...texts("a space at the end of a text", "a text", "a text "),
  ...texts("a space before a text", "a text", " a text"),
  ...texts("the letter case of a text", "a text", "A text"),
  ...texts("a character that looks the same", "a text", "\u0430 text"),
  {
    name: "the order of a list",
    kind: "turn/steer",
    first: () => two("one", "two"),
    text: (params) => JSON.stringify({ ...params, ...two("two", "one") }),
  },
  {
    name: "where texts are parted",
    kind: "turn/steer",
    first: () => two("one", "two"),
    text: (params) => JSON.stringify({ ...params, ...two("onet", "wo") }),
  },
  instead("the Unicode form of a text", "goal/edit", () => ({ objective: DECOMPOSED })),
  instead("the letter case of a text", "goal/edit", ({ objective }) => ({
    objective: String(objective).toUpperCase(),
  })),
  instead("the letter case of a text", "session/rename", ({ name }) => ({
    name: String(name).toUpperCase(),
  })),
  {
    name: "the Unicode form of a text",
    kind: "session/rename",
    first: () => ({ name: COMPOSED }),
    text: (params) => JSON.stringify({ ...params, name: DECOMPOSED }),
  },
  {
    name: "a number",
    kind: "approval/decide",
    text: (params) =>
      JSON.stringify(params).replace(
        /("sourceIndex":)(\d+)/,
        (_, name, value) => `${name}${Number(value) + 1}`,
      ),
  },
  {
    name: "a number by a fraction",
    kind: "approval/decide",
    text: (params) => JSON.stringify(params).replace(/("sourceIndex":)(\d+)/, "$11$2"),
  },
];
