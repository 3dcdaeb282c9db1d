/**
 * What a frame may be answered, by the text of it alone. It is as lenient as the protocol is silent: where hosts may
 * differ, all that they may do is allowed.
 */
import { errors as rows } from "../../../generated/msp/experimental/tables.js";
import * as validators from "../../../generated/msp/experimental/validators.js";
import { wrongInAnswer } from "../conformance.js";
import type { JsonObject } from "../model/history.js";

/** What may come for a frame. */
export interface Expected {
  /** Keys of the ids under which it may be answered; one answer is due where there are any. */
  readonly ids: readonly string[];
  /**
   * Whether the answer may come under the id null: `never`; `must`, there and nowhere else; `instead` of the answer
   * under its id; `may`, where none is due.
   */
  readonly atNull: "never" | "must" | "instead" | "may";
  /** Of an answer that must come under null: its kind. */
  readonly nullKind?: "parseError" | "invalidRequest";
  readonly request: RequestClass;
  /** The method, where it is a request of a known one, and its params. */
  readonly method?: string;
  readonly params?: unknown;
  /** The first thing that is wrong with the params. */
  readonly violation?: string;
}

/**
 * What a request is: `valid`; `invalid`, its params are not; `unknown`, there is no such method; `envelope`, it is no
 * request at all; `odd`, hosts may take it in more than one way.
 */
export type RequestClass = "valid" | "invalid" | "unknown" | "envelope" | "odd";

type Check = (value: unknown, options?: { readonly all: true }) => readonly Violation[] | null;
interface Violation {
  readonly instanceLocation: string;
  readonly keyword: string;
}

const checks = validators.methods as unknown as Readonly<Record<string, { readonly params?: Check }>>;
const kindOfCode = new Map(Object.entries(rows).map(([kind, { code }]) => [code as number, kind]));

/** Longer frames may be over the limit of some host. */
const LONG = 1_000_000;
/** Deeper ones may be too deep for some reader. */
const DEEP = 100;

const NONE: Expected = { ids: [], atNull: "never", request: "envelope" };

/** What may be answered to a frame. */
export function expectedFor(text: string): Expected {
  if (/^[ \t\r]*$/.test(text)) return { ...NONE, atNull: "may" };
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    // Some readers take away a byte order mark; what is behind it may be a request.
    if (text.startsWith("\uFEFF")) return instead(idsIn(text.slice(1)), "odd");
    if (text.length > LONG) return instead(idsIn(text), "odd");
    return { ...NONE, atNull: "must", nullKind: "parseError" };
  }
  const odd = text.length > LONG || nests(text) || (text.includes("\\u") && /\\u[dD][89a-fA-F]/.test(text));
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return odd ? { ...NONE, atNull: "must" } : { ...NONE, atNull: "must", nullKind: "invalidRequest" };
  const message = value as JsonObject;
  const own = (name: string): unknown => (Object.hasOwn(message, name) ? message[name] : undefined);
  const method = own("method");
  if (method === undefined && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error")))
    return { ...NONE, atNull: "may" };
  const hasId = Object.hasOwn(message, "id");
  const id = own("id");
  const key = keyOf(id);
  const plain = typeof id === "string" ? !odd : Number.isSafeInteger(id) && isPlain(text, id as number);
  if (own("jsonrpc") !== "2.0" || typeof method !== "string" || (hasId && !isId(id)))
    return instead(hasId ? [key] : [], odd ? "odd" : "envelope");
  if (!hasId) return NONE;
  if (odd || !plain || repeats(text, "id") || repeats(text, "method") || repeats(text, "jsonrpc"))
    return instead([...new Set([key, ...idsIn(text)])], "odd");
  if (!Object.hasOwn(checks, method)) return { ids: [key], atNull: "never", request: "unknown" };
  return { ids: [key], atNull: "never", method, params: own("params"), ...classOf(text, message, method) };
}

function classOf(
  text: string,
  message: JsonObject,
  method: string,
): { readonly request: RequestClass; readonly violation?: string } {
  const check = checks[method]?.params;
  const params = Object.hasOwn(message, "params") ? message["params"] : undefined;
  const object = typeof params === "object" && params !== null && !Array.isArray(params);
  if (!object && params !== undefined) return { request: "odd" };
  // Most are valid, and the first violation is found sooner than all.
  if ((check?.(params ?? {}) ?? null) === null) return { request: "valid" };
  const violations = check?.(params ?? {}, { all: true }) ?? [];
  // Of members with one name a reader may take another; null may stand for the absence of an optional member.
  if (
    violations.every(
      ({ keyword, instanceLocation }) => keyword === "depth" || isNull(params, instanceLocation),
    )
  )
    return { request: "odd" };
  if (duplicated(text, message)) return { request: "odd" };
  const [{ instanceLocation, keyword }] = violations as [Violation];
  return { request: "invalid", violation: `${instanceLocation || "the params"}, ${keyword}` };
}

