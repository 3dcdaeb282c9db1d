import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { methods as arbitraries } from "../../generated/msp/experimental/arbitraries.js";
import { methods as validators } from "../../generated/msp/experimental/validators.js";
import { mintCommandId } from "../../src/client/command-id.js";
import {
  type CommandName,
  isHostScoped,
  isUuid,
  parseCommandId,
  payloadOf,
  signature,
  trimWhiteSpace,
} from "../../src/host/payloads.js";
import { canonicalJson } from "../../src/ledger/canonical.js";
import { COMMANDS, isKey } from "./payload-law.js";

const SESSION = "01a19b7c-a6bc-7000-8000-ff6f00000002";
const COMMAND = "01a19b7c-a6f8-7000-8000-ff6f00000003";

function signed(method: CommandName, params: object): string {
  return signature(method, payloadOf(method, params).payload);
}

/** Params with the members that every command of a session has. */
function given(members: object): object {
  return { commandId: COMMAND, sessionId: SESSION, ...members };
}

describe("the payload of every command", () => {
  it("is a copy that params cannot reach, is valid where they are, and is its own payload", () => {
    let compared = 0;
    for (const method of COMMANDS) {
      for (const value of fc.sample(arbitraries[method].params.valid as fc.Arbitrary<object>, {
        numRuns: 40,
        seed: 7,
      })) {
        const text = canonicalJson(value);
        const { payload } = payloadOf(method, value);
        expect(canonicalJson(value)).toBe(text);
        expect(deeplyFrozen(payload)).toBe(true);
        const again = payloadOf(method, payload).payload;
        expect(canonicalJson(again)).toBe(canonicalJson(payload));
        const keys = Object.entries(value).filter(([name]) => isKey(method, name));
        expect(validators[method].params({ ...payload, ...Object.fromEntries(keys) })).toBeNull();
        compared++;
      }
    }
    expect(compared).toBe(COMMANDS.length * 40);
  });

  it("is taken once: what a handler does to its params afterwards does not count", () => {
    const params = { ...given({ displayText: " Ship ", input: [{ type: "text", text: "a" }] }) };
    const first = payloadOf("turn/start", params).payload;
    const before = signature("turn/start", first);
    Object.assign(params, { displayText: "Ship" });
    (params as unknown as { input: object[] }).input.pop();
    expect(signature("turn/start", first)).toBe(before);
    expect(signed("turn/start", params)).not.toBe(before);
  });

  it("has the method in its signature", () => {
    const params = given({});
    const all = ["goal/clear", "goal/pause", "goal/resume"] as const;
    expect(new Set(all.map((method) => signed(method, params))).size).toBe(3);
  });
});

function deeplyFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(deeplyFrozen);
}

describe("the keys of a command", () => {
  it("do not belong to its payload, but for the id that names a new session", () => {
    for (const method of COMMANDS) {
      const { payload } = payloadOf(method, given({}));
      expect([method, Object.keys(payload)]).toEqual([
        method,
        method === "session/start" ? ["sessionId"] : [],
      ]);
    }
  });

  it("are the host's where no session is named, and at the start of one", () => {
    expect(isHostScoped("session/start", { sessionId: SESSION })).toBe(true);
    expect(isHostScoped("session/start", {})).toBe(true);
    expect(isHostScoped("computerUseSetup/start", {})).toBe(true);
    expect(isHostScoped("computerUseSetup/start", { sessionId: SESSION })).toBe(false);
    for (const method of COMMANDS.filter((name) => name !== "session/start"))
      expect(isHostScoped(method, given({}))).toBe(false);
  });
});

