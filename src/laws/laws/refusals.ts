/** The law of what a host refuses: each thing for its own reason, and without anything coming of it. */
import fc from "fast-check";
import { methods as samples } from "../../../generated/msp/stable/arbitraries.js";
import { methods as rows } from "../../../generated/msp/stable/tables.js";
import type { MethodName } from "../../../generated/msp/stable/types.js";
import { codeOf, validParams } from "../conformance.js";
import { law } from "../law.js";
import { errorKind, isAck, type JsonObject, type Outcome } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { byTheRules, CERTAIN, OUTSIDE, plainParams, type Surroundings, surroundings } from "./host-rules.js";

interface Violation {
  readonly value: unknown;
  readonly instanceLocation: string;
  readonly keyword: string;
}

type Wrong =
  | { readonly kind: "params"; readonly method: MethodName; readonly wrong: Violation }
  | { readonly kind: "commandId"; readonly method: MethodName; readonly form: keyof typeof BAD_IDS }
  | { readonly kind: "rule"; readonly rule: keyof typeof RULES }
  | { readonly kind: "method"; readonly name: string }
  | { readonly kind: "line"; readonly line: keyof typeof LINES }
  | { readonly kind: "early"; readonly method: "session/list" | "session/start" | "no/such" }
  | { readonly kind: "again" };

/** Methods whose params can be wrong, and that do nothing outside of sessions. */
const TRIED = (Object.keys(samples) as MethodName[]).filter(
  (method) =>
    method !== "initialize" &&
    !(OUTSIDE as readonly string[]).includes(method) &&
    !Object.hasOwn(rows[method], "capability") &&
    samples[method].params?.invalid !== undefined,
);
const COMMON_COMMANDS = [
  "session/start",
  "turn/start",
  "turn/interrupt",
] as const satisfies readonly MethodName[];
const COMMON = TRIED.filter((method) => (CERTAIN as readonly string[]).includes(method));
/** Commands of which nothing but the id is wrong where the id is: their other params are known, or there are none. */
const COMMANDS = TRIED.filter(
  (method) =>
    rows[method].commandId === "required" &&
    (COMMON.includes(method) || validParams(method, { sessionId: "", commandId: "" })),
);

/** Spellings that are no UUID of version 7. */
const BAD_IDS = {
  empty: "",
  word: "command-1",
  version4: "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  version1: "c232ab00-9414-11ec-b3c8-9f6bdeced846",
  variant: "01a19b7c-a6bc-7000-c000-ff6f00000002",
  noHyphens: "01a19b7ca6bc70008000ff6f00000002",
  braces: "{01a19b7c-a6bc-7000-8000-ff6f00000002}",
  short: "01a19b7c-a6bc-7000-8000-ff6f0000000",
  nil: "00000000-0000-0000-0000-000000000000",
} as const;

/** Lines that are no messages, and the rows of the errors that say so. */
const LINES: Readonly<
  Record<string, { readonly line: string; readonly row: "parseError" | "invalidRequest" }>
> = {
  notJson: { line: "hello", row: "parseError" },
  halfAnObject: { line: '{"jsonrpc":"2.0","id":', row: "parseError" },
  commaAtTheEnd: { line: '{"jsonrpc":"2.0","id":"w1","method":"session/list",}', row: "parseError" },
  singleQuotes: { line: "{'jsonrpc':'2.0'}", row: "parseError" },
  number: { line: "7", row: "invalidRequest" },
  text: { line: '"text"', row: "invalidRequest" },
  null: { line: "null", row: "invalidRequest" },
  batch: { line: '[{"jsonrpc":"2.0","id":"w2","method":"session/list"}]', row: "invalidRequest" },
  noVersion: { line: '{"id":"w3","method":"session/list"}', row: "invalidRequest" },
  otherVersion: { line: '{"jsonrpc":"1.0","id":"w4","method":"session/list"}', row: "invalidRequest" },
  methodIsNumber: { line: '{"jsonrpc":"2.0","id":"w5","method":4}', row: "invalidRequest" },
  idIsTrue: { line: '{"jsonrpc":"2.0","id":true,"method":"session/list"}', row: "invalidRequest" },
  idIsObject: { line: '{"jsonrpc":"2.0","id":{},"method":"session/list"}', row: "invalidRequest" },
};

