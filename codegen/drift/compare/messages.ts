/** Rules of what is no part of a value: methods, notifications, requests, errors, capabilities, rejections. */
import type { Json } from "../../bundle/json.js";
import { jsonEqual } from "../../bundle/json.js";
import { child } from "../../bundle/pointer.js";
import type {
  Annotated,
  ErrorRow,
  Method,
  Notification,
  Protocol,
  Schema,
  ServerRequest,
} from "../../model/protocol.js";
import { type Difference, PARTIES, type Party, type Use } from "../change.js";
import type { DriftRuleId } from "../rules.js";
import { NOTHING } from "../shape.js";
import { difference } from "./difference.js";
import type { Pairs } from "./pairs.js";

/** Tells what messages, errors and words came, went and changed; what both sides have becomes pairs. */
export function compareMessages(pairs: Pairs, base: Protocol, head: Protocol, marks: boolean): Difference[] {
  const messages = new Messages(pairs, base, head);
  messages.methods(marks);
  messages.notifications(marks);
  messages.requests(marks);
  messages.errors();
  messages.capabilities();
  // Who says nothing of how messages are treated names no reasons either.
  if (marks) messages.rejections();
  messages.definitions();
  return messages.found;
}

type Effects = Partial<Pick<Difference, "narrows" | "widens" | "relied" | "isolated" | "message" | "pair">>;

class Messages {
  readonly found: Difference[] = [];
  readonly #pairs: Pairs;
  readonly #base: Protocol;
  readonly #head: Protocol;

  constructor(pairs: Pairs, base: Protocol, head: Protocol) {
    this.#pairs = pairs;
    this.#base = base;
    this.#head = head;
  }

  methods(marks: boolean): void {
    const both = this.#calls("method", "client", this.#base.methods, this.#head.methods);
    if (marks) for (const [was, now] of both) this.#methodMarks(was, now);
  }

