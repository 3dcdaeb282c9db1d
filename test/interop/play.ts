/** The player as the tests use it, and recordings as they compare them. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { CANNED_HOST, type Environment, execute, INTEROP } from "./environment.js";
import type { Played } from "./scenarios.js";

/** A frame, or a part of one. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Frame = Readonly<Record<string, Json>>;

/** A line of a transcript. */
export interface Line {
  readonly dir: "client" | "server";
  readonly raw: string;
}

/** The names of the recordings below a folder. */
export function scenariosOf(root: string): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** The lines of a recording. */
export function linesOf(root: string, scenario: string): readonly Line[] {
  return readFileSync(join(root, scenario, "transcript.ndjson"), "utf8")
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text) as Line);
}

/** The frames of one side. */
export function framesOf(root: string, scenario: string, dir: Line["dir"]): readonly Frame[] {
  return linesOf(root, scenario)
    .filter((line) => line.dir === dir)
    .map((line) => JSON.parse(line.raw) as Frame);
}

/** How many notifications the host sends in a recording, and how many of its requests the client answers. */
export function countsOf(root: string, scenario: string): { notifications: number; receipts: number } {
  return {
    notifications: framesOf(root, scenario, "server").filter((f) => "method" in f && !("id" in f)).length,
    receipts: framesOf(root, scenario, "client").filter((f) => !("method" in f)).length,
  };
}

/** The report of a canned host that was played to the end. */
export function completeReport(root: string, scenario: string): Readonly<Record<string, unknown>> {
  return {
    kind: "serveFixtureComplete",
    scenario,
    clientFrames: framesOf(root, scenario, "client").length,
    serverFrames: framesOf(root, scenario, "server").length,
  };
}

/** Plays scenarios one after the other; with a folder to record to, through the recorder. */
export async function play(
  { python }: Environment,
  root: string,
  scenarios: readonly string[],
  record?: string,
): Promise<ReadonlyMap<string, Played>> {
  const words = ["--root", root, ...(record === undefined ? [] : ["--record", record])];
  const { code, stdout, stderr } = await execute(python, [
    join(INTEROP, "play_scenarios.py"),
    ...words,
    CANNED_HOST,
    ...scenarios,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const played = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Played);
  expect(played.map(({ scenario }) => scenario)).toEqual(scenarios);
  return new Map(played.map((one) => [one.scenario, one]));
}

/** Copies a recording with its lines changed. */
export function poison(
  root: string,
  scenario: string,
  to: string,
  change: (line: Line) => Line | undefined,
): void {
  cpSync(join(root, scenario), join(to, scenario), { recursive: true });
  const before = linesOf(root, scenario);
  const after = before.map(change).filter((line) => line !== undefined);
  expect(after).not.toEqual(before);
  writeFileSync(
    join(to, scenario, "transcript.ndjson"),
    after.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
}

/**
 * A recording with its ids numbered: command ids everywhere, in the order in which the client first used them, and
 * request ids of the client. Frames of the host stay texts, so that each byte of them counts.
 */
export function withoutIds(lines: readonly Line[]): readonly (readonly [string, unknown])[] {
  const commands: string[] = [];
  const requests: Json[] = [];
  const numbered = (raw: string): string =>
    commands.reduce((text, id, index) => text.replaceAll(id, `command-${index}`), raw);
  return lines.map(({ dir, raw }) => {
    const frame = JSON.parse(raw) as { id?: Json; method?: string; params?: { commandId?: string } };
    const ofClient = (frame.method !== undefined) === (dir === "client") && frame.id !== undefined;
    if (dir === "client" && ofClient) requests.push(frame.id as Json);
    const id = frame.params?.commandId;
    if (dir === "client" && id !== undefined && !commands.includes(id)) commands.push(id);
    if (dir === "client") {
      const value = JSON.parse(numbered(raw)) as Record<string, unknown>;
      return [dir, ofClient ? { ...value, id: requests.length - 1 } : value];
    }
    const text = numbered(raw);
    if (!ofClient) return [dir, text];
    const own = JSON.stringify(frame.id);
    return [dir, text.replace(`"id":${own}`, `"id":request-${requests.indexOf(frame.id as Json)}`)];
  });
}
