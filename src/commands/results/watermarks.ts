/**
 * For each tenant the latest time in an id that was forgotten. An id that is not later and not known cannot be told from
 * one that was forgotten.
 */

/** How many tenants have a watermark of their own. */
const MAX_TENANTS = 10_000;

/** Watermarks by tenant, in bounded room. */
export class Watermarks {
  readonly #byTenant = new Map<string, number>();
  readonly #max: number;
  // What stands for the tenants that have none of their own any more: too late a time refuses, too early would repeat.
  #floor = Number.NEGATIVE_INFINITY;

  constructor(max: number = MAX_TENANTS) {
    this.#max = max;
  }

  /** The watermark of a tenant, in Unix milliseconds. */
  of(tenant: string): number {
    return this.#byTenant.get(tenant) ?? this.#floor;
  }

  /** Notes that an id was forgotten. */
  raise(tenant: string, time: number): void {
    const known = this.#byTenant.get(tenant);
    if (known !== undefined && known >= time) return;
    // Behind the others: those that have not forgotten for longest come first.
    if (known !== undefined) this.#byTenant.delete(tenant);
    this.#byTenant.set(tenant, Math.max(time, this.#floor));
    if (this.#byTenant.size <= this.#max) return;
    const [oldest, mark] = this.#byTenant.entries().next().value!;
    this.#byTenant.delete(oldest);
    this.#floor = Math.max(this.#floor, mark);
  }
}