type Rule = (around: Surroundings) => readonly [method: MethodName, params: JsonObject];

const turn = (change: (prompt: string) => JsonObject): Rule => {
  return ({ sessionId, prompt, mint }) => [
    "turn/start",
    { sessionId, commandId: mint(), input: textInput(prompt), ...change(prompt) },
  ];
};
const start = (members: JsonObject): Rule => {
  return ({ mint }) => ["session/start", { commandId: mint(), ...members }];
};

/** What the schema allows, or leaves to words, and a host must refuse as invalid params all the same. */
const RULES = {
  noInput: turn(() => ({ input: [] })),
  emptyText: turn(() => ({ input: [{ type: "text" }] })),
  mention: turn((prompt) => ({ input: [...textInput(prompt), { type: "mention", path: "a" }] })),
  imageWithoutData: turn(() => ({ input: [{ type: "image", mediaType: "image/png" }] })),
  imageWithoutType: turn(() => ({ input: [{ type: "image", base64Data: "AAAA" }] })),
  imageOfNothing: turn(() => ({ input: [{ type: "image", mediaType: "image/png", base64Data: "" }] })),
  imageOfNoBase64: turn(() => ({ input: [{ type: "image", mediaType: "image/png", base64Data: "%" }] })),
  rootsIntoASteer: turn(() => ({ ifBusy: "steer", workspaceRoots: ["/"] })),
  noRoots: turn(() => ({ workspaceRoots: null })),
  noRootsAtTheStart: start({ workspaceRoots: null }),
  noConfig: start({ config: null }),
  noProfile: start({ permissionProfile: null }),
  noRecovery: start({ recoveryMode: null }),
  relativeRoot: start({ workspaceRoot: "a/b" }),
  blankGoal: ({ sessionId, mint }) => [
    "goal/set",
    { sessionId, commandId: mint(), objective: " \t\n\u00a0\u2003\u3000" },
  ],
  noSteer: ({ sessionId, mint }) => [
    "turn/steer",
    { sessionId, commandId: mint(), expectedTurnId: mint(), input: [] },
  ],
  badTarget: ({ sessionId, prompt, mint }) => [
    "turn/steer",
    { sessionId, commandId: mint(), expectedTurnId: "turn-1", input: textInput(prompt) },
  ],
  badTurn: ({ sessionId, mint }) => ["turn/interrupt", { sessionId, commandId: mint(), turnId: "turn-1" }],
  badUnqueue: ({ sessionId, mint }) => ["turn/unqueue", { sessionId, commandId: mint(), turnId: "" }],
  bothPlaces: ({ sessionId }) => [
    "view/page",
    { sessionId, limit: 1, cursor: "a", anchor: "latestCompaction" },
  ],
} as const satisfies Readonly<Record<string, Rule>>;

/** Optional members that are refused as null by the words of the protocol; of others it says nothing. */
const NOT_NULL = ["recoveryMode", "workspaceRoots", "permissionProfile", "config", "userShell"];

