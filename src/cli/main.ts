/**
 * The program: finds the command, reads its words, runs it, turns what happened into an exit code.
 */
import { parseArgs } from "node:util";
import { didYouMean } from "../../codegen/bundle/suggest.js";
import { TroubleError } from "../../codegen/diagnostics/finding.js";
import { type Command, commandHelp, EXIT, type Given, type Io, parseOptions, UsageError } from "./command.js";
import { packageVersion } from "./package.js";

/** The commands; each is loaded when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  generate: async () => (await import("./commands/generate.js")).generateCommand,
  lint: async () => (await import("./commands/lint.js")).lintCommand,
  format: async () => (await import("./commands/format.js")).formatCommand,
  fingerprint: async () => (await import("./commands/fingerprint.js")).fingerprintCommand,
  validate: async () => (await import("./commands/validate.js")).validateCommand,
  sample: async () => (await import("./commands/sample.js")).sampleCommand,
  emitter: async () => (await import("./commands/emitter.js")).emitterCommand,
  explain: async () => (await import("./commands/explain.js")).explainCommand,
};

/** Runs the program with its words; the exit code. */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`mspkit: ${error.message}\n`);
      return EXIT.usage;
    }
    if (error instanceof TroubleError) {
      io.err(`mspkit: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}\n`);
      return EXIT.trouble;
    }
    io.err(
      `mspkit: an error of the tool itself: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    if (process.env["MSPKIT_DEBUG"] !== undefined && error instanceof Error) io.err(`${error.stack}\n`);
    else io.err("Set MSPKIT_DEBUG=1 to see where, and please report it.\n");
    return EXIT.trouble;
  }
}

async function dispatch(words: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    io.out(await programHelp());
    return name === undefined ? EXIT.usage : EXIT.fine;
  }
  if (name === "--version") {
    io.out(`${packageVersion()}\n`);
    return EXIT.fine;
  }
  const target = name === "help" ? rest[0]! : name;
  if (!Object.hasOwn(COMMANDS, target)) {
    throw new UsageError(
      `there is no command "${target}"${didYouMean(target, Object.keys(COMMANDS))}; see mspkit --help`,
    );
  }
  const command = await COMMANDS[target]!();
  const given = name === "help" ? undefined : readWords(target, command, rest);
  if (given === undefined || given.options["help"] === true) {
    io.out(commandHelp(target, command));
    return EXIT.fine;
  }
  return command.run(given, io);
}

function readWords(name: string, command: Command, words: readonly string[]): Given {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: parseOptions(command),
      allowPositionals: true,
    });
    if (positionals.length > command.maxOperands) {
      throw new UsageError(`unexpected "${positionals[command.maxOperands]}"; see mspkit ${name} --help`);
    }
    return { options: values as Given["options"], operands: positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const unknown = /Unknown option '(-[^']*)'/.exec((error as Error).message)?.[1];
    if (unknown === undefined) throw new UsageError(`${(error as Error).message}; see mspkit ${name} --help`);
    const known = Object.keys(command.options).map((option) => `--${option}`);
    throw new UsageError(
      `unknown option "${unknown}"${didYouMean(unknown, known)}; see mspkit ${name} --help`,
    );
  }
}

async function programHelp(): Promise<string> {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  let text = "Usage: mspkit COMMAND [options]\n\nCommands:\n";
  for (const [name, load] of Object.entries(COMMANDS))
    text += `  ${name.padEnd(width)}  ${(await load()).summary}\n`;
  return `${text}\nmspkit COMMAND --help tells more. Exit codes: 0 fine, 1 a finding, 2 usage, 3 trouble, 4 inconclusive.\n`;
}
