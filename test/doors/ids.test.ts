/** Which ids the doors take, and how they are told of those that they do not. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/commands/app.js";
import {
  counted,
  type FrontDoor,
  frontDoors,
  openDoors,
  outcomeOf,
  post,
  request,
} from "../support/doors.js";
import { rawPost } from "../support/raw-http.js";
import { appOf } from "../support/workspace-app.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell" };

async function scene() {
  const { app, carriedOut } = counted(appOf());
  const at = await openDoors(app, { limits: { bodyBytes: 4_194_304 } });
  const doors = await frontDoors(app, at);
  return { at, carriedOut, doors, rest: doors[0] as FrontDoor };
}

describe("an id that is none", () => {
  const malformed: readonly (readonly [what: string, id: unknown, fault: string])[] = [
    ["empty", "", "empty"],
    ["of 1 MB", "x".repeat(1_048_576), "tooLong"],
    ["of 300 characters", "x".repeat(300), "tooLong"],
    ["of 129 characters", "x".repeat(129), "tooLong"],
    ["with NUL", "a\0b", "unprintable"],
    ["with a newline", "a\nb", "unprintable"],
    ["with a space at its end", "a ", "unprintable"],
    ["with half of a surrogate pair", "a\ud800", "unprintable"],
    ["a number", 7, "notText"],
    ["null", null, "notText"],
    ["a list", ["a"], "notText"],
  ];

  it.each(malformed)("%s: every door refuses it with a reason", async (_what, id, fault) => {
    const { doors, carriedOut } = await scene();
    let asked = 0;
    for (const door of doors) {
      // A header is a text; there are tests of its own for it.
      if (door.name === "REST with a header") continue;
      asked++;
      expect([door.name, await door.call("event/publish", PUBLISH, id)]).toEqual([
        door.name,
        {
          rejected: {
            reason: "command_id_malformed",
            kind: "invalidParams",
            retryable: false,
            details: { fault },
          },
        },
      ]);
    }
    expect(asked).toBe(4);
    expect(carriedOut).toEqual([]);
  });

  it("whose time lies ahead is refused", async () => {
    const { doors, carriedOut } = await scene();
    for (const door of doors) {
      expect(await door.call("event/publish", PUBLISH, "ffffffff-ffff-7fff-bfff-ffffffffffff")).toMatchObject(
        {
          rejected: { reason: "command_id_malformed", details: { fault: "ahead" } },
        },
      );
    }
    expect(carriedOut).toEqual([]);
  });

  it("of 128 characters, with letters of any script, is one", async () => {
    const { doors, carriedOut } = await scene();
    const id = "ä🍎".repeat(64);
    for (const door of doors.filter(({ name }) => name !== "REST with a header"))
      expect(await door.call("event/publish", PUBLISH, id)).toMatchObject({ accepted: { commandId: id } });
    expect(carriedOut).toHaveLength(1);
  });
});

describe("the header Idempotency-Key", () => {
  const taken: readonly (readonly [header: string, id: string])[] = [
    ["k1", "k1"],
    ['"k1"', "k1"],
    ["a b", "a b"],
    ['"a \\"b\\" \\\\c"', 'a "b" \\c'],
    ["0199C1A4-7D1E-7C3B-9A64-2F6F0D1E8B57", "0199c1a4-7d1e-7c3b-9a64-2f6f0d1e8b57"],
  ];

  it.each(taken)("%s stands for %s", async (header, id) => {
    const { at, carriedOut, rest } = await scene();
    const { status, json } = await post(`${at.url}/v1/event/publish`, PUBLISH, { "idempotency-key": header });
    expect(status).toBe(200);
    expect(carriedOut.map(({ commandId }) => commandId)).toEqual([id]);
    expect(await rest.call("event/publish", PUBLISH, id)).toEqual({ accepted: json });
    expect(carriedOut).toHaveLength(1);
  });

  const refused: readonly (readonly [header: string, fault: string])[] = [
    ["", "empty"],
    ['""', "empty"],
    ['"k1', "unprintable"],
    ['"k1";a=1', "unprintable"],
    ['"a\\b"', "unprintable"],
    ["x".repeat(129), "tooLong"],
    ["\u00e4", "unprintable"],
    ['"\u00e4"', "unprintable"],
  ];

  it.each(refused)("%s is refused", async (header, fault) => {
    const { at, carriedOut } = await scene();
    const { status, json } = await post(`${at.url}/v1/event/publish`, PUBLISH, { "idempotency-key": header });
    expect([status, json["reason"], json["details"]]).toEqual([400, "command_id_malformed", { fault }]);
    expect(carriedOut).toEqual([]);
  });

  // What no client would send: the head itself is refused, or what stands in it.
  const raw: readonly (readonly [what: string, header: string, reason: string])[] = [
    ["of 1 MB", "x".repeat(1_048_576), "malformed_request"],
    ["of 300 characters", "x".repeat(300), "command_id_malformed"],
    ["with NUL", "a\0b", "malformed_request"],
    ["with a newline", "a\nb", "malformed_request"],
    ["with a carriage return", "a\rb", "malformed_request"],
    ["on two lines", "a\r\n b", "malformed_request"],
    // As UTF-8, and as Latin-1 has it: to one door it would be another id than to the next.
    ["with a letter outside ASCII", "ä", "command_id_malformed"],
  ];

  it.each(raw)("%s is refused with a reason", async (_what, header, reason) => {
    const { at, carriedOut } = await scene();
    const answer = await rawPost(`${at.url}/v1/event/publish`, PUBLISH, [`Idempotency-Key: ${header}`]);
    expect([answer.status, answer.json["reason"]]).toEqual([400, reason]);
    expect(carriedOut).toEqual([]);
  });

  it("may say the same as the body, and nothing else", async () => {
    const { at, carriedOut } = await scene();
    const publish = async (header: string, commandId: unknown): Promise<unknown> => {
      const body: JsonObject = { ...PUBLISH, commandId: commandId as string };
      const outcome = outcomeOf(
        await post(`${at.url}/v1/event/publish`, body, { "idempotency-key": header }),
      );
      return "accepted" in outcome ? "accepted" : outcome.rejected.reason;
    };
    expect(await publish('"k1"', "k1")).toBe("accepted");
    expect(await publish("k1", "k2")).toBe("command_id_mismatch");
    expect(await publish("7", 7)).toBe("command_id_mismatch");
    expect(await publish("k1", null)).toBe("command_id_mismatch");
    expect(carriedOut).toHaveLength(1);
  });

  it("that stands twice with two ids is refused, also where both would be one text", async () => {
    const { at, carriedOut } = await scene();
    const answer = await rawPost(`${at.url}/v1/event/publish`, PUBLISH, [
      "Idempotency-Key: a",
      "Idempotency-Key: b",
    ]);
    expect([answer.status, answer.json["reason"]]).toEqual([400, "command_id_mismatch"]);
    const same = await rawPost(`${at.url}/v1/event/publish`, PUBLISH, [
      "Idempotency-Key: a",
      "Idempotency-Key: a",
    ]);
    expect(same.status).toBe(200);
    expect(carriedOut.map(({ commandId }) => commandId)).toEqual(["a"]);
  });

  it("is nothing to a query", async () => {
    const { at } = await scene();
    const { status } = await request(`${at.url}/v1/event/list?workspaceId=w1`, {
      headers: { "idempotency-key": "" },
    });
    expect(status).toBe(200);
  });
});
