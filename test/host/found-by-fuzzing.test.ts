/** Inputs that fuzzing found: each was once answered `internal`. */
import { describe, expect, test } from "vitest";
import { methods } from "../../generated/msp/experimental/tables.js";
import { fuzz } from "../../src/laws/fuzz/fuzz.js";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";

const text = (method: string, params: object) =>
  `{"jsonrpc":"2.0","id":{{id}},"method":"${method}","params":${JSON.stringify(params)}}`;
const frame = (method: string, params: object) => ({
  kind: "script" as const,
  text: text(method, params),
  why: method,
});
const opening = { experimental: false, capabilities: [] };
const found = async (calm: number, ...batches: ReturnType<typeof frame>[][]) => {
  const report = await fuzz(await embeddedDriver(), {
    frames: 1,
    first: [{ opening, calm, batches }],
    lawCases: 0,
  });
  return report.findings;
};

describe("a host answers", () => {
  test("a question about a session whose id is no UUID", async () => {
    const asked = Object.entries(methods).flatMap(([method, { kind }]) => (kind === "query" ? [method] : []));
    expect(asked).toContain("session/read");
    const params = { sessionId: "no uuid {", limit: 1, itemId: "x", outputRef: "x" };
    expect(
      await found(
        0,
        asked.map((method) => frame(method, params)),
      ),
    ).toEqual([]);
  });

  test("a fork that is under way when its session is given up", async () => {
    const own = { sessionId: "{{seen:sessionId:0}}", commandId: "{{new}}" };
    const begin = frame("session/start", { commandId: "{{new}}" });
    for (const first of ["session/leave", "session/fork"]) {
      const second = first === "session/leave" ? "session/fork" : "session/leave";
      expect(await found(1, [begin], [frame(first, own), frame(second, own)])).toEqual([]);
    }
  });
});