describe("texts that are trimmed", () => {
  const TRIMMED = [
    ["goal/set", "objective"],
    ["goal/edit", "objective"],
    ["subagent/sendMessage", "body"],
    ["subagent/followupTask", "body"],
  ] as const;

  it.each(TRIMMED)("are the same with and without white space: %s", (method, name) => {
    const plain = signed(method, given({ [name]: "Prune" }));
    expect(signed(method, given({ [name]: "\t\u0085\u2003 Prune\u00a0\n" }))).toBe(plain);
    expect(signed(method, given({ [name]: "Pru ne" }))).not.toBe(plain);
    expect(payloadOf(method, given({ [name]: " Prune " })).payload[name]).toBe("Prune");
  });

  it.each(TRIMMED)("are refused where nothing is left: %s", (method, name) => {
    for (const text of ["", " ", "\u2028\u3000\r\n"])
      expect(payloadOf(method, given({ [name]: text })).refusal).toEqual({
        fault: "emptyText",
        pointer: `/${name}`,
      });
    expect(payloadOf(method, given({ [name]: "x" })).refusal).toBeUndefined();
  });

  it("are no others", () => {
    const say = (text: string) => signed("turn/start", given({ input: [{ type: "text", text }] }));
    expect(say(" a")).not.toBe(say("a"));
    expect(signed("session/rename", given({ name: " a" }))).not.toBe(
      signed("session/rename", given({ name: "a" })),
    );
    const to = (subagentId: string) =>
      payloadOf("subagent/sendMessage", given({ body: "Prune", subagentId })).payload["subagentId"];
    expect(to(" s ")).toBe(" s ");
  });

  it("lose exactly the characters that Unicode calls white space", () => {
    const white: number[] = [];
    for (let unit = 0; unit < 0x10000; unit++)
      if (trimWhiteSpace(`${String.fromCharCode(unit)}x${String.fromCharCode(unit)}`) === "x")
        white.push(unit);
    const spaces = Array.from({ length: 11 }, (_, i) => 0x2000 + i);
    const others = [0x2028, 0x2029, 0x202f, 0x205f, 0x3000];
    expect(white).toEqual([9, 10, 11, 12, 13, 0x20, 0x85, 0xa0, 0x1680, ...spaces, ...others]);
    expect(trimWhiteSpace("\ufeffx\u200b")).toBe("\ufeffx\u200b");
    expect(trimWhiteSpace(` ${"\u{1F600} ".repeat(3)}`)).toBe("\u{1F600} \u{1F600} \u{1F600}");
  });
});

describe("ids in a payload", () => {
  it("are the same in any case where they are UUIDs", () => {
    const steer = (id: string) => signed("turn/steer", given({ expectedTurnId: id, input: [] }));
    expect(steer(COMMAND.toUpperCase())).toBe(steer(COMMAND));
    expect(steer("Turn-A")).not.toBe(steer("turn-a"));
    const upper = given({ expectedTurnId: COMMAND.toUpperCase(), input: [] });
    expect(payloadOf("turn/steer", upper).payload["expectedTurnId"]).toBe(COMMAND);
    const cut = (id: string) => signed("session/fork", given({ cutPoint: { lastTurnId: id } }));
    expect(cut(COMMAND.toUpperCase())).toBe(cut(COMMAND));
    const start = (id: string) => signed("session/start", { commandId: COMMAND, sessionId: id });
    expect(start(SESSION.toUpperCase())).toBe(start(SESSION));
    expect(start(SESSION)).not.toBe(start(COMMAND));
  });

  it("are not looked for in texts, nor under the names of a map", () => {
    const say = (text: string) => signed("turn/start", given({ input: [{ type: "text", text }] }));
    expect(say(COMMAND.toUpperCase())).not.toBe(say(COMMAND));
    const env = (id: string) =>
      signed("session/start", {
        commandId: COMMAND,
        config: { mcpServers: { a: { transport: "stdio", command: "c", env: { runId: id } } } },
      });
    expect(env(COMMAND.toUpperCase())).not.toBe(env(COMMAND));
  });
});

