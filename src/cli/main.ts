/**
 * The program: finds the command, reads its words, runs it, turns what happened into an exit code.
 */
import { didYouMean } from "../../codegen/bundle/suggest.js";
import { TroubleError } from "../../codegen/diagnostics/finding.js";
import {
  type Command,
  type CommandGroup,
  commandHelp,
  commandList,
  EXIT,
  type Io,
  optionList,
  UsageError,
} from "./command.js";
import { packageVersion } from "./package.js";
import { readWords, splitLeading } from "./words.js";

/** The commands; each is loaded when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command | CommandGroup>>> = {
  generate: async () => (await import("./commands/generate.js")).generateCommand,
  lint: async () => (await import("./commands/lint.js")).lintCommand,
  format: async () => (await import("./commands/format.js")).formatCommand,
  fingerprint: async () => (await import("./commands/fingerprint.js")).fingerprintCommand,
  breaking: async () => (await import("./commands/breaking.js")).breakingCommand,
  diff: async () => (await import("./commands/diff.js")).diffCommand,
  baseline: async () => (await import("./commands/baseline.js")).baselineCommands,
  changelog: async () => (await import("./commands/changelog.js")).changelogCommand,
  validate: async () => (await import("./commands/validate.js")).validateCommand,
  sample: async () => (await import("./commands/sample.js")).sampleCommand,
  serve: async () => (await import("./commands/serve.js")).serveCommand,
  doors: async () => (await import("./commands/doors.js")).doorsCommands,
  call: async () => (await import("./commands/call.js")).callCommand,
  emitter: async () => (await import("./commands/emitter.js")).emitterCommand,
  conformance: async () => (await import("./commands/conformance.js")).conformanceCommands,
  store: async () => (await import("./commands/store.js")).storeCommands,
  laws: async () => (await import("./commands/laws.js")).lawsCommands,
  fuzz: async () => (await import("./commands/fuzz.js")).fuzzCommand,
  explain: async () => (await import("./commands/explain.js")).explainCommand,
};

/** Runs the program with its words; the exit code. */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(words, io);
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`${io.program}: ${error.message}\n`);
      return EXIT.usage;
    }
    if (error instanceof TroubleError) {
      io.err(`${io.program}: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}\n`);
      return EXIT.trouble;
    }
    io.err(
      `${io.program}: an error of the tool itself: ${error instanceof Error ? error.message : String(error)}\n`,
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
  const given = name === "help" ? [...rest.slice(1), "--help"] : rest;
  const command = await find(COMMANDS, target, "mspkit");
  // A group that is a program of its own is called by that program's name alone.
  const spoken = io.program === `mspkit-${target}` ? io.program : `mspkit ${target}`;
  return "commands" in command ? runGroup(spoken, command, given, io) : run(spoken, command, given, io);
}

async function run(name: string, command: Command, words: readonly string[], io: Io): Promise<number> {
  const given = readWords(name, command, words);
  if (given.options["help"] === true) {
    io.out(commandHelp(name, command));
    return EXIT.fine;
  }
  return command.run(given, io);
}

async function runGroup(
  name: string,
  group: CommandGroup,
  words: readonly string[],
  io: Io,
): Promise<number> {
  const { leading, following } = splitLeading(group.options, words);
  const [word, ...rest] = following;
  if (word === "--version") {
    io.out(`${packageVersion()}\n`);
    return EXIT.fine;
  }
  const asked = word === "--help" || word === "-h" || (word === "help" && rest.length === 0);
  const { bare } = group;
  if (bare !== undefined && !asked && (word === undefined || word.startsWith("-")))
    return run(`${name} ${bare}`, await find(group.commands, bare, name), words, io);
  if (word === undefined || asked) {
    io.out(
      `${await commandList(name, group.commands)}${optionList(group.options)}\n${name} COMMAND --help tells more.\n`,
    );
    return asked ? EXIT.fine : EXIT.usage;
  }
  const target = word === "help" ? rest[0]! : word;
  if (target.startsWith("-")) throw new UsageError(`unknown option "${target}"; see ${name} --help`);
  const command = await find(group.commands, target, name);
  const whole = { ...command, options: { ...command.options, ...group.options } };
  return run(`${name} ${target}`, whole, word === "help" ? ["--help"] : [...leading, ...rest], io);
}

async function find<T>(
  commands: Readonly<Record<string, () => Promise<T>>>,
  word: string,
  name: string,
): Promise<T> {
  if (Object.hasOwn(commands, word)) return commands[word]!();
  throw new UsageError(
    `there is no command "${word}"${didYouMean(word, Object.keys(commands))}; see ${name} --help`,
  );
}

async function programHelp(): Promise<string> {
  const list = await commandList("mspkit", COMMANDS);
  return `${list}\nmspkit COMMAND --help tells more. Exit codes: 0 fine, 1 a finding, 2 usage, 3 trouble, 4 inconclusive.\n`;
}
