/** From a difference and what was tried of it to a verdict for each pairing. */
import { hash } from "node:crypto";
import { isJsonObject, type Json, ordered } from "../bundle/json.js";
import { compareNames } from "../bundle/pointer.js";
import type { Surface } from "../model/protocol.js";
import {
  type Change,
  type Difference,
  type Effect,
  type Evidence,
  MET_BY,
  PAIRINGS,
  PARTIES,
  type Pairing,
  type PairingVerdict,
  type Party,
  WAYS,
  type Way,
  worst,
} from "./change.js";

/** What is known of a difference beside itself. */
export interface Known {
  readonly surface: Surface;
  readonly moved?: Change["moved"];
  /** Absent where nothing was tried. */
  readonly evidence?: Evidence;
}

/** The change that a difference is. */
export function changeOf(difference: Difference, known: Known): Change {
  const { rule, kind, pointer, side, subject, before, after } = difference;
  const { surface, moved, evidence } = known;
  const pairings = {
    "old-client-new-host": verdictOf(difference, "old-client-new-host", known),
    "new-client-old-host": verdictOf(difference, "new-client-old-host", known),
  };
  const breaks = PAIRINGS.filter((pairing) => pairings[pairing].verdict === "breaking");
  const shown = breaks[0] ?? PAIRINGS.find((pairing) => pairings[pairing].refusedBy !== undefined);
  const witness = shown === undefined ? undefined : evidence?.witnesses[shown];
  const { uses, moreUses } = usesOf(difference);
  return {
    id: idOf(difference),
    rule,
    kind,
    pointer,
    side,
    subject,
    surface,
    ...(moved === undefined ? {} : { moved }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    uses,
    moreUses,
    verdict: worst(PAIRINGS.map((pairing) => pairings[pairing].verdict)),
    pairings,
    breaks,
    ...(witness === undefined ? {} : { witness }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** What an acknowledgment names: it moves when the change does, and with nothing else. */
export function idOf({ rule, pointer, place = pointer, before, after }: Difference): string {
  const parts = [
    rule,
    place,
    before === undefined ? [] : [ordered(sorted(before))],
    after === undefined ? [] : [ordered(sorted(after))],
  ];
  return hash("sha256", JSON.stringify(parts)).slice(0, 16);
}

/** The keywords of lists that say the same in any order. */
const UNORDERED = new Set(["enum", "values", "required", "type", "anyOf", "oneOf"]);

/** A shape with such lists in one order. */
function sorted(shape: Json, key = ""): Json {
  if (Array.isArray(shape)) {
    const list = shape.map((item) => sorted(item));
    if (!UNORDERED.has(key)) return list;
    const texts = new Map(list.map((item) => [item, JSON.stringify(ordered(item))]));
    return list.sort((a, b) => compareNames(texts.get(a) as string, texts.get(b) as string));
  }
  if (!isJsonObject(shape)) return shape;
  return Object.fromEntries(Object.entries(shape).map(([name, part]) => [name, sorted(part, name)]));
}

function usesOf({ pair, message }: Difference): Pick<Change, "uses" | "moreUses"> {
  if (message !== undefined) {
    const { definition: _, refused: __, ...use } = message;
    return { uses: [use], moreUses: false };
  }
  return pair === undefined ? { uses: [], moreUses: false } : { uses: pair.uses, moreUses: pair.moreUses };
}

/** Who sends what a difference is about. */
function sendersOf({ pair, message }: Difference): readonly Party[] {
  if (message !== undefined) return [message.sender];
  return PARTIES.filter((sender) => pair?.via[sender] !== undefined);
}

function verdictOf(difference: Difference, pairing: Pairing, { evidence, moved }: Known): PairingVerdict {
  const { rule, relied } = difference;
  if (rule.startsWith("definition-")) return { verdict: "none", reason: "No message names a definition." };
  const ofValues = difference.pair !== undefined || difference.message !== undefined;
  const senders = sendersOf(difference);
  if (ofValues && senders.length === 0) return { verdict: "none", reason: "No message carries it." };
  if (evidence?.disagreement !== undefined) return { verdict: "unknown", reason: evidence.disagreement };
  const verdicts = senders.map((sender) => ofSender(difference, pairing, sender, evidence));
  const old = pairing === "old-client-new-host";
  // Nothing is called breaking that was tried and that no message shows.
  if (old && moved === "demoted" && senders.includes("client"))
    verdicts.push({
      verdict: evidence === undefined || evidence.witnesses[pairing] !== undefined ? "breaking" : "unknown",
      reason: "It is behind the opt-in now: a client without it is refused.",
    });
  if (old && relied)
    verdicts.push({ verdict: "unknown", reason: "An old client may rely on it, and no message shows that." });
  if (!ofValues && (difference.narrows === "maybe" || difference.widens === "maybe"))
    verdicts.push({ verdict: "unknown", reason: "Nobody can say what it means for a message." });
  const found = worst(verdicts.map(({ verdict }) => verdict));
  const refusal = verdicts.find(({ refusedBy }) => refusedBy !== undefined);
  const reason = verdicts.find(({ verdict }) => verdict === found)?.reason;
  if (found === "additive" && refusal !== undefined) return refusal;
  return {
    // What is no value, and what nobody relied on, is something more.
    verdict: verdicts.length === 0 ? "additive" : found,
    reason: reason ?? "Nobody has to do anything.",
    ...(refusal?.refusedBy === undefined ? {} : { refusedBy: refusal.refusedBy }),
  };
}

function ofSender(
  difference: Difference,
  pairing: Pairing,
  sender: Party,
  evidence: Evidence | undefined,
): PairingVerdict {
  const way = WAYS.find((one) => MET_BY[one][sender] === pairing) as Way;
  const effect = proven(difference[way], pairing, evidence);
  const [from, to] = way === "narrows" ? ["old", "new"] : ["new", "old"];
  const reader = sender === "client" ? "host" : "client";
  if (effect === "no")
    return { verdict: "additive", reason: `What ${a(from)} ${sender} sends ${a(to)} ${reader} takes.` };
  // A client need not say what is new.
  if (way === "widens" && sender === "client")
    return effect === "yes"
      ? {
          verdict: "additive",
          reason: "An old host refuses what is new; a client knows whom it talks to, and need not say it.",
          refusedBy: "old-host",
        }
      : { verdict: "additive", reason: "An old host may refuse what is new; a client need not say it." };
  if (effect === "maybe")
    return {
      verdict: "unknown",
      reason: `It cannot be shown that ${a(to)} ${reader} takes all that ${a(from)} ${sender} sends.`,
    };
  return {
    verdict: "breaking",
    reason: `${capital(a(from))} ${sender} sends what ${a(to)} ${reader} refuses.`,
  };
}

/** What a rule says, and what was found where it does not know. */
function proven(effect: Effect, pairing: Pairing, evidence: Evidence | undefined): Effect {
  return effect === "maybe" && evidence?.witnesses[pairing] !== undefined ? "yes" : effect;
}

function a(age: string): string {
  return age === "old" ? "an old" : "a new";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
