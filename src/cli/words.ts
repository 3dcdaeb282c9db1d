/**
 * Reads the words of a command against what it takes.
 */
import { parseArgs } from "node:util";
import { didYouMean } from "../../codegen/bundle/suggest.js";
import { type Command, type Given, type Option, parseOptions, UsageError } from "./command.js";

/**
 * The words of a command as options and operands.
 * @param name the words that call it, for messages
 * @throws {UsageError} when they are not what it takes
 */
export function readWords(name: string, command: Command, words: readonly string[]): Given {
  const see = `see ${name} --help`;
  const split = command.rest === undefined ? -1 : words.indexOf("--");
  const own = split === -1 ? words : words.slice(0, split);
  const rest = split === -1 ? undefined : words.slice(split + 1);
  try {
    const { values, positionals } = parseArgs({
      args: [...own],
      options: parseOptions(command),
      allowPositionals: true,
    });
    if (positionals.length > command.maxOperands)
      throw new UsageError(`unexpected "${positionals[command.maxOperands]}"; ${see}`);
    const options = Object.fromEntries(
      Object.entries(values).map(([option, value]) => [
        option,
        Array.isArray(value) ? value.join(",") : value,
      ]),
    );
    const lists = Object.fromEntries(
      Object.entries(values).flatMap(([option, value]) =>
        Array.isArray(value) ? [[option, value.map(String)]] : [],
      ),
    );
    return { options, lists, operands: positionals, rest };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const unknown = /Unknown option '(-[^']*)'/.exec((error as Error).message)?.[1];
    if (unknown === undefined) throw new UsageError(`${(error as Error).message}; ${see}`);
    const known = Object.keys(command.options).map((option) => `--${option}`);
    throw new UsageError(`unknown option "${unknown}"${didYouMean(unknown, known)}; ${see}`);
  }
}

/** The options that stand before a command's word, apart from what follows. */
export function splitLeading(
  options: Readonly<Record<string, Option>>,
  words: readonly string[],
): { readonly leading: readonly string[]; readonly following: readonly string[] } {
  let at = 0;
  while (at < words.length) {
    const [flag, value] = words[at]!.split("=", 2) as [string, string?];
    const name = flag.startsWith("--") ? flag.slice(2) : "";
    if (!Object.hasOwn(options, name)) break;
    at += options[name]!.type === "string" && value === undefined ? 2 : 1;
  }
  return { leading: words.slice(0, at), following: words.slice(at) };
}
