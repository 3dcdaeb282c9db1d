/** Which methods are commands, by the schema. */
import { methods } from "../../generated/msp/experimental/tables.js";
import type { CommandName } from "../../src/host/payloads.js";

/** All commands. */
export const commandMethods = (Object.keys(methods) as (keyof typeof methods)[]).filter(
  (method): method is CommandName => methods[method].commandId === "required",
);

/** Commands that a host without a durable store does not serve. */
export const withheldByEphemeral: readonly CommandName[] = commandMethods.filter((method) =>
  (methods[method].withheld as readonly string[]).includes("ephemeral"),
);
