/**
 * From words to what is sent: the method looked up, the params read and held to the surface before anything leaves.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Json } from "../../../codegen/bundle/json.js";
import { child, unescapeToken } from "../../../codegen/bundle/pointer.js";
import { positionAt, Source } from "../../../codegen/bundle/source.js";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { mintCommandId } from "../../client/command-id.js";
import type { Violation } from "../../transcripts/bundle.js";
import { type Io, UsageError } from "../command.js";
import { parseJson, placeOf, readInput } from "../json-input.js";
import { type CallSurface, entry, type Gate, type MethodRow, namesOn } from "./surface.js";
import type { CallWords } from "./words.js";

/** What is sent. */
export interface Prepared {
  /** Undefined where the message has none. */
  readonly params: unknown;
  /** Undefined where the tables know nothing of the method. */
  readonly row: MethodRow | undefined;
}

/** Params as they were given, or none. */
interface Read {
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
}

/**
 * Prepares a call; undefined when there are findings, which are told on stderr.
 * @throws {UsageError} when the words make no call on this surface
 */
export async function prepareCall(words: CallWords, of: CallSurface, io: Io): Promise<Prepared | undefined> {
  const { method, validate } = words;
  const row = entry(of.tables.methods, method);
  checkNames(words, of, row);
  if (validate && of.surface === "stable" && row?.stability === "experimental") {
    io.err(`${io.program}: ${method} is experimental; --experimental opts in to it\n`);
    return undefined;
  }
  const read = await readParams(words.operand, io);
  if (read !== undefined && "problem" in read) {
    io.err(read.problem);
    return undefined;
  }
  const { params, minted } = withCommandId(words, row, read?.value);
  if (validate && row !== undefined) {
    const findings = [...experimentalMembers(of, row, params), ...violationsOf(of, method, row, params)];
    for (const finding of findings) io.err(findingLine(finding, read));
    if (findings.length > 0) return undefined;
  }
  // It is what a retry by hand needs.
  if (minted !== undefined) io.err(`${io.program}: commandId ${minted}\n`);
  return { params, row };
}

/** The method and the name of `--until` are on the surface, and so is what goes with them. */
function checkNames(words: CallWords, of: CallSurface, row: MethodRow | undefined): void {
  const { method, until, commandId, validate } = words;
  const { methods, notifications, requests } = of.tables;
  if (row === undefined && validate) {
    if (entry(notifications, method) !== undefined)
      throw new UsageError(`${method} is a notification and cannot be called`);
    if (entry(requests, method) !== undefined)
      throw new UsageError(`${method} is a request of the host and cannot be called`);
    const known = namesOn(of.surface, methods);
    throw new UsageError(
      `the ${of.surface} surface has no method "${method}"${didYouMean(method, known)}; --no-validate sends it all the same`,
    );
  }
  if (commandId !== undefined && row?.commandId === "none")
    throw new UsageError(`${method} is a ${row.kind} and has no command id`);
  if (until === undefined || !validate) return;
  const known = [...namesOn(of.surface, notifications), ...namesOn(of.surface, requests)];
  if (!known.includes(until))
    throw new UsageError(
      `the ${of.surface} surface has no notification "${until}"${didYouMean(until, known)}; --no-validate waits for it all the same`,
    );
}

async function readParams(
  operand: string | undefined,
  io: Io,
): Promise<Read | { readonly problem: string } | undefined> {
  if (operand === undefined) return undefined;
  const fromFile = operand === "-" || operand.startsWith("@");
  const path = operand.startsWith("@") ? operand.slice(1) : operand;
  if (path === "" && fromFile) throw new UsageError("@ needs the name of a file");
  const text = fromFile ? await readInput(path, io) : operand;
  const name = !fromFile ? "<params>" : path === "-" ? "<stdin>" : path;
  const parsed = parseJson(text);
  if ("value" in parsed) return { name, text, value: parsed.value };
  if (!fromFile) {
    const meant = operand !== "" && existsSync(resolve(io.cwd, operand)) ? `; a file is @${operand}` : "";
    throw new UsageError(`the params are JSON, @FILE or -: "${operand}" ${parsed.problem}${meant}`);
  }
  const { line, column } = positionAt(text, parsed.offset);
  return { problem: `${name}:${line}:${column}: the value ${parsed.problem} (json)\n` };
}

