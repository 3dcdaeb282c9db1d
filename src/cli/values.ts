/** The values of options, read. */
import { type Given, UsageError } from "./command.js";

/** The text of an option; undefined where it is not given. */
export function text({ options }: Given, name: string): string | undefined {
  const value = options[name] as string | undefined;
  if (value === "") throw new UsageError(`--${name} needs a value`);
  return value;
}

/** A whole number. */
export function whole(given: Given, name: string, least: number, most = 2 ** 31 - 1): number | undefined {
  const value = text(given, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new UsageError(`--${name} takes a whole number from ${least}, not "${value}"`);
}
