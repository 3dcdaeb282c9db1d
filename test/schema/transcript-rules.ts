/** What every golden session keeps: a walk over its lines, whose findings have a rule and a line. */
import { isDeepStrictEqual } from "node:util";
import * as tables from "../../generated/msp/experimental/tables.js";
import * as validators from "../../generated/msp/experimental/validators.js";

type Members = Readonly<Record<string, unknown>>;
type Validator = (value: unknown) => unknown;

/** A line of a transcript. */
export interface Line {
  readonly dir: "client" | "server";
  readonly raw: string;
}

/** The rules. */
export const RULES = [
  "envelope",
  "unknown-method",
  "direction",
  "invalid",
  "error-row",
  "handshake",
  "response",
  "cursor",
  "revision",
  "deltas",
  "ack",
  "open-item",
  "turn",
] as const;

/** One breach. */
export interface Finding {
  readonly rule: (typeof RULES)[number];
  /** Counted from one. */
  readonly line: number;
}

/** Fields whose deltas end up under another name. */
const TARGETS: Readonly<Record<string, string>> = { output: "visibleOutput" };
/** A command that was acked may still be rejected afterwards, for these reasons alone. */
const LATE_REASONS = new Set(["deferred_start_failed", "abandoned"]);

const members = (value: unknown): Members =>
  typeof value === "object" && value !== null ? (value as Members) : {};
const entry = (table: object, name: unknown): Members | undefined =>
  typeof name === "string" && Object.hasOwn(table, name)
    ? ((table as Record<string, unknown>)[name] as Members)
    : undefined;

/** A request that was sent, and what was answered. */
interface Asked {
  readonly dir: Line["dir"];
  readonly method: string;
  readonly params: Members;
}

/** What is known of an item. */
interface Seen {
  revision: number;
  turnId: unknown;
  open: boolean;
  readonly pieces: Map<string, string>;
}

/** The walk over one transcript. `unknown`: the methods that a scenario uses on purpose although none is there. */
class Walk {
  readonly findings: Finding[] = [];
  #line = 0;
  #state: "none" | "asked" | "answered" | "open" = "none";
  readonly #open = new Map<string, Asked>();
  readonly #events = new Map<unknown, Members>();
  readonly #items = new Map<unknown, Seen>();
  readonly #turns = new Map<unknown, "running" | "ended" | "reclaimed">();
  readonly #commands = new Map<unknown, { asked: Asked; result?: Members }>();

  readonly #unknown: ReadonlySet<string>;

  constructor(unknown: ReadonlySet<string>) {
    this.#unknown = unknown;
  }

