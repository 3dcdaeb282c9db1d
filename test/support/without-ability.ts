/** Drivers that say less of their hosts than they can do. */
import type { Ability, Driver } from "../../src/laws/driver/driver.js";

/** The same hosts, said not to be able to do some things. */
export function without(driver: Driver, abilities: readonly Ability[]): Driver {
  const left = [...driver.abilities].filter((ability) => !abilities.includes(ability));
  return { ...driver, name: `${driver.name}, without ${abilities.join(", ")}`, abilities: new Set(left) };
}