  notifications(marks: boolean): void {
    const before = this.#base.notifications.map(directed);
    const after = this.#head.notifications.map(directed);
    const { fresh, gone, both } = matched(before, after);
    const use = ({ of }: Directed): Use => ({
      message: of.name,
      kind: "notification",
      part: "params",
      sender: of.direction === "client-to-host" ? "client" : "host",
    });
    for (const one of fresh)
      this.#tell("notification-added", "added", one.of, undefined, paramsOf(one.of), {
        message: { ...use(one), ...definitionOf(one.of), refused: false },
      });
    for (const one of gone)
      this.#tell("notification-removed", "removed", one.of, paramsOf(one.of), undefined, {
        relied: true,
        message: { ...use(one), ...definitionOf(one.of), refused: false },
      });
    for (const [was, now] of both) {
      this.#part(was.of, now.of, "params", use(now));
      if (!marks) continue;
      this.#behaviour(was.of, now.of, "scope", "x-msp-scope");
      this.#behaviour(was.of, now.of, "protected", "x-msp-protected");
      this.#gate(was.of, now.of);
    }
  }

  requests(marks: boolean): void {
    const both = this.#calls("request", "host", this.#base.requests, this.#head.requests);
    if (marks) for (const [was, now] of both) this.#behaviour(was, now, "protected", "x-msp-protected");
  }

  errors(): void {
    const key = ({ kind }: ErrorRow): string => kind;
    const before = new Map(this.#base.errors.map((row) => [key(row), row]));
    const after = new Map(this.#head.errors.map((row) => [key(row), row]));
    // A row's pointer counts rows, so that one more would move all others: it is named by its kind.
    const at = (row: ErrorRow): Annotated => ({ ...row, pointer: child("/errors", row.kind) });
    for (const [kind, row] of after)
      if (!before.has(kind)) this.#tell("error-added", "added", at(row), undefined, rowOf(row), {});
    for (const [kind, row] of before) {
      const now = after.get(kind);
      if (now === undefined)
        this.#tell("error-removed", "removed", at(row), rowOf(row), undefined, { relied: true });
      else if (!jsonEqual(rowOf(row), rowOf(now)))
        this.#tell("error-changed", "changed", at(now), rowOf(row), rowOf(now), { relied: true });
    }
    const [b, h] = [this.#base.errorData, this.#head.errorData];
    if (b !== undefined && h !== undefined)
      this.#root(b, h, { message: h, kind: "errorData", part: "data", sender: "host" });
  }

  capabilities(): void {
    const at = (name: string): Annotated => ({ pointer: child("/capabilities", name) });
    const { fresh, gone } = matched(this.#base.capabilities, this.#head.capabilities);
    for (const { name } of fresh) this.#tell("capability-added", "added", at(name), undefined, name, {});
    for (const { name } of gone)
      this.#tell("capability-removed", "removed", at(name), name, undefined, { relied: true });
  }

  rejections(): void {
    const at = (name: string): Annotated => ({ pointer: child("/rejections", name) });
    const reasons = (of: Protocol): { readonly name: string }[] =>
      of.rejections.map(({ reason }) => ({ name: reason }));
    const { fresh, gone } = matched(reasons(this.#base), reasons(this.#head));
    for (const { name } of fresh) this.#tell("rejection-added", "added", at(name), undefined, name, {});
    for (const { name } of gone)
      this.#tell("rejection-removed", "removed", at(name), name, undefined, { relied: true });
  }

  definitions(): void {
    const { fresh, gone, both } = matched(
      [...this.#base.definitions.values()],
      [...this.#head.definitions.values()],
    );
    for (const definition of fresh)
      this.#tell("definition-added", "added", definition, undefined, definition.name, {});
    for (const definition of gone)
      this.#tell("definition-removed", "removed", definition, definition.name, undefined, {});
    for (const [was, now] of both) {
      if (now.role !== undefined && ENVELOPES.has(now.role))
        for (const sender of PARTIES)
          this.#root(was.name, now.name, { message: now.name, kind: "envelope", part: "data", sender });
      // What no message carries is told too.
      this.#pairs.of(was.schema, now.schema);
    }
  }

  /** What is called and answered, by who calls; gives those that both sides have. */
  #calls<T extends Method | ServerRequest>(
    kind: "method" | "request",
    sender: Party,
    base: readonly T[],
    head: readonly T[],
  ): readonly [T, T][] {
    const { fresh, gone, both } = matched(base, head);
    const use = ({ name }: T): Use => ({ message: name, kind, part: "params", sender });
    for (const call of fresh)
      this.#tell(`${kind}-added`, "added", call, undefined, callOf(call), {
        widens: "yes",
        message: { ...use(call), ...definitionOf(call), refused: true },
      });
    for (const call of gone)
      this.#tell(`${kind}-removed`, "removed", call, callOf(call), undefined, {
        narrows: "yes",
        relied: true,
        message: { ...use(call), ...definitionOf(call), refused: true },
      });
    const reader = sender === "client" ? "host" : "client";
    for (const [was, now] of both) {
      this.#part(was, now, "params", use(now));
      this.#part(was, now, "result", { ...use(now), part: "result", sender: reader });
    }
    return both;
  }

  #methodMarks(was: Method, now: Method): void {
    for (const [key, mark] of METHOD_MARKS) this.#behaviour(was, now, key, mark);
    this.#gate(was, now);
    if (was.strict === now.strict) return;
    const [b, h] = [this.#schemaOf(this.#base, was, "params"), this.#schemaOf(this.#head, now, "params")];
    const rule = now.strict ? "unknown-members-refused" : "unknown-members-taken";
    this.#tell(rule, "changed", { pointer: child(now.pointer, "x-msp-strict") }, was.strict, now.strict, {
      pair: this.#pairs.of(b, h),
      ...(now.strict
        ? { narrows: "yes", isolated: { narrows: { sender: b, reader: { ...b, additional: NOTHING } } } }
        : {}),
    });
  }

  #behaviour<T extends Annotated>(was: T, now: T, key: keyof T & string, mark: string): void {
    const [b, h] = [(was[key] ?? null) as Json, (now[key] ?? null) as Json];
    if (jsonEqual(b, h)) return;
    const at = { pointer: child(now.pointer, mark) };
    this.#tell("behaviour-changed", "changed", at, b, h, { relied: true });
  }

  #gate(was: Method | Notification, now: Method | Notification): void {
    const [b, h] = [was.capability, now.capability];
    if (b === h) return;
    const at = { pointer: child(now.pointer, "x-msp-capability") };
    this.#tell(
      h === undefined ? "capability-waived" : "capability-demanded",
      "changed",
      at,
      b ?? null,
      h ?? null,
      {
        relied: h !== undefined,
      },
    );
  }

  #part(was: Call, now: Call, part: "params" | "result", use: Use): void {
    if (was[part] === undefined && now[part] === undefined) return;
    this.#pairs.root(this.#schemaOf(this.#base, was, part), this.#schemaOf(this.#head, now, part), use);
  }

  /** The schema of a part; of params that are not there, an object without members. */
  #schemaOf(of: Protocol, call: Call, part: "params" | "result"): Schema {
    const name = call[part];
    return name === undefined
      ? { pointer: call.pointer, types: ["object"], members: [] }
      : (of.definitions.get(name) as { readonly schema: Schema }).schema;
  }

  #root(base: string, head: string, use: Use): void {
    const [b, h] = [this.#base.definitions.get(base), this.#head.definitions.get(head)];
    if (b !== undefined && h !== undefined) this.#pairs.root(b.schema, h.schema, use);
  }

  #tell(
    rule: DriftRuleId,
    kind: Difference["kind"],
    { pointer }: Annotated,
    before: Json | undefined,
    after: Json | undefined,
    effects: Effects,
  ): void {
    this.found.push(difference(rule, { kind, pointer, before, after }, effects));
  }
}

