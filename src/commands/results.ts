/**
 * The port of what is remembered of commands: under each key at most one claim or one result.
 *
 * What every implementation promises, and is held to by `mspkit/store-laws`:
 * - of all that claim a key, in this process and in others, one gets it until it is settled, released or forgotten;
 * - the first settlement of a key stands, and every later claim is told it;
 * - only the claim that stands can be settled or released, and only before its deadline: any other changes nothing, and
 *   is told so;
 * - a claim past its deadline, by the clock of the store, is settled as abandoned by whoever asks next;
 * - an epoch is greater than all that were there before under its key, also after the key was released or forgotten;
 * - what is forgotten is settled, the oldest first; an id with a time that is not later than that of one that was
 *   forgotten, of the same tenant, is `expired` where it is not known;
 * - an effect under a fence begins only while its claim stands; it is kept with what it settles, or nothing of it is;
 * - what was told is as durable as `durability` says when it is told.
 */
import type { CommandResult, Fence } from "./app.js";
import type { CommandKey } from "./key.js";

/** How long results are remembered: the newest ones, or those that are not older. */
export type Retention =
  | { readonly newest: number; readonly ageMs?: never }
  | { readonly ageMs: number; readonly newest?: never };

/** How many results are remembered where nothing else is said. */
export const DEFAULT_NEWEST = 10_000;

/** What a claim is asked with. */
export interface ClaimRequest {
  readonly key: CommandKey;
  /** The time in the id, in Unix milliseconds; undefined where there is none. */
  readonly idTime: number | undefined;
  /** Stands for the command; undefined where commands are not compared. */
  readonly signature: string | undefined;
  /** How long the claim stands, in milliseconds of the clock of the store. */
  readonly deadlineMs: number;
}

/** A command that this process may carry out, and nobody else. */
export interface Claim {
  readonly key: CommandKey;
  /** Greater than that of every claim of the key before. Never used again. */
  readonly epoch: number;
  /** Stands for this claim and no other, of any process. */
  readonly token: string;
}

/** A result as it is remembered. */
export interface Remembered {
  readonly kind: "settled";
  /** Of the command that was claimed first; undefined where it was not compared. */
  readonly signature: string | undefined;
  readonly result: CommandResult;
}

/** A claim of another, or of this process, that is not settled. */
export interface Pending {
  readonly kind: "pending";
  readonly signature: string | undefined;
}

/** What a claim is answered. */
export type Claimed =
  | { readonly kind: "claimed"; readonly claim: Claim }
  | Remembered
  | Pending
  /** The id is not known, and not newer than what was forgotten. Nothing was written. */
  | { readonly kind: "expired" }
  /** As many claims are pending as may be remembered. Nothing was written. */
  | { readonly kind: "full" };

/** How things stand with a key. */
export type Standing = Remembered | Pending | { readonly kind: "absent" };

/** What a settlement is answered, and the result that stands; undefined where there is none under the key. */
export interface Settlement {
  /** `settled`: this claim has settled it, now or before. `fenced`: it stands no more, and nothing was changed. */
  readonly kind: "settled" | "fenced";
  readonly result: CommandResult | undefined;
}

/** What was forgotten, and what is left. */
export interface Forgotten {
  readonly forgotten: number;
  /** Settled ones that are remembered. */
  readonly settled: number;
  readonly pending: number;
}

/** Results of commands, remembered. Every method may fail with a StoreError; what was asked is then done or not. */
export interface CommandResults {
  /** Whether other processes see the same results. */
  readonly shared: boolean;
  /** Whether a result is there after the end of the process. */
  readonly durability: "durable" | "ephemeral";
  /** The address that opens it, as `--store` takes it, without what is secret in it. */
  readonly url: string;
  /** Claims a key, or tells what stands there. */
  claim(request: ClaimRequest): Claimed | Promise<Claimed>;
  /** Settles a claim by its result, for good. */
  settle(claim: Claim, result: CommandResult): Settlement | Promise<Settlement>;
  /** Gives a claim back, as if it had never been. Whether it stood until now. */
  release(claim: Claim): boolean | Promise<boolean>;
  /** How things stand with a key. */
  read(key: CommandKey): Standing | Promise<Standing>;
  /**
   * How things stand with a key when it is pending no more, or after `waitMs`. However many wait for a key in a process,
   * the store is asked a bounded number of times a second.
   */
  wait(key: CommandKey, waitMs: number): Promise<Standing>;
  /** Forgets what the retention does not keep. Called by the results themselves, too. */
  forget(): Forgotten | Promise<Forgotten>;
  /** Where effects can be kept in the same store: makes them stand or fall with a claim. */
  fence?(claim: Claim): Fence;
  /** Ends it. Those that wait are told how things stood. */
  close(): Promise<void>;
}
