/** The law of payload identity with few values a command: enough to notice a change, and quick. */
import { expect, test } from "vitest";
import { payloadOf, signature } from "../../../src/host/payloads.js";
import { payloadLaw } from "../../host/payload-law.js";

test("the law of payload identity holds", () => {
  const { problems, changed } = payloadLaw(
    (method, params) => signature(method, payloadOf(method, params).payload),
    12,
    12,
  );
  expect(problems.slice(0, 10)).toEqual([]);
  expect(changed.size).toBeGreaterThan(120);
});
