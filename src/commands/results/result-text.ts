/** Results as databases keep them: JSON text. */
import { StoreError } from "../../ledger/store.js";
import type { CommandResult } from "../app.js";
import { ABANDONED } from "../rejections.js";

/** What an abandoned claim becomes. */
export const ABANDONED_TEXT: string = JSON.stringify(ABANDONED);

/** The text of a result. */
export function resultText(result: CommandResult): string {
  return JSON.stringify(result);
}

/** The result of a text. Throws a StoreError, `damaged`, where it is none. */
export function resultOf(text: string): CommandResult {
  try {
    const result = JSON.parse(text) as CommandResult | null;
    if (result?.status === "accepted" || result?.status === "rejected") return frozen(result);
  } catch {
    // Said below.
  }
  throw new StoreError("damaged", "what is kept as the result of a command is none");
}

/** The same, all the way down. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
