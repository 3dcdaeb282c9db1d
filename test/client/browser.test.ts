/** The client in a real browser: a whole turn over a WebSocket. */
import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadTranscript, type ServeFixtureReport, serveTransport } from "../../src/transcripts/index.js";
import { Peer } from "../../src/wire/index.js";
import { listenWebSocket } from "../../src/wire/node.js";
import { BROWSER, browse, serveSite } from "../support/browser.js";
import { CLIENT_INFO } from "../support/canned.js";
import { ROOT } from "../support/repo.js";

const SCENARIO = join(ROOT, "schema/msp/transcripts/text-turn");

/** Plays one turn and tells what it saw. */
const PAGE = `
import { MspClient } from "./src/client/index.js";
import { Peer, webSocketTransport } from "./src/wire/index.js";
const connect = (path) => webSocketTransport(new WebSocket(WS_URL + path));
const report = new Peer(connect("/report"));
try {
  const client = new MspClient({ clientInfo: CLIENT_INFO, fingerprint: "ignore", connect: () => connect("/host") });
  await client.connect();
  const session = await client.startSession({ workspaceRoot: "/home/user/orchard" });
  const turn = await session.send(WORDS);
  let text = "";
  for await (const piece of turn.text()) text += piece;
  const outcome = await turn.completed;
  await report.request("saw", { text, outcome: outcome.kind, pending: session.pending.size });
} catch (error) {
  await report.request("saw", { error: String(error), kind: error.kind });
}
`;

/** The files of a bundle for the browser by name: a script as main.js, and what it loads later. */
async function bundled(contents: string, define: Record<string, string> = {}): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts", sourcefile: "main.ts" },
    entryNames: "main",
    outdir: "/",
    splitting: true,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define,
    logLevel: "silent",
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
}

/** The files that a page has loaded when its script begins to run. */
function loadedAtOnce(
  files: ReadonlyMap<string, string>,
  name = "main.js",
  seen = new Set<string>(),
): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { 1: next = "" } of (files.get(name) ?? "").matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    loadedAtOnce(files, next, seen);
  return seen;
}

/** Bytes of files, each compressed as a server does. */
function compressed(files: ReadonlyMap<string, string>, names: Iterable<string>): number {
  return [...names].reduce((sum, name) => sum + gzipSync(files.get(name) ?? "", { level: 9 }).length, 0);
}

test("the entry point needs nothing of Node, and the one for Node does, which a bundle for the browser shows", async () => {
  expect((await bundled('export * from "./src/client/index.js"')).size).toBeGreaterThan(1);
  await expect(bundled('import "./src/client/node.js"')).rejects.toThrow("node:fs");
});

test("the entry point stays within 15 kB, minified and compressed; a session brings the rest when it is opened", async () => {
  const files = await bundled('export * from "./src/client/index.js"');
  const first = loadedAtOnce(files);
  expect(compressed(files, first)).toBeLessThanOrEqual(15_000);
  expect(compressed(files, files.keys())).toBeLessThanOrEqual(25_000);
  expect(compressed(files, first)).toBeGreaterThan(5_000);
  // With the parts of a session it would not: the measure sees what it is to see.
  const more = await bundled(
    'export * from "./src/client/index.js"; export * from "./src/client/sessions.js"',
  );
  expect(compressed(more, loadedAtOnce(more))).toBeGreaterThan(15_000);
});

describe.skipIf(BROWSER === undefined)("in a page", () => {
  test("a whole turn runs over a WebSocket", async () => {
    const transcript = loadTranscript(SCENARIO);
    const words = transcript.lines
      .map(({ raw }) => JSON.parse(raw) as { method?: string; params: { input: { text: string }[] } })
      .find(({ method }) => method === "turn/start")?.params.input[0]?.text;
    const site: Record<string, readonly [string, string]> = {
      "/": [
        "text/html",
        '<!doctype html><title>client</title><script type="module" src="/main.js"></script>',
      ],
    };
    const origin = await serveSite(site, "default-src 'self'; connect-src ws://127.0.0.1:*", onTestFinished);
    let told = (_: unknown): void => undefined;
    const saw = new Promise((resolve) => {
      told = resolve;
    });
    let played: Promise<ServeFixtureReport> | undefined;
    const listener = await listenWebSocket({
      origins: [origin],
      onConnection: (transport, { url }) => {
        if (url === "/host") played = serveTransport(transcript, transport, { rewriteCommandIds: true });
        else {
          new Peer(transport).onRequest((_, params) => {
            told(params);
            return { result: {} };
          });
        }
      },
    });
    onTestFinished(() => listener.close());
    const define = {
      WS_URL: JSON.stringify(listener.url),
      CLIENT_INFO: JSON.stringify(CLIENT_INFO),
      WORDS: JSON.stringify(words),
    };
    for (const [name, text] of await bundled(PAGE, define)) site[`/${name}`] = ["text/javascript", text];
    const profile = await mkdtemp(join(tmpdir(), "mspkit-test-"));
    const browser: ChildProcess = browse(`${origin}/`, profile, ["--remote-debugging-port=0"]);
    onTestFinished(async () => {
      const ended = new Promise((resolve) => browser.once("close", resolve));
      browser.kill("SIGKILL");
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    const spoken = transcript.lines
      .map(
        ({ raw }) =>
          JSON.parse(raw) as { method?: string; params: { item?: { kind: string; text: string } } },
      )
      .findLast(({ method, params }) => method === "item/completed" && params.item?.kind === "agentMessage");
    expect(await saw).toEqual({ text: spoken?.params.item?.text, outcome: "completed", pending: 0 });
    expect(await played).toMatchObject({ kind: "serveFixtureComplete" });
  });
});
