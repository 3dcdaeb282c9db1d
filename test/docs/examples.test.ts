/** What the pages say to run runs, and prints what they say. */
import { describe, expect, test } from "vitest";
import { failedExamples, pages } from "./pages.js";

const { problems, ran, skipped } = await failedExamples(pages());

describe.skipIf(skipped !== undefined)(
  `the examples of the pages${skipped === undefined ? "" : ` (${skipped})`}`,
  () => {
    test("run, and print what is shown", () => {
      expect(problems).toEqual([]);
      expect(ran).toBeGreaterThanOrEqual(6);
    });

    const block = (kind: string, code: string) => `<!-- ${kind} -->\n\`\`\`sh\n${code}\n\`\`\`\n`;
    const check = async (text: string) => (await failedExamples(new Map([["docs/page.md", text]]))).problems;

    test("that print something else are seen", async () => {
      const page = `${block("run", "echo apples")}\n${block("prints", "pears")}`;
      expect(await check(page)).toEqual(['docs/page.md:8: the example prints "apples\\n"']);
      expect(await check(page.replace("pears", "apples"))).toEqual([]);
    });

    test("that fail are seen, with what they said", async () => {
      const page = `${block("run", "true")}\n${block("run", "echo rotten >&2; false")}\n${block("run", "echo apples")}`;
      expect(await check(page)).toEqual(["docs/page.md:8: the example fails: rotten"]);
    });

    test("are one shell, which leaves nothing behind", async () => {
      const page = [
        block("run", "A=apples; sleep 1000 & echo $! > pid"),
        block("run", "echo $A; kill -0 $(cat pid) && echo runs"),
        block("prints", "apples\nruns"),
      ].join("\n");
      expect(await check(page)).toEqual([]);
    });
  },
);