  #found(rule: Finding["rule"]): void {
    this.findings.push({ rule, line: this.#line });
  }

  line({ dir, raw }: Line): void {
    this.#line++;
    let frame: Members;
    try {
      frame = JSON.parse(dir === "client" ? raw.replace(/\r$/, "") : raw) as Members;
    } catch {
      this.#found("envelope");
      return;
    }
    const { jsonrpc, id, method } = frame;
    const answers = Number(Object.hasOwn(frame, "result")) + Number(Object.hasOwn(frame, "error"));
    const fine =
      jsonrpc === "2.0" &&
      !/[\r\n]/.test(dir === "client" ? raw.replace(/\r$/, "") : raw) &&
      (typeof method === "string" ? answers === 0 : answers === 1) &&
      Object.hasOwn(frame, "emittedAtMs") ===
        (dir === "server" && typeof method === "string" && id === undefined);
    if (!fine) {
      this.#found("envelope");
      return;
    }
    this.#handshake(dir, frame);
    if (typeof method !== "string") this.#response(dir, frame);
    else if (id === undefined) this.#notification(dir, method, frame["params"]);
    else this.#request(dir, { dir, method, params: members(frame["params"]) }, id, frame["params"]);
  }

  end(): void {
    if (this.#open.size > 0) this.#found("response");
  }

  #handshake(dir: Line["dir"], { method, id }: Members): void {
    if (this.#state === "none" && dir === "client" && method === "initialize") this.#state = "asked";
    else if (this.#state === "asked" && dir === "server" && method === undefined && id !== undefined)
      this.#state = "answered";
    else if (this.#state === "answered" && dir === "client" && method === "initialized") this.#state = "open";
    else if (this.#state !== "open") this.#found("handshake");
  }

  #valid(validate: unknown, value: unknown): void {
    // Where a method has no params there is no validator, and none may be sent.
    if (validate === undefined ? value !== undefined : (validate as Validator)(value) !== null) {
      this.#found("invalid");
    }
  }

  #request(dir: Line["dir"], asked: Asked, id: unknown, params: unknown): void {
    const key = `${dir} ${JSON.stringify(id)}`;
    if (this.#open.has(key)) this.#found("response");
    this.#open.set(key, asked);
    const [table, checks] =
      dir === "client" ? [tables.methods, validators.methods] : [tables.requests, validators.requests];
    if (entry(table, asked.method) === undefined) {
      if (!this.#unknown.has(asked.method)) this.#found("unknown-method");
      return;
    }
    this.#valid(entry(checks, asked.method)?.["params"], params);
    if (dir === "server" && !(Number.isSafeInteger(id) && (id as number) > 0)) this.#found("envelope");
  }

  #response(dir: Line["dir"], { id, result, error }: Members): void {
    const key = `${dir === "server" ? "client" : "server"} ${JSON.stringify(id)}`;
    const asked = this.#open.get(key);
    if (asked === undefined) {
      this.#found("response");
      return;
    }
    this.#open.delete(key);
    if (error !== undefined) this.#error(members(error));
    else {
      const checks = asked.dir === "client" ? validators.methods : validators.requests;
      this.#valid(entry(checks, asked.method)?.["result"], result);
    }
    this.#ack(asked, result === undefined ? undefined : members(result), members(members(error)["data"]));
    if (asked.method === "view/page") {
      for (const event of (members(result)["events"] ?? []) as Members[]) {
        this.#notification("server", String(event["method"]), event["params"]);
      }
    }
    for (const item of (members(members(result)["history"])["items"] ?? []) as Members[]) {
      this.#item("item/history", item);
    }
  }

  #error({ code, message, data }: Members): void {
    const { kind } = members(data);
    const row = Object.entries(tables.errors).find(
      ([name, { overrideKinds }]) => name === kind || (overrideKinds as readonly unknown[]).includes(kind),
    );
    const fits = Object.entries(tables.errors).some(
      ([name, { code: its, overrideKinds }]) =>
        its === code && (name === kind || (overrideKinds as readonly unknown[]).includes(kind)),
    );
    if (row === undefined || !fits || typeof message !== "string") {
      this.#found("error-row");
      return;
    }
    this.#valid(entry(validators.errors, row[0]), data);
  }

  /** One command id: one payload, and the same answer each time. */
  #ack(asked: Asked, result: Members | undefined, data: Members): void {
    const { commandId } = asked.params;
    if (asked.dir !== "client" || commandId === undefined) return;
    if (result !== undefined && Object.hasOwn(result, "commandId") && result["commandId"] !== commandId) {
      this.#found("ack");
      return;
    }
    const before = this.#commands.get(commandId);
    if (before === undefined) {
      this.#commands.set(commandId, { asked, ...(result === undefined ? {} : { result }) });
    } else if (!isDeepStrictEqual(before.asked, asked)) {
      if (data["reason"] !== "command_id_conflict") this.#found("ack");
    } else if (result === undefined) {
      if (before.result !== undefined && !LATE_REASONS.has(String(data["reason"]))) this.#found("ack");
    } else if (before.result === undefined) before.result = result;
    else if (!isDeepStrictEqual(before.result, result)) this.#found("ack");
  }

  #notification(dir: Line["dir"], method: string, params: unknown): void {
    const row = entry(tables.notifications, method);
    if (row === undefined) {
      if (!this.#unknown.has(method)) this.#found("unknown-method");
    } else {
      if ((row["direction"] === "client-to-host") !== (dir === "client")) this.#found("direction");
      this.#valid(entry(validators.notifications, method), params);
    }
    const { viewCursor, sessionId } = members(params);
    if (viewCursor !== undefined) {
      const key = `${String(sessionId)} ${String(viewCursor)}`;
      const before = this.#events.get(key);
      if (before !== undefined) {
        // A page may serve again what was delivered; it counts once.
        if (!isDeepStrictEqual(before, { method, params })) this.#found("cursor");
        return;
      }
      this.#events.set(key, { method, params });
    }
    this.#fold(method, members(params));
  }

  #fold(method: string, params: Members): void {
    const { item, itemId, turnId } = params;
    if (item !== undefined) this.#item(method, members(item));
    else if (method === "item/delta") {
      const seen = this.#items.get(itemId);
      if (seen === undefined || !seen.open) {
        this.#found("deltas");
        return;
      }
      const field = String(params["field"] ?? "text");
      const target = TARGETS[field] ?? field;
      seen.pieces.set(target, (seen.pieces.get(target) ?? "") + String(params["delta"]));
    } else if (method === "turn/started") {
      if (this.#turns.has(turnId)) this.#found("turn");
      this.#turns.set(turnId, "running");
    } else if (method === "turn/unqueued") {
      if (this.#turns.has(turnId)) this.#found("turn");
      this.#turns.set(turnId, "reclaimed");
    } else if (method === "turn/completed") {
      const before = this.#turns.get(turnId);
      if (before === "ended" || before === "reclaimed") this.#found("turn");
      this.#turns.set(turnId, "ended");
      const left = [...this.#items.values()].some((seen) => seen.open && seen.turnId === turnId);
      if (left) this.#found("open-item");
      if ((params["terminal"] === "failed") !== (params["error"] !== undefined)) this.#found("turn");
    }
  }

  #item(method: string, item: Members): void {
    const { itemId, revision, status, turnId } = item;
    const open = status === "inProgress";
    const before = this.#items.get(itemId);
    const seen = before ?? { revision: 0, turnId, open, pieces: new Map<string, string>() };
    if (typeof revision !== "number" || revision <= seen.revision) this.#found("revision");
    else seen.revision = revision;
    if (method === "item/started" && revision !== 1) this.#found("revision");
    for (const [target, text] of open ? [] : seen.pieces) {
      if (item[target] !== text) this.#found("deltas");
    }
    if (!open) seen.pieces.clear();
    seen.open = open;
    this.#items.set(itemId, seen);
  }
}

/** What is wrong with a transcript, in the order of its lines. */
export function findingsOf(lines: readonly Line[], unknown: ReadonlySet<string> = new Set()): Finding[] {
  const walk = new Walk(unknown);
  for (const line of lines) walk.line(line);
  walk.end();
  return walk.findings;
}
