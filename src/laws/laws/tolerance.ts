/** Laws of what a host takes: all that is valid, nothing that is not, and what it does not know without harm. */
import fc from "fast-check";
import { methods as samples } from "../../../generated/msp/stable/arbitraries.js";
import { methods as rows } from "../../../generated/msp/stable/tables.js";
import type { MethodName } from "../../../generated/msp/stable/types.js";
import { codeOf } from "../conformance.js";
import { law } from "../law.js";
import { errorKind, isAck, type JsonObject, type Outcome } from "../model/history.js";
import type { Trial } from "../trial.js";
import { byTheRules, CERTAIN, isCertain, OUTSIDE, plainParams, surroundings } from "./host-rules.js";
import { invalidRefused } from "./refusals.js";

interface Asked {
  readonly method: MethodName;
  readonly params: unknown;
}

/** Methods that can be asked for by chance. */
const TRIED = Object.keys(rows).filter(
  (method): method is MethodName =>
    method !== "initialize" && !(OUTSIDE as readonly string[]).includes(method),
);

/** Kinds of errors that say that a message is not as it should be, or that a host is not. */
const NOT_FOR_VALID: readonly (string | undefined)[] = [
  undefined,
  "parseError",
  "invalidRequest",
  "notInitialized",
  "alreadyInitialized",
  "methodNotFound",
  "invalidParams",
  "experimentalRequired",
  "internal",
];

/** Whatever is valid and by the rules is taken. */
export const validAccepted = law<Asked>({
  id: "valid-accepted",
  level: "core",
  promise:
    "Params that are valid and keep the host's stated rules are accepted, or refused by one typed error that does not blame them.",
  needs: ["quick"],
  least: { valid: 40, certain: 8 },
  runs: 120,
  cases: () =>
    // What hosts cannot refuse is more telling.
    fc.oneof(fc.constantFrom(...CERTAIN), fc.constantFrom(...TRIED)).chain((method) => {
      const params = samples[method].params?.valid as fc.Arbitrary<unknown> | undefined;
      return (params ?? fc.constant({})).map((value): Asked => ({ method, params: value }));
    }),
  async run(trial, { method, params: given }) {
    const around = await surroundings(trial);
    const params = byTheRules(method, given, around) as JsonObject;
    const outcome = await trial.ask(method, params);
    const kind = errorKind(outcome);
    if (!trial.can(`serves:${method}`)) {
      trial.count("notServed");
      trial.hold(
        "error" in outcome && (kind === "methodNotFound" || kind === "capabilityRequired"),
        "a method that is not served was answered as if it were",
        { outcome },
      );
      return;
    }
    trial.count("valid");
    const certain = isCertain(method, params);
    if (certain) trial.count("certain");
    if (isAck(outcome)) return trial.count("accepted");
    trial.hold(!NOT_FOR_VALID.includes(kind), `valid params of ${method} were refused`, { params, outcome });
    trial.hold(hasItsCode(outcome), "the code of an error is not the one of its kind", { outcome });
    trial.count("refused");
    trial.hold(!certain, `${method} was refused where nothing can be wrong`, { params, outcome });
  },
});

/** Whether the code of an error is the one that the schema gives its kind; kinds that it does not know may have any. */
function hasItsCode(outcome: Outcome): boolean {
  const code = codeOf(errorKind(outcome) ?? "");
  return isAck(outcome) || code === undefined || outcome.error.code === code;
}

/** Names that no member has, now or later. */
const NOBODYS = ["futureOptionalField", "x-future", "futureField2", "constructor", "__proto__", ""] as const;

interface Extra {
  readonly name: (typeof NOBODYS)[number];
  readonly value: unknown;
  readonly where: "top" | "nested";
  readonly method: MethodName;
}

const STRICT = TRIED.filter((method) => rows[method].strict);

