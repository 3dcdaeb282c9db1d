/** A command line: its words, and the program that they name. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import { AgentSetupError } from "./setup-error.js";

/**
 * The words of a command line, quoted as for a shell: '...' as it stands, "..." with \" and \\, \ before any other
 * character outside. Nothing is expanded, and no shell runs: who wants one names it, as in `sh -c '...'`.
 */
export function splitCommand(line: string): readonly string[] {
  const words: string[] = [];
  const word = /\s*((?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+)/y;
  let rest = 0;
  for (let found = word.exec(line); found !== null; found = word.exec(line)) {
    words.push(unquoted(found[1] ?? ""));
    rest = word.lastIndex;
  }
  if (line.slice(rest).trim() !== "")
    throw new AgentSetupError("commandLine", `a quote or a backslash has no end: ${line.slice(rest).trim()}`);
  if (words[0] === undefined || words[0] === "")
    throw new AgentSetupError("commandLine", "a command line names no program");
  return words;
}

function unquoted(word: string): string {
  return word.replace(/'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g, (_all, single, double, escaped) => {
    if (single !== undefined) return single as string;
    if (double !== undefined) return (double as string).replace(/\\(["\\])/g, "$1");
    return escaped as string;
  });
}

/**
 * The file that a program's name stands for: one with a slash as it is, from the folder; another one is looked for
 * along PATH. Undefined where there is none that may be run.
 */
export async function findProgram(
  name: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const windows = process.platform === "win32";
  const places = /[/\\]/.test(windows ? name : name.replaceAll("\\", ""))
    ? [resolve(folder, name)]
    : (env["PATH"] ?? "").split(delimiter).map((place) => join(resolve(folder, place), name));
  const endings = windows ? ["", ...(env["PATHEXT"] ?? ".EXE;.CMD;.BAT;.COM").split(";")] : [""];
  for (const place of places)
    for (const ending of endings) if (await runs(place + ending)) return place + ending;
  return undefined;
}

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not to be run: the next place has its chance
  }
}