/** The params with the id of the command, which is minted where none is given. */
function withCommandId(
  { commandId, method }: CallWords,
  row: MethodRow | undefined,
  value: unknown,
): { readonly params: unknown; readonly minted?: string } {
  const wants = row !== undefined && row.commandId === "required";
  if (commandId === undefined && !wants) return { params: value };
  const params = value === undefined ? {} : value;
  if (typeof params !== "object" || params === null || Array.isArray(params)) {
    // Where there is no place for an id, the validator says so.
    if (commandId === undefined) return { params };
    throw new UsageError("--command-id needs params that are an object");
  }
  const own = Object.hasOwn(params, "commandId")
    ? { value: (params as { commandId: unknown }).commandId }
    : undefined;
  if (own === undefined) {
    const minted = commandId === undefined ? { minted: mintCommandId() } : {};
    return { params: { ...params, commandId: commandId ?? minted.minted }, ...minted };
  }
  if (commandId !== undefined && own.value !== commandId)
    throw new UsageError(
      `the params of ${method} have another commandId than --command-id: ${JSON.stringify(own.value)}`,
    );
  return { params };
}

function violationsOf(
  { validators }: CallSurface,
  method: string,
  row: MethodRow,
  params: unknown,
): readonly Violation[] {
  if (row.params === undefined) {
    const none =
      params === undefined ||
      (typeof params === "object" &&
        params !== null &&
        !Array.isArray(params) &&
        Object.keys(params).length === 0);
    if (none) return [];
    return [{ instanceLocation: "", keyword: "params", message: `is not taken: ${method} has no params` }];
  }
  // Params that are left out are those of an empty object.
  return entry(validators.methods, method)?.params?.(params === undefined ? {} : params, { all: true }) ?? [];
}

/** Members that the host refuses where nobody opted in to them. */
function experimentalMembers({ surface }: CallSurface, row: MethodRow, params: unknown): Violation[] {
  if (surface === "experimental") return [];
  return (row.gates ?? []).flatMap((gate) =>
    gate.descriptor === undefined
      ? []
      : placesOf(params, gate).map((instanceLocation) => ({
          instanceLocation,
          keyword: "experimental",
          message: `is experimental (${gate.descriptor}); --experimental opts in to it`,
        })),
  );
}

/** Where a value has a gated member. */
export function placesOf(value: unknown, { path }: Pick<Gate, "path">): string[] {
  let places: { readonly at: string; readonly value: unknown }[] = [{ at: "", value }];
  for (const segment of path.split("/").slice(1)) {
    places = places.flatMap((place) => {
      if (typeof place.value !== "object" || place.value === null) return [];
      const members = place.value as Readonly<Record<string, unknown>>;
      const name = unescapeToken(segment);
      const names = segment === "*" ? Object.keys(members) : Object.hasOwn(members, name) ? [name] : [];
      return names.map((one) => ({
        at: child(place.at, one),
        value: members[one],
      }));
    });
  }
  return places.map(({ at }) => at);
}

function findingLine({ instanceLocation, keyword, message }: Violation, read: Read | undefined): string {
  const { line, column } =
    read === undefined
      ? { line: 1, column: 1 }
      : placeOf(new Source("", read.text, read.value as Json), instanceLocation);
  const what = instanceLocation === "" ? "the value" : instanceLocation;
  return `${read?.name ?? "<params>"}:${line}:${column}: ${what} ${message} (${keyword})\n`;
}
