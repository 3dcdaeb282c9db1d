/** Lets in whom it knows, and not too often. */
import type { Rejection } from "../../commands/app.js";
import { takenFrom } from "../../commands/carried.js";
import { RateLimiter } from "../limits.js";
import { refusal } from "../reasons.js";
import { type Allowed, strangeness } from "./addresses.js";
import {
  type Authenticate,
  actorText,
  bearerToken,
  type Credentials,
  type DoorName,
  type Identity,
} from "./authenticate.js";

/** What a gate is made of. */
export interface GateOptions extends Allowed {
  readonly authenticate: Authenticate;
  /** Whether only this machine reaches the doors. */
  readonly loopback: boolean;
  readonly perSecond: number;
  readonly burst: number;
  readonly failuresPerMinute: number;
  readonly onError: (error: unknown) => void;
  /** Unix time in milliseconds. Default: the platform's. */
  readonly now?: () => number;
}

/** A request, as far as a gate looks at it. */
export interface AtTheGate {
  readonly headers: Credentials["headers"] & {
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
  };
  readonly remoteAddress: string | undefined;
  /** The token, where it is not in the header `Authorization`. */
  readonly token?: string | undefined;
}

/** How many tokens are known to have been right. */
const RIGHT_TOKENS = 10_000;

/** See above. */
export class Gate {
  readonly #options: GateOptions;
  readonly #rate: RateLimiter;
  readonly #failures: RateLimiter;
  readonly #now: () => number;
  // Tokens that were right when they were shown last: an address that shows wrong ones as well does not lock them out.
  readonly #right = new Set<string>();
  // The name by which it was asked and that is let in: most that come ask by the same.
  #host: string | undefined;
  // Of those who are the same object each time.
  readonly #names = new WeakMap<Identity, string>();

  constructor(options: GateOptions) {
    this.#options = options;
    this.#rate = new RateLimiter(options.perSecond, options.burst);
    this.#failures = new RateLimiter(options.failuresPerMinute / 60, options.failuresPerMinute);
    this.#now = options.now ?? Date.now;
  }

  /** What is wrong with where a request comes from; undefined where nothing is. */
  strange({ headers }: AtTheGate): Rejection | undefined {
    const { host, origin } = headers;
    if (host !== undefined && host === this.#host && origin === undefined) return undefined;
    const { loopback } = this.#options;
    const found = strangeness(this.#options, loopback, headers);
    if (found !== undefined) return refusal(found);
    if (origin === undefined) this.#host = host;
    return undefined;
  }

  /** Who is there, or why nobody is let in; at once where `authenticate` says so at once. */
  admit(door: DoorName, at: AtTheGate): Identity | Rejection | Promise<Identity | Rejection> {
    const address = at.remoteAddress ?? "";
    const header = at.headers["authorization"];
    const token = at.token ?? bearerToken(typeof header === "string" ? header : undefined);
    const wait = this.#failures.empty(address);
    if (wait !== undefined && (token === undefined || !this.#right.has(token)))
      return refusal("rate_limited", { retryAfterMs: wait });
    try {
      const known: unknown = this.#options.authenticate({
        door,
        token,
        headers: at.headers,
        remoteAddress: at.remoteAddress,
      });
      if (!isThenable(known)) return this.#known(known, token, address);
      return Promise.resolve(known)
        .then((given) => this.#known(given, token, address))
        .catch((error: unknown) => this.#failed(error));
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Takes one from what a participant may ask for. */
  take(identity: Identity): Rejection | undefined {
    let name = this.#names.get(identity);
    if (name === undefined) {
      name = actorText(identity);
      this.#names.set(identity, name);
    }
    const wait = this.#rate.take(name);
    return wait === undefined ? undefined : refusal("rate_limited", { retryAfterMs: wait });
  }

  /** Whether somebody is not known any more. */
  expired({ expiresAtMs }: Identity): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#now();
  }

  /** Throws where what `authenticate` gave is nobody's name: that is its fault, and not the client's. */
  #known(given: unknown, token: string | undefined, address: string): Identity | Rejection {
    if (given !== undefined && given !== null) {
      if (typeof given === "object" && "reason" in given) return rejectionOf(given);
      assertIdentity(given);
      if (!this.expired(given)) {
        if (token !== undefined && !this.#right.has(token)) this.#remember(token);
        return this.take(given) ?? given;
      }
    }
    if (token !== undefined) this.#right.delete(token);
    this.#failures.take(address);
    return refusal("unauthenticated");
  }

  #remember(token: string): void {
    if (this.#right.size >= RIGHT_TOKENS) this.#right.delete(this.#right.values().next().value as string);
    this.#right.add(token);
  }

  #failed(error: unknown): Rejection {
    this.#options.onError(error);
    return refusal("internal_error");
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

function assertIdentity(given: unknown): asserts given is Identity {
  const { tenant, participant, expiresAtMs } = given as { readonly [M in keyof Identity]: unknown };
  if (typeof tenant !== "string" || tenant === "" || typeof participant !== "string" || participant === "")
    throw new TypeError("authenticate gave somebody without a tenant or a participant");
  if (expiresAtMs !== undefined && (typeof expiresAtMs !== "number" || Number.isNaN(expiresAtMs)))
    throw new TypeError("authenticate gave somebody until no time");
}

function rejectionOf(given: object): Rejection {
  const taken = takenFrom({ status: "rejected", rejection: given });
  if (typeof taken === "string" || taken.status !== "rejected")
    throw new TypeError("authenticate gave a rejection that is none");
  return taken.rejection;
}
