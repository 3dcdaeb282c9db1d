/** Links between the documents lead somewhere. */
import { expect, test } from "vitest";
import { deadLinks, pages } from "./pages.js";

test("every relative link and anchor exists", () => {
  const { problems, followed } = deadLinks(pages());
  expect(problems).toEqual([]);
  expect(followed).toBeGreaterThan(100);
});

test("a link to a missing file, a missing anchor or out of the project is seen", () => {
  const page =
    "[a](nothing.md) [b](#none) [c](rules.md#none) [d](../../x) [e](#here) [f](rules.md#json-syntax)\n\n# Here\n";
  const dead = deadLinks(new Map([...pages(), ["docs/page.md", page]])).problems;
  expect(dead.map((problem) => problem.split(" ")[3])).toEqual([
    "nothing.md",
    "#none",
    "rules.md#none",
    "../../x",
  ]);
  for (const problem of dead) expect(problem).toMatch(/^docs\/page\.md: /);
});
