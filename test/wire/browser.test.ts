/** The behaviour suite with a page at the far end: the platform's WebSocket, in a real browser. */
import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/wire/index.js";
import { listenWebSocket, type WebSocketListener } from "../../src/wire/node.js";
import { BROWSER, browse, serveSite } from "../support/browser.js";
import { ROOT } from "../support/repo.js";
import { behavesLikeEveryTransport, type Connected, LIMIT } from "./transport-behaviour.js";

/** Keeps one connection open: the next one when the last is over. */
const PAGE = `
import { Peer, webSocketTransport } from "./src/wire/index.js";
import { behave } from "./test/fixtures/wire/behave.mjs";
const open = () => {
  const peer = new Peer(webSocketTransport(new WebSocket(WS_URL)), { limitBytes: ${LIMIT}, drainTimeoutMs: 100 });
  behave(peer);
  void peer.closed.then(() => setTimeout(open, 10));
};
open();
`;

/** What the page runs, as one file. Fails where the entry point needs Node. */
async function bundled(script: string, url: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    define: { WS_URL: JSON.stringify(url) },
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

test("the entry point for any platform needs nothing of Node, which a bundle for the browser would show", async () => {
  expect((await bundled(PAGE, "ws://x")).length).toBeGreaterThan(5_000);
  await expect(bundled('import "./src/wire/node.js"', "")).rejects.toThrow("node:child_process");
});

describe.skipIf(BROWSER === undefined)("a page", () => {
  let listener: WebSocketListener;
  let browser: ChildProcess;
  let profile: string;
  const stops: (() => void)[] = [];
  const connections: Connected[] = [];
  const waiting: ((connected: Connected) => void)[] = [];

  beforeAll(async () => {
    const site: Record<string, readonly [string, string]> = {
      "/": ["text/html", '<!doctype html><title>wire</title><script type="module" src="/main.js"></script>'],
    };
    const origin = await serveSite(site, "default-src 'self'; connect-src ws://127.0.0.1:*", (stop) =>
      stops.push(stop),
    );
    listener = await listenWebSocket({
      origins: [origin],
      limitBytes: LIMIT,
      onConnection: (transport: Transport, request) => {
        const connected = { transport, crash: () => void request.socket.destroy() };
        const take = waiting.shift();
        if (take === undefined) connections.push(connected);
        else take(connected);
      },
    });
    site["/main.js"] = ["text/javascript", await bundled(PAGE, listener.url)];
    profile = await mkdtemp(join(tmpdir(), "mspkit-test-"));
    browser = browse(`${origin}/`, profile, ["--remote-debugging-port=0"]);
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => browser.once("close", resolve));
    browser.kill("SIGKILL");
    await ended;
    for (const stop of stops) stop();
    await listener.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  behavesLikeEveryTransport(async () => {
    return connections.shift() ?? new Promise((resolve) => waiting.push(resolve));
  });
});
