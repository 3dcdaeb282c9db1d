/** How much may be asked. */

/** Limits of the doors. */
export interface Limits {
  /** Bytes of a body, and of a frame that a client sends. Default: 1,048,576. Answers on WebSockets may have 10 MiB. */
  readonly bodyBytes?: number;
  /** Connections at once. Default: 1,024. */
  readonly connections?: number;
  /** WebSockets at once of one participant. Default: 64. */
  readonly sockets?: number;
  /** Workspaces that one WebSocket hears of. Default: 100. */
  readonly heard?: number;
  /** Requests of one WebSocket that are handled at once. Default: 64. */
  readonly concurrent?: number;
  /** Requests a second of one participant, over all doors. Default: 1,000. */
  readonly perSecond?: number;
  /** Requests that one participant may send at once. Default: twice those of a second. */
  readonly burst?: number;
  /** Requests a minute with a wrong token, of one address. Default: 60. */
  readonly failuresPerMinute?: number;
  /** How long a request may take to arrive, in milliseconds. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  /** How long closing waits for what was asked to be answered, in milliseconds; then connections are cut. Default: 30,000. */
  readonly drainMs?: number;
}

/** The limits with their defaults. */
export function limitsOf(limits: Limits = {}): Required<Limits> {
  const perSecond = limits.perSecond ?? 1_000;
  return {
    bodyBytes: 1_048_576,
    connections: 1_024,
    sockets: 64,
    heard: 100,
    concurrent: 64,
    failuresPerMinute: 60,
    requestTimeoutMs: 30_000,
    drainMs: 30_000,
    ...limits,
    perSecond,
    burst: limits.burst ?? 2 * perSecond,
  };
}

/** How many buckets are kept; the one that was made first is forgotten first, and is full when it is made anew. */
const BUCKETS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Buckets of tokens, one for each key: a steady rate, and bursts. */
export class RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `now`: milliseconds that never go back; default: the platform's. */
  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perMs = perSecond / 1_000;
    this.#burst = Math.max(1, burst);
    this.#now = now;
  }

  /** Takes one from a bucket: undefined, or after how many milliseconds there will be one. */
  take(key: string): number | undefined {
    const bucket = this.#filled(key);
    if (bucket.left >= 1) {
      bucket.left--;
      return undefined;
    }
    return this.#missing(bucket);
  }

  /** Whether a bucket is empty, and until when; nothing is taken. */
  empty(key: string): number | undefined {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return undefined;
    this.#fill(bucket);
    return bucket.left >= 1 ? undefined : this.#missing(bucket);
  }

  #filled(key: string): Bucket {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { left: this.#burst, at: this.#now() };
      if (this.#buckets.size >= BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
      this.#buckets.set(key, bucket);
    } else this.#fill(bucket);
    return bucket;
  }

  #fill(bucket: Bucket): void {
    const now = this.#now();
    bucket.left = Math.min(this.#burst, bucket.left + (now - bucket.at) * this.#perMs);
    bucket.at = now;
  }

  #missing({ left }: Bucket): number {
    return this.#perMs > 0 ? Math.ceil((1 - left) / this.#perMs) : 60_000;
  }
}
