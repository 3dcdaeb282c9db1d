/** What makes two commands the same is what their text means: the same verdicts at every door, from the bytes on. */
import { afterAll, describe, expect, it } from "vitest";
import { mintCommandId } from "../../../src/client/index.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { inProcess } from "../../../src/wire/index.js";
import { testHost } from "../../support/host.js";
import { type Frame, RawClient } from "../../support/raw-client.js";
import { DOORS } from "../sdk-doors.js";

type Verdict = "same" | "refused" | { readonly conflict: string };

interface Pair {
  readonly name: string;
  readonly method: string;
  /** Members of the params but the ids, as text. What stands for the id of a turn that hangs is `$TURN`, `$turn` in small letters. */
  readonly first: string;
  readonly second: string;
  readonly verdict: Verdict;
  /** The first one is refused and leaves its id free. */
  readonly firstRefused?: true;
}

const text = (value: string, more = "") => `"input":[{"type":"text","text":${value}}]${more}`;
const start = (name: string, first: string, second: string, verdict: Verdict): Pair => ({
  name,
  method: "turn/start",
  first,
  second,
  verdict,
});
const words = (name: string, first: string, second: string, verdict: Verdict) =>
  start(name, text(first), text(second), verdict);
const budget = (first: string, second: string, verdict: Verdict) =>
  start(
    `${first} and ${second}`,
    text('"/hang"', `,"tokenBudget":${first}`),
    text('"/hang"', `,"tokenBudget":${second}`),
    verdict,
  );
const IN_TEXT = { conflict: "/input/0/text" };

const PAIRS: readonly Pair[] = [
  budget("1", "1.0", "same"),
  budget("1", "1e0", "same"),
  budget("10", "1E1", "same"),
  budget("1", "10e-1", "same"),
  budget("1", "2", { conflict: "/tokenBudget" }),
  budget("9007199254740991", "9007199254740991.0", "same"),
  budget("9007199254740991", "9007199254740990", { conflict: "/tokenBudget" }),
  budget("9007199254740991", "9007199254740993", "refused"),
  { ...budget("9007199254740992", "9007199254740993", "refused"), firstRefused: true },
  { ...budget("1e400", "1e401", "refused"), firstRefused: true },
  words("escapes", '"/hang"', '"\\u002fhang"', "same"),
  words("an escaped solidus", '"/hang"', '"\\/hang"', "same"),
  words("composed and combining", '"/hang \u00e9"', '"/hang e\u0301"', IN_TEXT),
  words("compatible forms", '"fi"', '"\ufb01"', IN_TEXT),
  words("letter case", '"/hang a"', '"/hang A"', IN_TEXT),
  words(
    "a UUID as a text",
    '"01890a5d-ac96-774b-bcce-b302099a8057"',
    '"01890A5D-AC96-774B-BCCE-B302099A8057"',
    IN_TEXT,
  ),
  words("white space in a prompt", '"/hang"', '"/hang "', IN_TEXT),
  words("pairs of surrogates", '"\\ud83d\\ude00"', '"\u{1F600}"', "same"),
  { ...words("lone surrogates", '"\\ud800"', '"\\udfff"', "refused"), firstRefused: true },
  { ...words("half a pair", '"\\ud83d"', '"\\ud83d\\u0041"', "refused"), firstRefused: true },
  start(
    "order of members",
    text('"/hang"', ',"displayText":"d"'),
    `"displayText":"d",${text('"/hang"')}`,
    "same",
  ),
  start("order of members within", text('"/hang"'), '"input":[{"text":"/hang","type":"text"}]', "same"),
  start("white space", text('"/hang"'), '\t"input" : [ { "type" : "text" ,"text":  "/hang" } ] ', "same"),
  start(
    "the last of duplicate members",
    text('"/hang"', ',"displayText":"a","displayText":"b"'),
    text('"/hang"', ',"displayText":"b"'),
    "same",
  ),
  start(
    "the first of duplicate members",
    text('"/hang"', ',"displayText":"a","displayText":"b"'),
    text('"/hang"', ',"displayText":"a"'),
    { conflict: "/displayText" },
  ),
  start("a member that nobody knows", text('"/hang"'), text('"/hang"', ',"more":{"a":1}'), "same"),
  start(
    "__proto__ where nothing is free",
    text('"/hang"'),
    text('"/hang"', ',"__proto__":{"displayText":"x"}'),
    "same",
  ),
  start("a default", text('"/hang"'), text('"/hang"', ',"ifBusy":"queue"'), "same"),
  start("an empty text", text('"/hang"'), text('"/hang"', ',"displayText":""'), { conflict: "/displayText" }),
  start("null where it is no value", text('"/hang"'), text('"/hang"', ',"displayText":null'), "refused"),
  start(
    "order in a list",
    '"input":[{"type":"text","text":"/hang"},{"type":"text","text":"b"}]',
    '"input":[{"type":"text","text":"b"},{"type":"text","text":"/hang"}]',
    { conflict: "/input/0/text" },
  ),
  {
    name: "an objective, trimmed",
    method: "goal/set",
    first: '"objective":"/hang"',
    second: '"objective":" \\u0085\\u3000/hang\\n"',
    verdict: "same",
  },
  {
    name: "an objective, not within",
    method: "goal/set",
    first: '"objective":"a b"',
    second: '"objective":"a  b"',
    verdict: { conflict: "/objective" },
  },
  {
    name: "an objective with a mark that is no white space",
    method: "goal/set",
    first: '"objective":"a"',
    second: '"objective":"\\ufeffa"',
    verdict: { conflict: "/objective" },
  },
  {
    name: "a model, null and empty",
    method: "session/setModel",
    first: '"model":{"modelId":"MODEL"}',
    second: '"model":{"modelId":"MODEL","profileId":null,"displayLabel":""}',
    verdict: "same",
  },
  {
    name: "the target of an interrupt in another case",
    method: "turn/interrupt",
    first: '"turnId":"$turn"',
    second: '"turnId":"$TURN","retract":false',
    verdict: "same",
  },
  {
    name: "an interrupt without a target",
    method: "turn/cancel",
    first: '"turnId":"$turn"',
    second: "",
    verdict: { conflict: "/turnId" },
  },
];

