/**
 * The protocol as tables: what code must know of a method, notification, request, error or capability besides its
 * shape. `tables.js`, its declarations and `model.json` are three writings of this one value.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { gatesOf } from "../../model/gates.js";
import type { Annotated, Protocol } from "../../model/protocol.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { record } from "../schema/translate.js";
import { PAYLOAD_SHAPE, payloadsOf } from "./payloads.js";

/** One exported table. */
export interface Table {
  readonly name: string;
  readonly doc: string;
  readonly value: JsonObject | readonly Json[];
  /** How it is declared, where not value by value: the type, and what must be declared before it. */
  readonly declared?: { readonly type: string; readonly before: string };
  /** Left out of `model.json`, which has what it is made from. */
  readonly derived?: true;
}

/** The tables of a surface. */
export function tablesOf({ protocol, fingerprints }: SurfacePlan): Table[] {
  return [
    {
      name: "protocol",
      doc: "The protocol, the version of its schema, and the fingerprints of its surfaces.",
      value: {
        name: protocol.name,
        title: protocol.title,
        version: protocol.version,
        surface: protocol.surface,
        fingerprints: {
          stable: fingerprints.stable.fingerprint,
          experimental: fingerprints.experimental.fingerprint,
        },
      },
    },
    {
      name: "methods",
      doc: "The methods, by name. `gates`: the members of the params that are experimental or need a capability.",
      value: record(protocol.methods.map((m) => [m.name, methodRow(protocol, m)])),
    },
    {
      name: "notifications",
      doc: "The notifications, by name.",
      value: record(
        protocol.notifications.map((n) => [
          n.name,
          {
            ...given({ params: n.params }),
            direction: n.direction,
            scope: n.scope,
            protected: n.protected,
            ...given({ capability: n.capability }),
            ...gates(protocol, n.params),
            ...marks(n),
          },
        ]),
      ),
    },
    {
      name: "requests",
      doc: "The requests that the host sends, by name.",
      value: record(
        protocol.requests.map((r) => [
          r.name,
          { ...given({ params: r.params }), result: r.result, protected: r.protected, ...marks(r) },
        ]),
      ),
    },
    {
      name: "errors",
      doc: "The error registry, by kind, in its own order. `retryable` is absent where the protocol makes no claim.",
      value: inOrder(
        protocol.errors.map((e) => [
          e.kind,
          {
            code: e.code,
            ...given({ retryable: e.retryable }),
            overrideKinds: [...e.overrideKinds],
            ...marks(e),
          },
        ]),
      ),
    },
    {
      name: "capabilities",
      doc: "The capabilities that a client may be granted, by name.",
      value: inOrder(protocol.capabilities.map((c) => [c.name, marks(c)])),
    },
    {
      name: "rejections",
      doc: "Why a command is durably rejected, by reason. The set is open: an unknown reason is final. `methods` is absent where any command may answer it.",
      value: inOrder(
        protocol.rejections.map((r) => [
          r.reason,
          { definedBy: r.definedBy, ...(r.methods === undefined ? {} : { methods: [...r.methods] }) },
        ]),
      ),
    },
    {
      name: "enums",
      doc: "The named enums. An open one takes any other string too; `values` are the words that are known today.",
      derived: true,
      value: record(
        [...protocol.definitions.values()].flatMap(({ name, schema }) =>
          schema.enum === undefined
            ? []
            : [
                [
                  name,
                  { open: schema.enum.open, values: schema.enum.values.map(({ value }) => value) },
                ] as const,
              ],
        ),
      ),
    },
    {
      name: "payloads",
      doc: "What tells two payloads of a command apart, by definition: the params of the commands, and what they lead to.",
      value: payloadsOf(protocol),
      declared: { type: "{ readonly [definition: string]: PayloadShape }", before: PAYLOAD_SHAPE },
      derived: true,
    },
    {
      name: "reserved",
      doc: "Identifiers that are never assigned.",
      value: protocol.reserved.map(({ identifier, reference }) => ({ identifier, ...given({ reference }) })),
    },
  ];
}

function methodRow(protocol: Protocol, method: Protocol["methods"][number]): JsonObject {
  return {
    kind: method.kind,
    commandId: method.commandId,
    ...given({ record: method.record, params: method.params }),
    result: method.result,
    ...given({ capability: method.capability }),
    strict: method.strict,
    withheld: [...method.withheld],
    ...gates(protocol, method.params),
    ...marks(method),
  };
}

function gates(protocol: Protocol, definition: string | undefined): JsonObject {
  const list = gatesOf(protocol, definition);
  return list.length === 0 ? {} : { gates: list.map((gate) => ({ ...gate })) };
}

function marks({ stability, descriptor, deprecated }: Annotated): JsonObject {
  return given({ deprecated, stability, descriptor });
}

function given(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

/** An object whose members keep their order. */
function inOrder(entries: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of entries) {
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return out;
}
