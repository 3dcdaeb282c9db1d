/**
 * The errors that a generated server answers of its own accord, as the bundle's registry has them.
 */
import type { JsonObject } from "../../bundle/json.js";
import type { Protocol } from "../../model/protocol.js";

/** What JSON-RPC says; the code of a missing capability is MSP's. */
const DEFAULTS = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  capabilityRequired: -32010,
} as const;

/**
 * Code and kind of each: the registry's row of that kind, else its row of that code, else what JSON-RPC says. A code
 * that the protocol gives to another error is never used for a missing capability.
 */
export function standardErrorsOf({ errors, reserved }: Protocol): JsonObject {
  const taken = new Set([
    ...errors.map(({ code }) => code),
    ...reserved.map(({ identifier }) => Number(identifier)),
  ]);
  return Object.fromEntries(
    Object.entries(DEFAULTS).map(([kind, standard]) => {
      let row: { readonly code: number; readonly kind: string } | undefined = errors.find(
        (error) => error.kind === kind,
      );
      if (kind === "capabilityRequired") {
        let code: number = standard;
        while (taken.has(code)) code--;
        row ??= { code, kind };
      }
      row ??= errors.find(({ code }) => code === standard) ?? { code: standard, kind };
      return [kind, { code: row.code, kind: row.kind }];
    }),
  );
}