/** Sends both of a pair under one id. */
async function judged(client: RawClient, pair: Pair): Promise<void> {
  const { method, verdict, firstRefused } = pair;
  const sessionId = await client.start();
  const turnId = mintCommandId();
  const fill = (members: string, commandId: string) => {
    const own = members
      .replaceAll("$turn", turnId)
      .replaceAll("$TURN", turnId.toUpperCase())
      .replaceAll("MODEL", "another-model");
    const ids = `"sessionId":"${sessionId}","commandId":"${commandId}"`;
    return `{${own.trim() === "" ? ids : `${ids},${own}`}}`;
  };
  if (pair.first.includes("$turn")) {
    await client.ask("turn/start", fill(text('"/hang"'), turnId));
    await client.until(({ method, params }) => method === "turn/started" && params?.["turnId"] === turnId);
  }
  const commandId = mintCommandId();
  const first = await client.ask(method, fill(pair.first, commandId));
  const second = await client.ask(method, fill(pair.second, commandId));
  const refusal = { code: -32602, data: { kind: "invalidParams" } };
  if (firstRefused) expect(first.error, "the first").toMatchObject(refusal);
  else if (method !== "session/setModel") expect(first.error, "the first").toBeUndefined();
  const told = ({ result, error }: Frame) => JSON.stringify({ result, error });
  if (verdict === "same") expect(told(second)).toBe(told(first));
  else if (verdict === "refused") expect(second.error).toMatchObject(refusal);
  else
    expect(second.error?.data).toEqual({
      kind: "commandRejected",
      commandId,
      reason: "command_id_conflict",
      retryable: false,
      details: { pointer: verdict.conflict },
    });
  if (firstRefused) {
    const { result } = await client.ask(
      "session/setReasoningEffort",
      fill('"reasoningEffort":"low"', commandId),
    );
    expect(result).toMatchObject({ commandId, status: "accepted" });
  } else expect(told(await client.ask(method, fill(pair.first, commandId)))).toBe(told(first));
}

describe.each(DOORS)("%s", (_, make) => {
  const door = make("durable");
  const connected = (async () => RawClient.of(await door.connect(), '{"experimentalApi":true}'))();
  afterAll(async () => {
    await (await connected).close();
    await door.close();
  });

  it.each(PAIRS)("$name ($method)", async (pair) => judged(await connected, pair));

  it("0 and -0 of an approval's stage are one number", async () => {
    const client = await connected;
    const sessionId = await client.start();
    const ids = (commandId: string) => `"sessionId":"${sessionId}","commandId":"${commandId}"`;
    await client.ask("turn/start", `{${ids(mintCommandId())},${text('"/approve\\n/hang"')}}`);
    const { params } = await client.until(
      ({ method, params }) => method === "approval/requested" && params?.["sessionId"] === sessionId,
    );
    const approvalId = JSON.stringify(params?.["approvalId"]);
    const commandId = mintCommandId();
    const answers: string[] = [];
    for (const index of ["0", "-0", "0.0", "0e7", "-0.0"]) {
      const { result, error } = await client.ask(
        "approval/decide",
        `{${ids(commandId)},"approvalId":${approvalId},"choiceId":"allow","requirementId":{"approvalId":${approvalId},"sourceIndex":${index}},"feedback":null}`,
      );
      answers.push(JSON.stringify({ result, error }));
    }
    expect(answers[0]).toContain('"terminal":true');
    expect(new Set(answers).size).toBe(1);
  });
});

describe("names in a map", () => {
  it("count, __proto__ among them", async () => {
    const { host } = testHost({ store: memoryStore({ durability: "durable" }), grants: ["sessionMcp"] });
    const [theirs, ours] = inProcess();
    host.accept(theirs);
    const client = await RawClient.of(ours, '{"requestedCapabilities":["sessionMcp"]}');
    const server = '{"command":"c","transport":"stdio"}';
    const servers = (names: readonly string[]) => `{${names.map((name) => `"${name}":${server}`).join(",")}}`;
    const commandId = mintCommandId();
    const ask = (names: readonly string[]) =>
      client.ask("session/start", `{"commandId":"${commandId}","config":{"mcpServers":${servers(names)}}}`);
    const first = await ask(["b"]);
    expect(first.result).toBeDefined();
    expect((await ask(["b"])).result).toEqual(first.result);
    for (const name of ["__proto__", "constructor", "toString"])
      expect((await ask(["b", name])).error?.data).toMatchObject({
        reason: "command_id_conflict",
        details: { pointer: `/config/mcpServers/${name}` },
      });
    await host.close();
  });
});
