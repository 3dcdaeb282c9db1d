/** Tries all mutants, each in a process of its own, and the hosts without a fault beside them. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mutants } from "./catalog.js";
import type { Mutant } from "./mutant.js";
import { type Mode, runTask, type Task } from "./run-one.js";
import type { Found } from "./try-mutant.js";

/** What a process is asked: a task, with its mutant by id. */
interface Asked extends Omit<Task, "mutant"> {
  readonly id: string | undefined;
}

/** What a process answers. */
type Answer = { readonly found: Found } | { readonly crashed: string };

/** What a task came to. */
interface Row {
  readonly asked: Asked;
  readonly answer: Answer;
}

const WORDS = `node scripts/mutants.mjs [ID...] [--seed S] [--workers N] [--mode simulation|process]`;
/** A task that takes longer hangs. */
const PATIENCE_MS = 300_000;

/**
 * The program.
 * @param root of the repository
 * @param self the file that is this program
 * @returns the exit code: 0 where all were caught, 1 where one escaped, 2 where the words make no sense
 */
export async function main(root: string, self: string, words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      workers: { type: "string", default: "2" },
      mode: { type: "string" },
    },
  });
  const unknown = positionals.filter((id) => !mutants.some((mutant) => mutant.id === id));
  if (unknown.length > 0) {
    console.error(`there is no mutant ${unknown.join(", ")}\n${WORDS}`);
    return 2;
  }
  const chosen = positionals.length === 0 ? mutants : mutants.filter(({ id }) => positionals.includes(id));
  const tasks = tasksOf(chosen, Number(values.seed)).filter(
    ({ mode }) => values.mode === undefined || mode === values.mode,
  );
  const folder = join(root, ".setup", "mutants", String(process.pid));
  mkdirSync(folder, { recursive: true });
  const begun = performance.now();
  const rows: Row[] = [];
  try {
    const waiting = [...tasks];
    const worker = async () => {
      for (let asked = waiting.shift(); asked !== undefined; asked = waiting.shift()) {
        const row = { asked, answer: await inProcess(self, root, folder, asked) };
        rows.push(row);
        console.log(lineOf(row));
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, worker));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return summed(rows, chosen, performance.now() - begun);
}

/** Tasks: mutants first, then each law once on each kind of simulated host without a fault. */
export function tasksOf(chosen: readonly Mutant[], seed: number): Asked[] {
  const tasks: Asked[] = [];
  const sound = new Map<string, Asked>();
  for (const { id, law, needs = "durable", process: asProcess } of chosen) {
    const modes: readonly Mode[] = asProcess === true ? ["simulation", "process"] : ["simulation"];
    for (const mode of modes) {
      const asked = { mode, law, needs, seed };
      tasks.push({ ...asked, id });
      if (mode === "simulation") sound.set(JSON.stringify(asked), { ...asked, id: undefined });
    }
  }
  return [...tasks, ...sound.values()];
}

function inProcess(self: string, root: string, folder: string, asked: Asked): Promise<Answer> {
  return new Promise((resolve) => {
    const child: ChildProcess = fork(self, [], {
      env: { ...process.env, MSPKIT_MUTANT: JSON.stringify({ root, folder, asked }) },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    let said = "";
    let answer: Answer | undefined;
    const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + String(chunk)).slice(-2_000);
    });
    child.stdout?.resume();
    child.on("message", (message) => {
      answer = message as Answer;
    });
    child.on("close", (code, signal) => {
      clearTimeout(patience);
      resolve(answer ?? { crashed: `the process ended with ${code ?? signal}: ${said.trim()}` });
    });
  });
}

/** What a process does that was asked. */
export async function child(given: string): Promise<void> {
  const { root, folder, asked } = JSON.parse(given) as { root: string; folder: string; asked: Asked };
  const { id, ...rest } = asked;
  const mutant = mutants.find((one) => one.id === id);
  let answer: Answer;
  try {
    answer = { found: await runTask(root, folder, mutant === undefined ? rest : { ...rest, mutant }) };
  } catch (error) {
    answer = { crashed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  await new Promise<void>((resolve) => process.send?.(answer, () => resolve()) ?? resolve());
  process.exit(0);
}

/** Why a row is no success; undefined where it is one. */
function trouble({ answer }: Row): string | undefined {
  // The fault of the host must be found by a law, and not by the kit's own end.
  return "crashed" in answer ? `the kit failed: ${answer.crashed}` : answer.found.escaped;
}

function lineOf(row: Row): string {
  const { asked, answer } = row;
  const { id = "(no fault)", mode, law, needs } = asked;
  const bad = trouble(row);
  const state = bad === undefined ? (asked.id === undefined ? "holds " : "caught") : "ESCAPED";
  const numbers =
    "found" in answer
      ? [
          answer.found.frames === undefined ? "" : `${answer.found.frames} frames`,
          `${answer.found.cases} cases`,
          `${(answer.found.ms / 1_000).toFixed(1)} s`,
        ]
          .filter((text) => text !== "")
          .join(", ")
      : "";
  const head = `${state}  ${id.padEnd(26)} ${mode.padEnd(10)} ${needs === "ephemeral" ? "ephemeral " : ""}${law}`;
  const why = bad ?? ("found" in answer ? (answer.found.what ?? "") : "");
  return `${head}  ${numbers}${why === "" ? "" : `\n        ${why}`}`;
}

function summed(rows: readonly Row[], chosen: readonly Mutant[], ms: number): number {
  const failed = rows.filter((row) => trouble(row) !== undefined);
  const escaped = new Set(failed.flatMap(({ asked }) => (asked.id === undefined ? [] : [asked.id])));
  const unsound = failed.filter(({ asked }) => asked.id === undefined);
  const processes = rows.filter(({ asked }) => asked.id !== undefined && asked.mode === "process").length;
  console.log(
    `\n${chosen.length} mutants, ${processes} of them as processes too, in ${(ms / 1_000).toFixed(0)} s; ` +
      `${rows.length - rows.filter(({ asked }) => asked.id !== undefined).length} runs of hosts without a fault`,
  );
  for (const { asked } of unsound)
    console.log(`WITHOUT A FAULT ${asked.law} does not hold, or says nothing (${asked.mode})`);
  console.log(`${chosen.length - escaped.size} caught, ${escaped.size} escaped`);
  return escaped.size + unsound.length > 0 ? 1 : 0;
}
