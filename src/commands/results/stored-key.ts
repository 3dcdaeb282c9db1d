/** Keys as databases keep them: short enough for an index. */
import { createHash } from "node:crypto";
import { type CommandKey, keyText, partText } from "../key.js";

/** The longest text that is kept as it is, in bytes. */
const LONGEST = 1_000;

/** The text of a key; of a long one, its SHA-256. Other keys have other texts. */
export function storedKey(key: CommandKey): string {
  return short(keyText(key));
}

/** The text of what shares a watermark: a tenant. */
export function storedScope(tenant: string): string {
  return short(partText(tenant));
}

function short(text: string): string {
  // At most three bytes for each code unit.
  if (text.length * 3 <= LONGEST || Buffer.byteLength(text) <= LONGEST) return text;
  // No text of a key begins with it.
  return `#${createHash("sha256").update(text).digest("base64url")}`;
}