type Call = Annotated & { readonly params?: string; readonly result?: string };

const ENVELOPES: ReadonlySet<string> = new Set([
  "request",
  "notification",
  "successResponse",
  "errorResponse",
]);

const METHOD_MARKS = [
  ["kind", "x-msp-kind"],
  ["commandId", "x-msp-command-id"],
  ["record", "x-msp-record"],
  ["withheld", "x-msp-withheld"],
] as const;

/** A notification that goes the other way is another one. */
interface Directed {
  readonly name: string;
  readonly of: Notification;
}

function directed(of: Notification): Directed {
  return { name: `${of.direction} ${of.name}`, of };
}

function matched<T extends { readonly name: string }>(
  base: readonly T[],
  head: readonly T[],
): { readonly fresh: T[]; readonly gone: T[]; readonly both: [T, T][] } {
  const before = new Map(base.map((one) => [one.name, one]));
  const after = new Map(head.map((one) => [one.name, one]));
  return {
    fresh: head.filter(({ name }) => !before.has(name)),
    gone: base.filter(({ name }) => !after.has(name)),
    both: head.flatMap((now): [T, T][] => {
      const was = before.get(now.name);
      return was === undefined ? [] : [[was, now]];
    }),
  };
}

function definitionOf({ params }: Call): { readonly definition?: string } {
  return params === undefined ? {} : { definition: params };
}

function callOf({ params, result }: Call): Json {
  return { ...paramsOf({ params }), result: result ?? null } as Json;
}

function paramsOf({ params }: { readonly params?: string | undefined }): { readonly params?: string } {
  return params === undefined ? {} : { params };
}

function rowOf({ code, kind, retryable, overrideKinds }: ErrorRow): Json {
  return { code, kind, retryable: retryable ?? null, overrideKinds: [...overrideKinds].sort() };
}