/** What is wrong with an answer to a frame, in words; undefined for nothing. */
export function wrongInReply(
  { request, method, violation }: Expected,
  frame: JsonObject,
): string | undefined {
  const wrong = wrongInAnswer(method ?? "", frame);
  if (wrong !== undefined) return wrong;
  const { error } = frame;
  if (error === undefined) {
    if (request === "invalid") return `params were accepted that are not valid: ${violation ?? ""}`;
    if (request === "unknown") return "there is no such method, and it was carried out";
    return request === "envelope" ? "what is no request was carried out" : undefined;
  }
  const kind = kindOf(error as JsonObject);
  if (kind === "internal") return "the host says that it failed itself: internal";
  if (ANYWHERE.has(kind)) return undefined;
  const allowed = ALLOWED[request];
  if (allowed === undefined)
    return request === "valid" && NEVER_VALID.has(kind) ? `a valid request was answered ${kind}` : undefined;
  return allowed.has(kind)
    ? undefined
    : `it was answered ${kind}, and not for what is wrong with it (${violation ?? request})`;
}

const NEVER_VALID: ReadonlySet<string> = new Set(["parseError", "invalidRequest"]);
/** What any request may be answered: before it is looked at, or while somebody else is waited for. */
const ANYWHERE: ReadonlySet<string> = new Set([
  "overloaded",
  "backpressured",
  "inputTooLarge",
  "notInitialized",
  "alreadyInitialized",
]);
const ALLOWED: Readonly<Partial<Record<RequestClass, ReadonlySet<string>>>> = {
  invalid: new Set(["invalidParams", "experimentalRequired", "capabilityRequired", "methodNotFound"]),
  unknown: new Set(["methodNotFound", "experimentalRequired"]),
  envelope: new Set(["invalidRequest"]),
};

/** The kind of an error; by its code where it says none. */
export function kindOf(error: JsonObject): string {
  const { code, data } = error;
  const { kind } = (typeof data === "object" && data !== null ? data : {}) as JsonObject;
  return typeof kind === "string" ? kind : (kindOfCode.get(code as number) ?? String(code));
}

/** What tells an id from others: `1` and `"1"` are two. Half characters are one and the same. */
export function keyOf(id: unknown): string {
  if (typeof id === "string") return `"${id.replace(/[\ud800-\udfff]/g, "\ufffd")}`;
  return id === 0 ? "0" : (JSON.stringify(id) ?? "");
}

function isId(id: unknown): boolean {
  return typeof id === "string" || Number.isInteger(id);
}

function instead(ids: readonly string[], request: RequestClass): Expected {
  return ids.length === 0 ? { ...NONE, atNull: "must", request } : { ids, atNull: "instead", request };
}

/** Keys of all ids that stand in a text, wherever: a reader may see any of them where names repeat. */
function idsIn(text: string): string[] {
  const found = new Set<string>();
  for (const [, word] of text.slice(0, 5_000).matchAll(/"id" *: *("(?:[^"\\]|\\.)*"|-?[\d.eE+-]+)/g)) {
    try {
      found.add(keyOf(JSON.parse(word!)));
    } catch {
      // No value: nothing can be answered under it.
    }
  }
  return [...found];
}

function repeats(text: string, name: string): boolean {
  const word = `"${name}"`;
  const first = text.indexOf(word);
  return first !== -1 && text.indexOf(word, first + 1) !== -1;
}

/** Whether a member is written twice somewhere: then there are more names than what was parsed has members. */
function duplicated(text: string, value: unknown): boolean {
  let names = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText && char === 0x5c) at++;
    else if (char === 0x22) inText = !inText;
    else if (char === 0x3a && !inText) names++;
  }
  return names !== membersIn(value);
}

function membersIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const inner of Object.values(value)) count += membersIn(inner);
  return count;
}

/** Whether an id is written as JSON.stringify would. */
function isPlain(text: string, id: number): boolean {
  const written = `"id":${id}`;
  const at = text.indexOf(written);
  return at !== -1 && ",}".includes(text[at + written.length] ?? " ");
}

function countOf(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) count++;
  return count;
}

function nests(text: string): boolean {
  if (text.length < 2 * DEEP || countOf(text, "[") + countOf(text, "{") <= DEEP) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inText = false;
    } else if (char === 0x22) inText = true;
    else if (char === 0x5b || char === 0x7b) {
      if (++depth > DEEP) return true;
    } else if (char === 0x5d || char === 0x7d) depth--;
  }
  return false;
}

/** Whether null stands at a place of params. */
function isNull(params: unknown, pointer: string): boolean {
  let at: unknown = params;
  for (const word of pointer.split("/").slice(1)) {
    if (typeof at !== "object" || at === null) return false;
    at = (at as JsonObject)[word.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return at === null;
}
