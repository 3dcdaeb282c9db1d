/** A page in a real browser. Tests that need one are skipped where no Chromium is installed. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { scratchFolder } from "./repo.js";

/** The program of the browser; undefined where there is none. */
export const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** Files of a site by path, each with its media type. */
export type Site = Readonly<Record<string, readonly [type: string, text: string]>>;

/** Serves files on a free port; the origin. `end` is handed what ends it. */
export async function serveSite(
  site: Site,
  policy: string,
  end: (stop: () => void) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const [type, text] = site[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(text === "" ? 404 : 200, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": policy,
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  end(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts the browser on a page, in a profile of its own. */
export function browse(address: string, profile: string, words: readonly string[] = []): ChildProcess {
  return spawn(BROWSER as string, [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--user-data-dir=${profile}`,
    ...words,
    address,
  ]);
}

/** The document of a site's first page, once it has loaded, as text. */
export async function loadedPage(site: Site, policy: string): Promise<string> {
  const origin = await serveSite(site, policy, onTestFinished);
  return new Promise((resolve, reject) => {
    const child = browse(`${origin}/`, scratchFolder(), ["--dump-dom"]);
    let stdout = "";
    let stderr = "";
    child.stdout?.on("data", (chunk) => (stdout += chunk));
    child.stderr?.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(stdout) : reject(new Error(`browser: ${code} ${stderr}`)),
    );
  });
}
