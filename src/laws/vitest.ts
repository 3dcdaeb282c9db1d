/** The laws of a host as tests of vitest. */
import { describe, test } from "vitest";
import type { Driver } from "./driver/driver.js";
import { type CheckOptions, laws } from "./run/host-laws.js";

/** Which laws become tests, and how they are tried. */
export interface DescribeOptions extends CheckOptions {
  /** The title. Default: `the laws of` and the name of the host. */
  readonly title?: string;
  /** Ids of laws. Default: all. */
  readonly only?: readonly string[];
  /** Milliseconds for one law. Default: 120,000. */
  readonly timeoutMs?: number;
}

/** One test for each law; those that need what the host cannot do are skipped, and say what that is. */
export function describeHostLaws(
  driver: Driver,
  {
    title = `the laws of ${driver.name}`,
    only = laws.map(({ id }) => id),
    timeoutMs = 120_000,
    ...options
  }: DescribeOptions = {},
): void {
  describe(title, () => {
    for (const law of laws) {
      if (!only.includes(law.id)) continue;
      const missing = law.needs.filter((ability) => !driver.abilities.has(ability));
      const name = `${law.id}: ${law.promise}`;
      if (missing.length > 0)
        test.skip(`${name} (not applicable: needs ${missing.join(", ")})`, () => undefined);
      else test(name, { timeout: timeoutMs }, async () => void (await law.check(driver, options)));
    }
  });
}