describe("params that cannot be told apart on every surface", () => {
  const chunk = (text: string) =>
    payloadOf(
      "media/upload",
      given(
        JSON.parse(
          `{"chunkBase64":"","chunkCount":1,"chunkIndex":0,"mediaType":"m","uploadId":"u","totalBytes":${text}}`,
        ) as object,
      ),
    ).refusal;
  const at = (fault: string, pointer: string) => ({ fault, pointer });

  it("are refused: integers beyond 2^53-1", () => {
    expect(chunk("9007199254740991")).toBeUndefined();
    for (const text of ["9007199254740992", "9007199254740993", "-9007199254740992", "1e300"])
      expect(chunk(text)).toEqual(at("unsafeInteger", "/totalBytes"));
    expect(chunk("1e400")).toEqual(at("notFinite", "/totalBytes"));
  });

  it("are refused: lone surrogates, in texts and in names", () => {
    const say = (text: string) =>
      payloadOf(
        "turn/start",
        given({
          input: [
            { type: "text", text: "a" },
            { type: "text", text },
          ],
        }),
      );
    expect(say("a\ud800b").refusal).toEqual(at("loneSurrogate", "/input/1/text"));
    expect(say("\udc00").refusal).toEqual(at("loneSurrogate", "/input/1/text"));
    expect(say("\u{1F600}").refusal).toBeUndefined();
    const servers = (name: string) =>
      payloadOf("session/start", {
        commandId: COMMAND,
        config: { mcpServers: { [name]: { transport: "stdio", command: "c" } } },
      });
    expect(servers("\ud83d").refusal).toEqual(at("loneSurrogate", "/config/mcpServers"));
    expect(servers("\ud83d\ude00").refusal).toBeUndefined();
  });

  it("are accepted where the odd place does not belong to the payload", () => {
    const { refusal } = payloadOf("turn/start", given({ input: [], later: ["\ud800", 2 ** 60] }));
    expect(refusal).toBeUndefined();
  });

  it("are one where they are one value: 1, 1.0 and 1e0, 0 and -0, the last of duplicate members", () => {
    const attempt = (text: string) =>
      signed(
        "workflow/childControl",
        JSON.parse(
          `{"action":"retry","childId":"c","workflowRunId":"w","attempt":7,"attempt":${text}}`,
        ) as object,
      );
    expect(new Set(["1", "1.0", "1e0", "10e-1"].map(attempt)).size).toBe(1);
    expect(attempt("0")).toBe(attempt("-0"));
    expect(attempt("1")).not.toBe(attempt("2"));
  });

  it("are two where a member named __proto__ is one of a map", () => {
    const env = (text: string) =>
      signed("session/start", {
        commandId: COMMAND,
        config: JSON.parse(
          `{"mcpServers":{"a":{"transport":"stdio","command":"c","env":${text}}}}`,
        ) as object,
      });
    expect(env('{"b":"1","__proto__":"x"}')).not.toBe(env('{"b":"1"}'));
    expect(env('{"b":"1","__proto__":"x"}')).not.toBe(env('{"b":"1","__proto__":"y"}'));
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("a command id", () => {
  it("is a UUID of version 7, compared without letter case", () => {
    for (let i = 0; i < 200; i++) {
      const id = mintCommandId();
      expect(parseCommandId(id)).toEqual({ key: id });
      expect(parseCommandId(id.toUpperCase())).toEqual({ key: id });
    }
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["a list of one", ["01a19b7c-a6f8-7000-8000-ff6f00000003"]],
    ["an empty text", ""],
    ["version 4", "01a19b7c-a6f8-4000-8000-ff6f00000003"],
    ["version 1", "01a19b7c-a6f8-1000-8000-ff6f00000003"],
    ["another variant", "01a19b7c-a6f8-7000-7000-ff6f00000003"],
    ["the variant of others", "01a19b7c-a6f8-7000-c000-ff6f00000003"],
    ["no hyphens", COMMAND.replaceAll("-", "")],
    ["braces", `{${COMMAND}}`],
    ["white space", `${COMMAND} `],
    ["a line end", `${COMMAND.slice(0, 35)}\n`],
    ["a letter that is no digit", COMMAND.replace("a", "g")],
    ["a digit of another script", COMMAND.replace("0", "\u0660")],
    ["a letter that lower case makes one", COMMAND.replace("0", "\u212a")],
  ])("is refused: %s", (_, text) => {
    expect(parseCommandId(text)).toEqual({ refusal: { fault: "notCommandId", pointer: "/commandId" } });
  });

  it("is stricter than other ids, which may be of any version", () => {
    for (const version of "0123456789abcdefF")
      expect(isUuid(`01a19b7c-a6f8-${version}000-0000-ff6f00000003`)).toBe(true);
    for (const text of ["", "turn", `${COMMAND}0`, 7, null, [COMMAND]]) expect(isUuid(text)).toBe(false);
  });
});
