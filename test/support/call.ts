/** `mspkit call` in tests: runs of it, what they print, and a small host that is honest or misbehaves in one way. */
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { mspkit, type Run } from "./cli.js";
import { Conversation } from "./conversation.js";
import { ROOT } from "./repo.js";

const STUB = join(ROOT, "test/support/call-host.mjs");
/** Words for a host of ours, with its ways to misbehave. */
export const stub = (...ways: string[]): string[] => ["--", process.execPath, STUB, ...ways];
/** A stub that runs already, so that its start takes none of the time that a call has. */
export async function listening(...ways: string[]): Promise<string[]> {
  const host = new Conversation([STUB, "ws", ...ways]);
  onTestFinished(() => void host.child.kill());
  expect(await host.hears(1)).toBe(true);
  return ["--url", host.lines[0]!];
}

/** A command id. */
export const ID = "01900000-0000-7000-8000-000000000001";
/** Params of a turn, without the id. */
export const TURN = { sessionId: "s", input: [{ type: "text", text: "x" }] };
/** The words of a call that starts a turn. */
export const START = ["turn/start", JSON.stringify(TURN)];

/** Runs it with some words. */
export const call = (...words: string[]): Promise<Run> => mspkit(["call", ...words]);

/** What came, line by line. */
export const lines = ({ stdout }: Run): Record<string, unknown>[] =>
  stdout === ""
    ? []
    : stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
/** Type and method of what came. */
export const order = (run: Run): string[] =>
  lines(run).map(({ type, method }) => (method === undefined ? `${type}` : `${type} ${method}`));
/** What the stub saw of the client. */
export const seen = ({ stderr }: Run): string[] =>
  [...stderr.matchAll(/^host: (.*)$/gm)].map(({ 1: text = "" }) => text);
/** What the program itself said. */
export const said = ({ stderr }: Run): string => stderr.replaceAll(/^host: .*\n/gm, "");