/** What is not valid is refused for what is wrong with it. */
export const invalidRefused = law<Wrong>({
  id: "invalid-refused",
  level: "core",
  promise:
    "What is not valid is refused for its own reason, by the error that the protocol has for it, and nothing comes of it.",
  needs: ["quick"],
  least: { params: 10, commandId: 3, rule: 3, method: 2, line: 3, early: 2, again: 1 },
  runs: 160,
  cases: () =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...TRIED).chain(wrongParams) },
      // What most hosts serve, so that a small one is tried enough, too.
      { weight: 3, arbitrary: fc.constantFrom(...COMMON).chain(wrongParams) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("commandId" as const),
          method: fc.oneof(fc.constantFrom(...COMMON_COMMANDS), fc.constantFrom(...COMMANDS)),
          form: fc.constantFrom(...keysOf(BAD_IDS)),
        }),
      },
      { weight: 3, arbitrary: one("rule", "rule", keysOf(RULES)) },
      {
        weight: 1,
        arbitrary: one("method", "name", ["no/such", "", "session", "Session/list", "__proto__"]),
      },
      { weight: 2, arbitrary: one("line", "line", keysOf(LINES)) },
      { weight: 1, arbitrary: one("early", "method", ["session/list", "session/start", "no/such"] as const) },
      { weight: 1, arbitrary: fc.constant({ kind: "again" as const }) },
    ) as fc.Arbitrary<Wrong>,
  async run(trial, of) {
    switch (of.kind) {
      case "params":
        return refusesParams(trial, of.method, of.wrong);
      case "commandId": {
        if (!trial.can(`serves:${of.method}`)) return trial.count("notServed");
        const around = await surroundings(trial);
        const { nested: _, ...params } = { ...plainParams(of.method, around), commandId: BAD_IDS[of.form] };
        trial.count("commandId");
        return nothingComes(trial, around, of.method, params, ["invalidParams"]);
      }
      case "rule": {
        const around = await surroundings(trial);
        const [method, params] = RULES[of.rule](around);
        if (!trial.can(`serves:${method}`)) return trial.count("notServed");
        trial.count("rule");
        return nothingComes(trial, around, method, params, ["invalidParams"]);
      }
      case "method": {
        const outcome = await trial.ask(of.name, {});
        trial.count("method");
        return refused(trial, outcome, ["methodNotFound"], `a method of the name ${JSON.stringify(of.name)}`);
      }
      case "line":
        return refusesLine(trial, of.line);
      case "early": {
        await trial.reconnect(0, { handshake: false });
        const outcome = await trial.ask(of.method, { commandId: trial.mint() });
        trial.count("early");
        return refused(trial, outcome, ["notInitialized"], "a request before the handshake");
      }
      case "again": {
        await trial.client();
        const outcome = await trial.ask("initialize", { clientInfo: { name: "again", version: "1" } });
        trial.count("again");
        return refused(trial, outcome, ["alreadyInitialized"], "a second handshake");
      }
    }
  },
});

function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[];
}

function one<K extends string, N extends string, V extends string>(kind: K, name: N, values: readonly V[]) {
  return fc.constantFrom(...values).map((value) => ({ kind, [name]: value }));
}

function wrongParams(method: MethodName): fc.Arbitrary<Wrong> {
  const invalid = samples[method].params?.invalid as fc.Arbitrary<Violation>;
  return invalid.map((wrong) => ({ kind: "params", method, wrong }));
}

/** Params with one thing wrong; the rest is by the rules, so that nothing else can be the reason. */
async function refusesParams(trial: Trial, method: MethodName, wrong: Violation): Promise<void> {
  if (!trial.can(`serves:${method}`)) return trial.count("notServed");
  const around = await surroundings(trial);
  const [, member] = wrong.instanceLocation.split("/");
  const params = byTheRules(method, wrong.value, around, member) as JsonObject;
  // What is valid after all would be refused for no reason.
  if (validParams(method, params)) return trial.count("discarded");
  if (isSilentNull(method, params, wrong)) return trial.count("silent");
  trial.count("params");
  // Params that are no object may be called a bad message, too.
  const kinds = wrong.instanceLocation === "" && wrong.keyword === "type" ? ["invalidRequest"] : [];
  // A capability is looked at before params are.
  const gated = Object.hasOwn(rows[method], "gates") ? ["capabilityRequired"] : [];
  await nothingComes(trial, around, method, params, ["invalidParams", ...kinds, ...gated], {
    at: wrong.instanceLocation,
    keyword: wrong.keyword,
  });
}

