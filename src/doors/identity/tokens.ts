/** Bearer tokens, and whom each stands for. */
import { hash, timingSafeEqual } from "node:crypto";
import { DoorError } from "../door-error.js";
import { isJsonObject } from "../schema.js";
import type { Authenticate, Identity } from "./authenticate.js";

/** One token. */
export interface TokenRow extends Identity {
  /** SHA-256 of the token. */
  readonly digest: Uint8Array;
}

/** The least characters of a token. */
const LEAST = 16;
const MEMBERS = ["token", "sha256", "tenant", "participant", "expiresAt"];
// Without a zone it would be another time on every machine.
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** The row of a token. Throws a {@link DoorError} where it is short, or no bearer token. */
export function tokenRow(token: string, { tenant, participant, expiresAtMs }: Identity): TokenRow {
  if (token.length < LEAST || !TOKEN.test(token))
    throw malformed(`a token has at least ${LEAST} characters, of A-Z a-z 0-9 . _ ~ + / -`);
  return rowOf(digestOf(token), tenant, participant, expiresAtMs);
}

/**
 * The rows of a table in JSON: a list of `{ "token", "tenant", "participant", "expiresAt" }`. `sha256`, 64 hexadecimal
 * digits, may stand for `token`; `expiresAt` is a time of ISO 8601 with its zone, or is not there.
 * @throws {DoorError} where it is no such list; tokens are not told
 */
export function readTokens(text: string): readonly TokenRow[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What JSON.parse says quotes the text.
    throw malformed("it is not JSON");
  }
  if (!Array.isArray(value)) throw malformed("it is no list");
  const rows = value.map((row: unknown, at) => {
    try {
      return readRow(row);
    } catch (error) {
      throw malformed(`row ${at + 1}: ${(error as Error).message}`);
    }
  });
  const again = repeatedToken(rows);
  if (again !== -1) throw malformed(`row ${again + 1}: the token stands for somebody already`);
  return rows;
}

/** The place of the first row whose token an earlier row has too; -1 where there is none. */
export function repeatedToken(rows: readonly TokenRow[]): number {
  const digests = rows.map(({ digest }) => Buffer.from(digest).toString("hex"));
  return digests.findIndex((digest, at) => digests.indexOf(digest) !== at);
}

function readRow(row: unknown): TokenRow {
  if (!isJsonObject(row)) throw new TypeError("it is no object");
  // A misspelt `expiresAt` would be a token for ever.
  for (const name of Object.keys(row))
    if (!MEMBERS.includes(name))
      throw new TypeError(`it has a member that no row has: ${MEMBERS.join(", ")}`);
  const { token, sha256, tenant, participant, expiresAt } = row;
  if (typeof tenant !== "string" || tenant === "") throw new TypeError("it names no tenant");
  if (typeof participant !== "string" || participant === "") throw new TypeError("it names no participant");
  const expiresAtMs =
    typeof expiresAt === "string" && TIME.test(expiresAt) ? Date.parse(expiresAt) : undefined;
  if (expiresAt !== undefined && (expiresAtMs === undefined || Number.isNaN(expiresAtMs)))
    throw new TypeError("expiresAt is no time of ISO 8601 with its zone, such as 2027-01-01T00:00:00Z");
  const identity = { tenant, participant, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
  if (typeof token === "string" && sha256 === undefined) return tokenRow(token, identity);
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256) || token !== undefined)
    throw new TypeError("it has neither a token nor the 64 digits of its SHA-256, or both");
  return rowOf(Buffer.from(sha256, "hex"), tenant, participant, expiresAtMs);
}

function rowOf(
  digest: Uint8Array,
  tenant: string,
  participant: string,
  expiresAtMs: number | undefined,
): TokenRow {
  return { digest, tenant, participant, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
}

/**
 * Knows people by their tokens. How long it takes says nothing of how near a wrong token is to a right one: texts are
 * compared only where their hashes, which have a secret in them, are the same.
 * @param anonymous who is at the door without a token; default: nobody
 */
export function byTokens(rows: readonly TokenRow[], anonymous?: Identity): Authenticate {
  // Right tokens, so that one who comes often is not looked up each time: no more than there are rows.
  const known = new Map<string, TokenRow>();
  return ({ token, headers }) => {
    // A token that could not be read is a wrong one.
    if (token === undefined) return headers["authorization"] === undefined ? anonymous : undefined;
    const before = known.get(token);
    if (before !== undefined) return before;
    const digest = digestOf(token);
    let found: TokenRow | undefined;
    // To the end of the table, whoever is found.
    for (const row of rows) if (timingSafeEqual(row.digest, digest)) found = row;
    if (found !== undefined) known.set(token, found);
    return found;
  };
}

function digestOf(token: string): Uint8Array {
  return hash("sha256", token, "buffer");
}

function malformed(why: string): DoorError {
  return new DoorError("malformedTokens", why);
}
