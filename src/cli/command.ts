/**
 * What a command is: its words as data, and what it does. Help and usage errors are made from the data.
 */
import type { ParseArgsConfig } from "node:util";

/** Exit codes, the same for every command. */
export const EXIT = {
  /** Nothing to object to. */
  fine: 0,
  /** A finding. */
  finding: 1,
  /** The command's words are wrong. */
  usage: 2,
  /** The tool or its surroundings failed; no verdict. */
  trouble: 3,
  /** The run says nothing either way. */
  inconclusive: 4,
} as const;

/** One option of a command. */
export interface Option {
  readonly type: "string" | "boolean";
  /** What stands for its value in help: `FILE`. */
  readonly value?: string;
  readonly short?: string;
  /** May be given more than once; the values are joined by commas. */
  readonly repeatable?: true;
  readonly help: string;
}

/** The options that were given, and what stood beside them. */
export interface Given {
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** The values of the options that may be given more than once, one by one as they were given. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly operands: readonly string[];
  /** The words behind `--`; undefined where there was none. */
  readonly rest: readonly string[] | undefined;
}

/** Where a command reads and writes. */
export interface Io {
  readonly cwd: string;
  /** The name under which the program was started. */
  readonly program: string;
  /** The result; the only thing on stdout. */
  out(text: string): void;
  /** Progress and messages. */
  err(text: string): void;
  /** Whether a person watches stderr. */
  readonly interactive: boolean;
  /** All of standard input. */
  readStdin(): Promise<Buffer>;
}

/** A command of the program. */
export interface Command {
  readonly summary: string;
  /** The operands in help; empty for none. */
  readonly operands: string;
  /** How many operands may be given. */
  readonly maxOperands: number;
  readonly options: Readonly<Record<string, Option>>;
  /** What stands behind `--`, in help; without it nothing may. */
  readonly rest?: string;
  run(given: Given, io: Io): Promise<number>;
}

/** Commands under one word. */
export interface CommandGroup {
  readonly summary: string;
  /** Options of every command of the group; they may also stand before its word. */
  readonly options: Readonly<Record<string, Option>>;
  /** Each is loaded when it is called. */
  readonly commands: Readonly<Record<string, () => Promise<Command>>>;
  /** The command that is meant where none is named. Default: none. */
  readonly bare?: string;
}

/** Wrong words; exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Options as `node:util` wants them. */
export function parseOptions({ options }: Pick<Command, "options">): NonNullable<ParseArgsConfig["options"]> {
  const out: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { type, short, repeatable }] of Object.entries(options)) {
    out[name] = {
      type,
      ...(short === undefined ? {} : { short }),
      ...(repeatable === undefined ? {} : { multiple: true }),
    };
  }
  return out;
}

/**
 * The help of one command.
 * @param name the words that call it, the program's first
 */
export function commandHelp(name: string, command: Command): string {
  const list = optionList(command.options);
  const operands = [command.operands, command.rest === undefined ? "" : `-- ${command.rest}`]
    .flatMap((part) => (part === "" ? [] : [` ${part}`]))
    .join("");
  return `Usage: ${name}${list === "" ? "" : " [options]"}${operands}\n\n${command.summary}\n${list}`;
}

/** The help of a program or a group: its commands, each with its summary. */
export async function commandList(
  name: string,
  commands: Readonly<Record<string, () => Promise<{ readonly summary: string }>>>,
): Promise<string> {
  const width = Math.max(...Object.keys(commands).map((word) => word.length));
  let text = `Usage: ${name} COMMAND [options]\n\nCommands:\n`;
  for (const [word, load] of Object.entries(commands))
    text += `  ${word.padEnd(width)}  ${(await load()).summary}\n`;
  return text;
}

/** The options in help, with their heading; empty for none. */
export function optionList(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([option, { value, short, help }]): [string, string] => [
    `${short === undefined ? "    " : `-${short}, `}--${option}${value === undefined ? "" : ` ${value}`}`,
    help,
  ]);
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  const list = rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}\n`).join("");
  return list === "" ? "" : `\nOptions:\n${list}`;
}
