/**
 * Emitters of one's own: a module with a function, or a command that reads the plan and answers files.
 */
import { spawn } from "node:child_process";
import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isJsonObject, type JsonObject } from "../../codegen/bundle/json.js";
import { TroubleError } from "../../codegen/diagnostics/finding.js";
import { UsageError } from "./command.js";
import { importFile } from "./module.js";

/** An emitter: its name, as the manifest has it, and what it makes of a plan. */
export interface Emitter {
  readonly name: string;
  emit(plan: JsonObject): Promise<Readonly<Record<string, string>>>;
}

/**
 * The emitter that some words name: `cmd:` and a command line, or the path of a module.
 * @throws {TroubleError} when the module cannot be loaded
 */
export async function loadEmitter(words: string, cwd: string): Promise<Emitter> {
  if (words === "" || words === "cmd:")
    throw new UsageError("--emitter needs a module, or cmd: and a command");
  if (words.startsWith("cmd:")) {
    const command = words.slice("cmd:".length);
    const program = command.trim().split(/\s+/).at(-1) ?? command;
    return {
      name: emitterName(program),
      emit: async (plan) => filesOf(parseAnswer(await runCommand(command, cwd, plan), words), words),
    };
  }
  const path = resolve(cwd, words);
  let emit: unknown;
  try {
    // A module is always an object; what it exports may be anything.
    emit = ((await importFile(pathToFileURL(path).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new TroubleError(words, `cannot be loaded: ${(error as Error).message}`);
  }
  if (typeof emit !== "function") {
    throw new TroubleError(
      words,
      "does not export a function as its default",
      "mspkit emitter init writes one that does.",
    );
  }
  const call = emit as (plan: JsonObject) => unknown;
  return {
    name: emitterName(words),
    emit: async (plan) => filesOf(await callEmitter(call, plan, words), words),
  };
}

function emitterName(path: string): string {
  return `emitter:${basename(path, extname(path))}`;
}

async function callEmitter(
  emit: (plan: JsonObject) => unknown,
  plan: JsonObject,
  words: string,
): Promise<unknown> {
  try {
    // A copy, so that an emitter that edits its plan edits nobody else's.
    return await emit(structuredClone(plan));
  } catch (error) {
    throw new TroubleError(words, `failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function runCommand(command: string, cwd: string, plan: JsonObject): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(command, { cwd, shell: true, stdio: ["pipe", "pipe", "inherit"] });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => fail(new TroubleError(command, error.message)));
    child.on("close", (code, signal) => {
      if (code === 0) done(Buffer.concat(chunks).toString("utf8"));
      else
        fail(
          new TroubleError(
            command,
            signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`,
          ),
        );
    });
    // An emitter that reads no plan may be gone before it is written.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify(plan)}\n`);
  });
}

function parseAnswer(text: string, words: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TroubleError(words, "did not answer JSON on stdout", 'Expected {"files": {PATH: TEXT}}.');
  }
}

/** The files of an answer, checked: paths that stay in the folder, and texts. */
function filesOf(answer: unknown, words: string): Readonly<Record<string, string>> {
  const files = isJsonObject(answer) ? answer["files"] : undefined;
  if (!isJsonObject(files))
    throw new TroubleError(words, 'answered no "files"', 'Expected {"files": {PATH: TEXT}}.');
  for (const [path, text] of Object.entries(files)) {
    const steps = path.split("/");
    if (path.includes("\\") || steps.some((step) => step === "" || step === "." || step === "..")) {
      throw new TroubleError(
        words,
        `answered the path ${JSON.stringify(path)}, which is not a plain relative one`,
      );
    }
    if (typeof text !== "string")
      throw new TroubleError(words, `answered something else than a text for ${JSON.stringify(path)}`);
  }
  return files as Readonly<Record<string, string>>;
}
