import { describe, expect, test } from "vitest";
import { expectedFor, wrongInReply } from "../../../src/laws/fuzz/oracle.js";

const request = (method: string, params: unknown, id: unknown = 10_001) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
const error = (code: number, kind: string) => ({
  jsonrpc: "2.0",
  id: 10_001,
  error: { code, message: "", data: { kind, retryable: false } },
});
const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";

describe("what a frame may be answered", () => {
  test.each([
    [
      "a notification, whatever ids are in it",
      '{"jsonrpc":"2.0","method":"x","params":[{"id":"a"},{"id":"b"}]}',
      0,
      "never",
    ],
    ["what is not JSON", '{"jsonrpc":"2.0","id":1,"method":"x"', 0, "must"],
    ["a batch", "[]", 0, "must"],
    ["a blank line", " \t", 0, "may"],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":1,"result":{}}', 0, "may"],
    ["an id twice", '{"jsonrpc":"2.0","id":"a","id":"b","method":"usage/read"}', 2, "instead"],
    ["an id that is none", '{"jsonrpc":"2.0","id":null,"method":"usage/read"}', 1, "instead"],
    [
      "a number that is written in another way",
      '{"jsonrpc":"2.0","id":1e3,"method":"usage/read"}',
      1,
      "instead",
    ],
    ["a plain request", request("usage/read", {}), 1, "never"],
  ])("%s", (_, text, ids, atNull) => {
    const expected = expectedFor(text);
    expect([expected.ids.length, expected.atNull]).toEqual([ids, atNull]);
  });

  test("params that are not valid are refused as such, and not accepted", () => {
    const expected = expectedFor(request("view/page", { sessionId: uuid, limit: 1_001 }));
    expect(expected.violation).toBe("/limit, maximum");
    expect(wrongInReply(expected, error(-32602, "invalidParams"))).toBeUndefined();
    expect(wrongInReply(expected, error(-32020, "sessionNotFound"))).toContain("/limit, maximum");
    const page = { jsonrpc: "2.0", id: 10_001, result: { events: [], nextCursor: null } };
    expect(wrongInReply(expected, page)).toContain("accepted");
  });

  test("a valid request is never called unreadable, and no host fails of it", () => {
    const expected = expectedFor(request("view/page", { sessionId: uuid, limit: 1 }));
    for (const kind of ["parseError", "invalidRequest", "internal"])
      expect(wrongInReply(expected, error(-32603, kind)), kind).toBeDefined();
    expect(wrongInReply(expected, error(-32020, "sessionNotFound"))).toBeUndefined();
  });

  test("null for an optional member may be taken for its absence, or refused", () => {
    const expected = expectedFor(request("session/read", { sessionId: uuid, excludeItems: null }));
    expect(expected.request).toBe("odd");
    expect(wrongInReply(expected, error(-32602, "invalidParams"))).toBeUndefined();
  });

  test("of a member that is there twice a reader may take either", () => {
    const text = request("view/page", { sessionId: uuid, limit: 0 }).replace(
      '"limit":0',
      '"limit":1,"limit":0',
    );
    expect(expectedFor(text).request).toBe("odd");
  });
});
