/** The validators in a browser whose policy forbids code from strings. Skipped where no Chromium is installed. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { planOfFile, textOf } from "../../../support/compile.js";
import { MSP_SCHEMA, scratchFolder } from "../../../support/repo.js";

const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

const POLICY = "default-src 'self'; script-src 'self'";

const PAGE = `<!doctype html><title>validators</title><pre id="answer">nothing</pre>
<script type="module" src="/main.js"></script>`;

/** Says whether the policy holds, then what the validators answer. */
const MAIN = `
import { methods, validateTurnSteerParams as validate } from "/validators.js";
let policy = "none";
try { new Function("return 1")(); } catch (error) { policy = error.name; }
const params = (tokenBudget) => ({ commandId: "c", expectedTurnId: "t", input: [], sessionId: "s", tokenBudget });
const verdicts = [1, 0, 1.5, "1", null].map((n) => (validate(params(n)) ?? []).map((v) => v.instanceLocation + " " + v.keyword));
document.getElementById("answer").textContent = JSON.stringify({ policy, verdicts, methods: Object.keys(methods).length });
`;

/** What stands in the page when it has loaded. */
async function answerOf(module: string, policy: string): Promise<string> {
  const files: Record<string, readonly [type: string, text: string]> = {
    "/": ["text/html", PAGE],
    "/main.js": ["text/javascript", MAIN],
    "/validators.js": ["text/javascript", module],
  };
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(text === "" ? 404 : 200, {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": policy,
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const dom = await dumpDom(`http://127.0.0.1:${port}/`);
  const answer = /<pre id="answer">(.*?)<\/pre>/s.exec(dom)?.[1];
  if (answer === undefined) throw new Error(`the browser showed another page: ${dom.slice(0, 500)}`);
  return answer;
}

function dumpDom(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(BROWSER as string, [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--user-data-dir=${scratchFolder()}`,
      "--dump-dom",
      address,
    ]);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(stdout) : reject(new Error(`browser: ${code} ${stderr}`)),
    );
  });
}

describe.skipIf(BROWSER === undefined)("in a browser that makes no code from strings", () => {
  it("the validators load and answer", async () => {
    const module = await textOf(planOfFile(MSP_SCHEMA), "validators", "validators.js");
    expect(JSON.parse(await answerOf(module, POLICY))).toEqual({
      policy: "EvalError",
      verdicts: [
        [],
        ["/tokenBudget minimum"],
        ["/tokenBudget type"],
        ["/tokenBudget type"],
        ["/tokenBudget type"],
      ],
      methods: 102,
    });
  });

  it("a module that makes code would not load, though it does without the policy", async () => {
    const module = await textOf(planOfFile(MSP_SCHEMA), "validators", "validators.js");
    const poisoned = `${module}new Function("return 1")();\n`;
    expect(await answerOf(poisoned, POLICY)).toBe("nothing");
    expect(JSON.parse(await answerOf(poisoned, "default-src 'self' 'unsafe-eval'"))).toMatchObject({
      policy: "none",
    });
  });
});
