/** `mspkit validate`: values against one definition. */
import type { Json } from "../../../codegen/bundle/json.js";
import { positionAt, Source } from "../../../codegen/bundle/source.js";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { emitValidators } from "../../../codegen/emit/validators/emit.js";
import { planSurface } from "../../../codegen/generate.js";
import type { Protocol } from "../../../codegen/model/protocol.js";
import { type Command, EXIT, type Given, type Io, UsageError } from "../command.js";
import { parseJson, placeOf, readInput } from "../json-input.js";
import { importText } from "../module.js";
import { refuse } from "../report.js";
import { loadSurface, readSettings, SCHEMA_OPTION, SURFACE_OPTIONS, surfaceOption } from "../settings.js";

export const validateCommand: Command = {
  summary: "Check JSON values against a definition or a method's part; one finding a line.",
  operands: "[FILE|-]",
  maxOperands: 1,
  options: {
    ...SCHEMA_OPTION,
    ...SURFACE_OPTIONS,
    def: { type: "string", value: "NAME", help: "the definition" },
    method: { type: "string", value: "METHOD", help: "the method, notification or server request" },
    part: { type: "string", value: "params|result", help: "which part of it" },
    json: { type: "boolean", help: "print findings as NDJSON" },
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const surface = surfaceOption(given);
    const found = loadSurface(settings, surface);
    if (found === undefined) return refuse(settings.findings, io);
    const definition = targetOf(given, found.protocol);
    const plan = planSurface(found.loaded, surface, settings.findings)!;
    const { definitions } = (await importText(emitValidators(plan), io.cwd)) as {
      definitions: Readonly<Record<string, Validate>>;
    };
    const name = given.operands[0] ?? "-";
    const text = await readInput(name, io);
    return check(
      text,
      name === "-" ? "<stdin>" : name,
      definitions[definition]!,
      given.options["json"] === true,
      io,
    );
  },
};

type Validate = (
  value: unknown,
  options: { all: boolean },
) => readonly { instanceLocation: string; keyword: string; message: string }[] | null;

/** The definition that the words name. */
function targetOf({ options }: Given, protocol: Protocol): string {
  const { def, method, part } = options as Readonly<Record<string, string | undefined>>;
  if ((def === undefined) === (method === undefined))
    throw new UsageError("validate needs either --def or --method");
  if (def !== undefined) {
    if (part !== undefined) throw new UsageError("--part goes with --method");
    if (protocol.definitions.has(def)) return def;
    throw new UsageError(
      `the ${protocol.surface} surface has no definition "${def}"${didYouMean(def, protocol.definitions.keys())}`,
    );
  }
  if (part !== "params" && part !== "result")
    throw new UsageError("--method needs --part params or --part result");
  const entries = [...protocol.methods, ...protocol.requests, ...protocol.notifications];
  const entry = entries.find(({ name }) => name === method);
  if (entry === undefined) {
    throw new UsageError(
      `the ${protocol.surface} surface has no method "${method}"${didYouMean(
        method!,
        entries.map(({ name }) => name),
      )}`,
    );
  }
  const target = part === "params" ? entry.params : "result" in entry ? entry.result : undefined;
  if (target === undefined) throw new UsageError(`${entry.name} has no ${part}`);
  return target;
}

/** Checks the whole text as one value or, where it is not one, each of its lines. */
function check(text: string, file: string, validate: Validate, json: boolean, io: Io): number {
  const whole = parseJson(text);
  const parts = "value" in whole ? [{ text, firstLine: 1 }] : linesOf(text);
  let code: number = EXIT.fine;
  for (const part of parts.length === 0 ? [{ text, firstLine: 1 }] : parts) {
    for (const finding of findingsIn(part.text, validate)) {
      code = EXIT.finding;
      const at = { file, line: part.firstLine + finding.line - 1, column: finding.column };
      const { instanceLocation, keyword, message } = finding;
      if (json) io.out(`${JSON.stringify({ ...at, instanceLocation, keyword, message })}\n`);
      else
        io.out(
          `${file}:${at.line}:${at.column}: ${instanceLocation === "" ? "the value" : instanceLocation} ${message} (${keyword})\n`,
        );
    }
  }
  return code;
}

function linesOf(text: string): { readonly text: string; readonly firstLine: number }[] {
  return text
    .split("\n")
    .flatMap((line, i) => (line.trim() === "" ? [] : [{ text: line, firstLine: i + 1 }]));
}

interface Located {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

function findingsIn(text: string, validate: Validate): Located[] {
  const parsed = parseJson(text);
  if ("problem" in parsed) {
    return [
      { instanceLocation: "", keyword: "json", message: parsed.problem, ...positionAt(text, parsed.offset) },
    ];
  }
  const violations = validate(parsed.value, { all: true }) ?? [];
  if (violations.length === 0) return [];
  const source = new Source("", text, parsed.value as Json);
  return violations.map((violation) => ({ ...violation, ...placeOf(source, violation.instanceLocation) }));
}
