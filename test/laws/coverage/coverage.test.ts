import { describe, expect, test } from "vitest";
import { errors as errorSamples } from "../../../generated/msp/experimental/tables.js";
import { Coverage, FAMILIES } from "../../../src/laws/coverage/coverage.js";
import { errorSources } from "../../../src/laws/coverage/errors.js";
import { mspModel } from "../../../src/laws/coverage/model.js";

const asked = (method: string, params: unknown, id = 1) => ({
  dir: "client" as const,
  raw: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
});
const answered = (error: unknown) => ({
  dir: "server" as const,
  raw: JSON.stringify({ jsonrpc: "2.0", id: 1, error }),
});

describe("the coverage of a run", () => {
  test("is nothing before anything passed, and names what is missing", () => {
    const report = new Coverage().report(new Set(["view/page"]));
    expect(report.percent).toBe(0);
    expect(report.methods).toEqual({ reached: 0, total: 1, missing: ["view/page"] });
    expect(report.bounds.missing).toContain("ViewPageParams.limit maximum, beyond");
    expect(report.values.missing).toContain('ViewPageDirection "backward"');
    expect(report.errors.missing).toContain("noBoundary");
  });

  test("tells a bound from what is beyond it, and from what is neither", () => {
    const coverage = new Coverage();
    const missing = () => coverage.report(new Set(["view/page"])).bounds.missing;
    expect(missing()).toHaveLength(4);
    coverage.note(asked("view/page", { sessionId: "s", limit: 500 }));
    expect(missing()).toHaveLength(4);
    coverage.note(asked("view/page", { sessionId: "s", limit: 1 }));
    expect(missing()).not.toContain("ViewPageParams.limit minimum, at");
    coverage.note(asked("view/page", { sessionId: "s", limit: 1_001 }));
    expect(missing()).toEqual(["ViewPageParams.limit minimum, beyond", "ViewPageParams.limit maximum, at"]);
  });

  test("counts a closed value, one that is none of them, and no open one", () => {
    const coverage = new Coverage();
    const missing = () => coverage.report(new Set(["turn/start"])).values.missing;
    const before = missing().length;
    coverage.note(asked("turn/start", { ifBusy: "steer" }));
    coverage.note(asked("turn/start", { ifBusy: "other" }));
    expect(missing()).toHaveLength(before - 2);
    expect(missing()).toContain('IfBusy "queue"');
    const { open } = mspModel().definitions["ErrorKind"]?.enum ?? {};
    expect(open).toBe(true);
    expect(missing().some((name) => name.startsWith("ErrorKind"))).toBe(false);
  });

  test("counts members in arrays, and those of the arm of a union that the tag names", () => {
    const coverage = new Coverage();
    const missing = () => coverage.report(new Set(["turn/start", "session/start"])).members.missing;
    coverage.note(asked("turn/start", { input: [{ type: "text", text: "" }] }));
    expect(missing()).not.toContain("TurnInputPart.text");
    expect(missing()).toContain("TurnInputPart.uploadId");
    coverage.note(asked("session/start", { worktree: { mode: "create", path: "x" } }));
    expect(missing()).toContain("WorktreeStartRequest|1.path");
    coverage.note(asked("session/start", { worktree: { mode: "existing", path: "x" } }));
    expect(missing()).not.toContain("WorktreeStartRequest|1.path");
  });

  test("counts errors by kind, and by code where none is said", () => {
    const coverage = new Coverage();
    const missing = () => coverage.report(new Set(["turn/start"])).errors.missing;
    coverage.note(answered({ code: -32602, message: "", data: { kind: "experimentalRequired" } }));
    expect(missing()).not.toContain("experimentalRequired");
    expect(missing()).toContain("invalidParams");
    coverage.note(answered({ code: errorSamples.parseError.code, message: "" }));
    expect(missing()).not.toContain("parseError");
  });

  test("takes what is no message, and counts nothing for it", () => {
    const coverage = new Coverage();
    for (const raw of [
      "",
      "{",
      "null",
      "[]",
      '"x"',
      '{"method":1}',
      `${"[".repeat(5_000)}`,
      '{"error":null}',
    ])
      for (const dir of ["client", "server"] as const) coverage.note({ dir, raw });
    coverage.note(asked("__proto__", {}));
    coverage.note(asked("constructor", { constructor: 1 }));
    expect(coverage.report(new Set(["turn/start", "__proto__", "constructor"])).percent).toBe(0);
  });

  test("leaves out what is not served", () => {
    const { errors, unreachable } = new Coverage().report(new Set(["session/list"]));
    expect(errors.missing).not.toContain("approvalNotFound");
    expect(unreachable.every(({ why }) => why.length > 10)).toBe(true);
    expect(unreachable.map(({ name }) => name)).toContain("sessionInUse");
  });

  test("has every point of the whole surface once", () => {
    const report = new Coverage().report(new Set(Object.keys(mspModel().methods)));
    for (const family of FAMILIES) {
      const { missing, total } = report[family];
      expect(new Set(missing).size, family).toBe(total);
      expect(total, family).toBeGreaterThan(5);
    }
  });

  test("knows where each error comes from", () => {
    const known = new Set(Object.keys(mspModel().methods));
    for (const source of Object.values(errorSources))
      if (typeof source === "object" && "length" in source)
        for (const method of source) expect(known.has(method), method).toBe(true);
  });
});