/** Whether all that is wrong is a null for an optional member, of which the protocol says nothing. */
function isSilentNull(method: MethodName, params: JsonObject, { instanceLocation }: Violation): boolean {
  const path = instanceLocation.split("/").slice(1);
  let value: unknown = params;
  let parent: JsonObject | undefined;
  for (const name of path) {
    if (typeof value !== "object" || value === null) return false;
    parent = value as JsonObject;
    value = parent[name];
  }
  if (path.length === 0 || value !== null || Array.isArray(parent)) return false;
  const name = path.at(-1) as string;
  if (path.length === 1 && NOT_NULL.includes(name)) return false;
  const { [name]: _, ...rest } = parent as JsonObject;
  return path.length > 1 || validParams(method, rest);
}

async function refusesLine(trial: Trial, name: string): Promise<void> {
  const { line, row } = LINES[name] as (typeof LINES)[string];
  const client = await trial.client();
  const { unasked } = trial.history;
  const before = unasked.length;
  const given = /"id":("[^"]*"|true|\{\})/.exec(line)?.[1];
  const id: unknown = given === undefined ? `none ${name}` : JSON.parse(given);
  const { operation } = client.send(name, {}, { id, frame: () => line });
  await trial.when(() => operation.outcome !== undefined || unasked.length > before);
  trial.count("line");
  const error = unasked[before];
  const outcome: Outcome | undefined =
    operation.outcome ?? (error === undefined ? undefined : outcomeOf(error));
  trial.hold(outcome !== undefined, "a line that is no message was not answered", { line });
  if (outcome !== undefined) refused(trial, outcome, [row], `the line ${line}`);
}

function outcomeOf({ code, data }: JsonObject): Outcome {
  const kind = (data as JsonObject | undefined) ?? {};
  return { error: { code: Number(code), message: "", data: kind } };
}

/** The code of a kind, also of one that stands for another's row. */
function rowOf(kind: string): number | undefined {
  const isOfHandshake = kind === "notInitialized" || kind === "alreadyInitialized";
  return codeOf(isOfHandshake ? "invalidRequest" : kind);
}

function refused(
  trial: Trial,
  outcome: Outcome,
  kinds: readonly string[],
  what: string,
  more?: unknown,
): void {
  const details = { expected: kinds, outcome, more };
  trial.hold(!isAck(outcome), `${what} was answered with a result`, details);
  if (isAck(outcome)) return;
  const kind = errorKind(outcome);
  trial.hold(kind !== undefined && kinds.includes(kind), `${what} was refused for another reason`, details);
  trial.hold(outcome.error.code === rowOf(kind ?? ""), `${what} was refused under another code`, details);
}

/** What tells that something was done to a session. */
const DONE = [
  /^turn\//,
  /^item\//,
  /^session\/(?:started|closed|goalChanged|reasoningEffortChanged|approvalModeChanged)$/,
];

/** Asks what has to be refused; nothing may be told of it. */
async function nothingComes(
  trial: Trial,
  { sessionId }: Surroundings,
  method: MethodName,
  params: JsonObject,
  kinds: readonly string[],
  more?: unknown,
): Promise<void> {
  const { told } = trial.history;
  // The session itself was told before this.
  await trial.ask("session/list", { limit: 1 });
  const before = told.length;
  // What is no object has no members to look for in a history.
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  const outcome = await trial.ask(
    method,
    isObject ? params : {},
    isObject ? {} : { paramsText: JSON.stringify(params) },
  );
  refused(trial, outcome, kinds, `${method} with wrong params`, { params, more });
  await trial.ask("session/list", { limit: 1 });
  const done = told.slice(before).find((message) => {
    const of = message.params["sessionId"] ?? sessionId;
    return of === sessionId && DONE.some((pattern) => pattern.test(message.method));
  });
  trial.hold(done === undefined, "something came of what was refused", { params, done });
}