/** Members that nobody knows do no harm, but where they are refused by name. */
export const unknownMembers = law<Extra>({
  id: "unknown-members",
  level: "core",
  promise:
    "A member of params that the protocol does not have is ignored, at any level; the methods that take none beside their own refuse it as `invalidParams`.",
  needs: ["quick"],
  least: { ignored: 15 },
  runs: 60,
  cases: () =>
    fc.record({
      name: fc.constantFrom(...NOBODYS),
      value: fc.jsonValue({ maxDepth: 2 }),
      where: fc.constantFrom("top" as const, "nested" as const),
      method: fc.oneof(fc.constantFrom(...CERTAIN), fc.constantFrom(...STRICT)),
    }),
  async run(trial, { name, value, where, method }) {
    if (!trial.can(`serves:${method}`)) return trial.count("notServed");
    const around = await surroundings(trial);
    const strict = STRICT.includes(method);
    const { nested, ...base } = plainParams(method, around);
    const inner = where === "nested" ? nested : undefined;
    const params =
      inner === undefined ? withMember(base, name, value) : { ...base, ...inner({ [name]: value }) };
    const outcome = await trial.ask(method, params);
    if (strict) {
      trial.count("refused");
      trial.hold(
        errorKind(outcome) === "invalidParams",
        "a strict method took a member that it does not have",
        { params, outcome },
      );
      return;
    }
    trial.count("ignored");
    trial.hold(isAck(outcome), "a member that nobody knows was not ignored", { params, outcome });
  },
});

function withMember(params: JsonObject, name: string, value: unknown): JsonObject {
  // So that `__proto__` is a member as any other.
  return { ...params, [name]: value };
}

type Word =
  | { readonly of: "anchor" | "model"; readonly word: string }
  | { readonly of: "handshake"; readonly word: string; readonly words: readonly string[] };

/** Words of open vocabularies that nobody knows yet. */
export const openValues = law<Word>({
  id: "open-values",
  level: "core",
  promise:
    "A word that an open vocabulary does not have is taken, or refused by one typed error; where the host repeats it, it is as it was sent.",
  needs: [],
  least: { words: 20 },
  runs: 30,
  cases: () => {
    const word = fc.oneof(
      fc.constantFrom("futureWord", "latestcompaction", "LATESTCOMPACTION"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    );
    const told = fc.record({ of: fc.constantFrom("anchor" as const, "model" as const), word });
    const words = fc.array(word, { maxLength: 3 });
    const begun = fc.record({ of: fc.constant("handshake" as const), word, words });
    // A host of one connection has to be started for each handshake.
    return fc.oneof({ weight: 4, arbitrary: told }, { weight: 1, arbitrary: begun });
  },
  async run(trial, of) {
    trial.count("words");
    if (of.of === "handshake") {
      await trial.reconnect(0, { handshake: false });
      const words = [of.word, ...of.words];
      const outcome = await trial.ask("initialize", {
        clientInfo: { name: "open_words", version: of.word },
        capabilities: { requestedCapabilities: words, optOutNotificationMethods: words },
      });
      trial.hold(isAck(outcome), "a handshake with words that nobody knows was refused", { outcome });
      return;
    }
    const { sessionId } = await surroundings(trial);
    const outcome =
      of.of === "anchor"
        ? await trial.ask("view/page", { sessionId, limit: 1, anchor: of.word })
        : await trial.ask("session/setModel", {
            sessionId,
            commandId: trial.mint(),
            model: { modelId: of.word, providerId: of.word },
          });
    const kind = errorKind(outcome);
    trial.hold(
      isAck(outcome) || (kind !== undefined && kind !== "internal" && kind !== "parseError"),
      "a word that nobody knows was answered by no typed error",
      { outcome },
    );
    if (of.of === "anchor") {
      if (isAck(outcome))
        trial.hold(
          outcome.result["resolvedAnchor"] !== undefined,
          "an anchor that nobody knows was taken for none",
          { outcome },
        );
      else if (typeof outcome.error.data["anchor"] === "string")
        isRepeated(trial, of.word, outcome.error.data["anchor"]);
      return;
    }
    if (!isAck(outcome)) return;
    await trial.quiet();
    for (const { method, params } of trial.history.told) {
      if (method !== "session/modelChanged" || params["sessionId"] !== sessionId) continue;
      isRepeated(trial, of.word, params["modelId"]);
    }
  },
});

function isRepeated(trial: Trial, sent: string, repeated: unknown): void {
  trial.count("repeated");
  trial.hold(repeated === sent, "a word was repeated in another form than it was sent", { sent, repeated });
}

/** In the order in which they are tried. */
export const toleranceLaws = [unknownMembers, openValues, validAccepted, invalidRefused];
