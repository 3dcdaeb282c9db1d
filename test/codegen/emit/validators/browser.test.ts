/** The validators in a browser whose policy forbids code from strings. Skipped where no Chromium is installed. */
import { describe, expect, it } from "vitest";
import { BROWSER, loadedPage } from "../../../support/browser.js";
import { planOfFile, textOf } from "../../../support/compile.js";
import { MSP_SCHEMA } from "../../../support/repo.js";

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
  const site = {
    "/": ["text/html", PAGE],
    "/main.js": ["text/javascript", MAIN],
    "/validators.js": ["text/javascript", module],
  } as const;
  const dom = await loadedPage(site, policy);
  const answer = /<pre id="answer">(.*?)<\/pre>/s.exec(dom)?.[1];
  if (answer === undefined) throw new Error(`the browser showed another page: ${dom.slice(0, 500)}`);
  return answer;
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
