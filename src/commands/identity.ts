/** What a command is compared by, where commands are compared. */
import {
  checkPayload,
  decodePayload,
  type FrozenObject,
  type PayloadShapes,
  signatureOf,
} from "../ledger/signature.js";
import type { Command } from "./app.js";

/** What a repeated id stands for: the first result, or one command. */
export type Identity = "first-result" | "checked";

/** What the generated tables of a bundle say of payloads: `tables.js` has both. */
export interface PayloadTables {
  /** The definition of the params of each method. */
  readonly methods: Readonly<Record<string, { readonly params?: string }>>;
  readonly payloads: PayloadShapes;
}

// All members of an object count where its shape says nothing.
const ANY: PayloadShapes = { any: {} };

/**
 * The signature of a command, taken from a frozen copy of its params; or where in the params and why they have none.
 * Params that were not validated by the bundle have one as well.
 */
export function signatureFor(
  { method, params }: Command,
  tables: PayloadTables | undefined,
):
  | { readonly signature: string; readonly refusal?: never }
  | { readonly signature?: never; readonly refusal: { readonly fault: string; readonly pointer: string } } {
  const definition =
    tables !== undefined && Object.hasOwn(tables.methods, method)
      ? tables.methods[method]?.params
      : undefined;
  const payload: FrozenObject =
    tables === undefined || definition === undefined
      ? decodePayload(ANY, "any", params)
      : decodePayload(tables.payloads, definition, params);
  const found = checkPayload(payload);
  if (found !== undefined) return { refusal: { fault: found.fault, pointer: found.pointer } };
  return { signature: signatureOf(method, payload) };
}
