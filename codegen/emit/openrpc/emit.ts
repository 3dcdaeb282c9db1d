/**
 * The product `openrpc`: the surface as an OpenRPC 1.4 document, for the tools of others.
 *
 * `methods` has what a client sends: its calls, and its notifications as methods without a result. What OpenRPC has
 * no word for (messages of the host, kinds of errors, stability, direction and all other marks) stands in tables at
 * the root, since the meta-schema allows extensions neither in errors nor in references. `read.ts` reads it back.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import type { Annotated, Protocol } from "../../model/protocol.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { jsonHeader } from "../header.js";
import { record } from "../schema/translate.js";
import { infoObject, methodObjects } from "./methods.js";
import { draftSchema, lostIn } from "./schema.js";

/** The version of OpenRPC. */
export const OPENRPC_VERSION = "1.4.1";

/** The texts of the product by path in the folder of the surface. */
export function emitOpenrpc(plan: SurfacePlan): Readonly<Record<string, string>> {
  return { "openrpc.json": `${JSON.stringify(openrpcDocument(plan), null, 2)}\n` };
}

/** The document. */
export function openrpcDocument(plan: SurfacePlan): JsonObject {
  const { protocol } = plan;
  const definitions = [...protocol.definitions.values()];
  return {
    openrpc: OPENRPC_VERSION,
    info: infoObject(protocol),
    methods: methodObjects(protocol),
    components: {
      schemas: record(
        definitions.map(({ name, schema }) => [name, draftSchema(schema, protocol.definitions)] as const),
      ),
      errors: record(
        protocol.errors.map((row) => [row.kind, { code: row.code, message: row.title ?? row.kind }] as const),
      ),
    },
    "x-msp-generated": jsonHeader(plan),
    "x-msp-protocol": {
      name: protocol.name,
      title: protocol.title,
      version: protocol.version,
      surface: protocol.surface,
      ...given({ description: protocol.description }),
    },
    ...tables(protocol),
    "x-msp-schemas": record(definitions.flatMap((definition) => lostIn(definition, protocol.definitions))),
  };
}

/** The tables at the root. Their entries have the words of the dialect. */
function tables(protocol: Protocol): JsonObject {
  return {
    "x-msp-methods": record(
      protocol.methods.map((method) => [
        method.name,
        {
          ...given({ title: method.title, params: method.params }),
          result: method.result,
          "x-msp-kind": method.kind,
          "x-msp-command-id": method.commandId,
          ...given({ "x-msp-record": method.record, "x-msp-capability": method.capability }),
          ...(method.strict ? { "x-msp-strict": true } : {}),
          ...(method.withheld.length === 0 ? {} : { "x-msp-withheld": [...method.withheld] }),
          ...marks(method),
        },
      ]),
    ),
    "x-msp-notifications": record(
      protocol.notifications.map((notification) => [
        notification.name,
        {
          ...texts(notification),
          ...given({ params: notification.params }),
          "x-msp-direction": notification.direction,
          "x-msp-scope": notification.scope,
          ...(notification.protected ? { "x-msp-protected": true } : {}),
          ...given({ "x-msp-capability": notification.capability }),
          ...marks(notification),
        },
      ]),
    ),
    "x-msp-requests": record(
      protocol.requests.map((request) => [
        request.name,
        {
          ...texts(request),
          ...given({ params: request.params }),
          result: request.result,
          "x-msp-direction": "host-to-client",
          ...(request.protected ? { "x-msp-protected": true } : {}),
          ...marks(request),
        },
      ]),
    ),
    "x-msp-errors": protocol.errors.map((row) => ({
      kind: row.kind,
      code: row.code,
      ...given({ retryable: row.retryable }),
      ...(row.overrideKinds.length === 0 ? {} : { overrideKinds: [...row.overrideKinds] }),
      ...texts(row),
      ...marks(row),
    })),
    "x-msp-capabilities": protocol.capabilities.map((row) => ({
      name: row.name,
      ...given({ description: row.description, "x-msp-stability": row.stability }),
    })),
    "x-msp-reserved-capabilities": protocol.reservedCapabilities.map((row) => ({ ...row })),
    "x-msp-rejections": protocol.rejections.map(({ methods, ...row }) => ({
      ...row,
      ...(methods === undefined ? {} : { methods: [...methods] }),
    })),
    "x-msp-reserved": protocol.reserved.map((row) => ({ ...row })),
  };
}

function texts({ title, description, deprecated }: Annotated): JsonObject {
  return given({ title, description, deprecated });
}

function marks({ stability, descriptor }: Annotated): JsonObject {
  return given({ "x-msp-stability": stability, "x-msp-descriptor": descriptor });
}

/** The members that have a value. */
function given(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}
