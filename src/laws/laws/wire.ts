/** Laws of the wire: the handshake, frames, answers, and that a host outlives whatever is written to it. */
import fc from "fast-check";
import { capabilities } from "../../../generated/msp/stable/tables.js";
import type { FrameParts } from "../client.js";
import { law } from "../law.js";
import { isAck, type JsonObject } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { Conversation, conversations, told } from "./conversation.js";

interface Beginning {
  readonly name: string;
  readonly title: boolean;
  readonly experimental: boolean;
  readonly asked: readonly string[];
  readonly unknown: boolean;
}

const NOBODYS = "noSuchCapability";

/** How a connection begins. */
export const handshake = law<Beginning>({
  id: "handshake",
  level: "core",
  promise:
    "A valid `initialize` is answered with what the host is; a capability is granted where it was asked for or is everybody's, the experimental surface only where it was asked for, and nothing is told before `initialized`.",
  needs: [],
  least: { handshakes: 12 },
  runs: 8,
  cases: () =>
    fc.record({
      name: fc.stringMatching(/^[a-z0-9_]{1,12}$/),
      title: fc.boolean(),
      experimental: fc.boolean(),
      asked: fc.subarray(Object.keys(capabilities)),
      unknown: fc.boolean(),
    }),
  async run(trial, { name, title, experimental, asked, unknown }) {
    const requested = [...asked, ...(unknown ? [NOBODYS] : [])];
    const plain = await begun(trial, { clientInfo: { name, version: "1" } });
    const params = {
      clientInfo: { name, version: "1", ...(title ? { title: "A client" } : {}) },
      capabilities: {
        experimentalApi: experimental,
        requestedCapabilities: requested,
        optOutNotificationMethods: ["no/such"],
        userInputDialogs: true,
      },
    };
    const result = await begun(trial, params);
    trial.hold(
      experimental || result["experimentalApi"] === false,
      "the experimental surface is open to a client that did not ask for it",
      { result },
    );
    trial.hold(
      plain["experimentalApi"] === false,
      "the experimental surface is open to a client that said nothing of it",
      { result: plain },
    );
    const granted = wordsOf(result, "grantedCapabilities");
    const everybodys = wordsOf(plain, "grantedCapabilities");
    const surprise = granted.find((word) => !requested.includes(word) && !everybodys.includes(word));
    trial.hold(surprise === undefined, "a capability was granted that was not asked for", {
      surprise,
      requested,
    });
    trial.hold(!granted.includes(NOBODYS), "a capability was granted that there is not", { granted });
    for (const member of ["schema", "sessionDurability", "serverInfo"])
      trial.hold(
        JSON.stringify(plain[member]) === JSON.stringify(result[member]),
        `two handshakes with one host were told another ${member}`,
        { plain, result },
      );
  },
});

/** A handshake that is looked at before it is over; its result. */
async function begun(trial: Trial, params: JsonObject): Promise<JsonObject> {
  const client = await trial.reconnect(0, { handshake: false });
  const from = trial.history.told.length;
  const outcome = await trial.ask("initialize", params);
  trial.count("handshakes");
  if (!isAck(outcome)) trial.hold(false, "a valid initialize was refused", { params, outcome });
  await trial.quiet();
  const early = trial.history.told.slice(from).find(({ connection }) => connection === 0);
  trial.hold(early === undefined, "the host told something before `initialized`", { early });
  client.say('{"jsonrpc":"2.0","method":"initialized"}');
  return isAck(outcome) ? outcome.result : {};
}

function wordsOf(result: JsonObject, member: string): readonly string[] {
  const words = result[member];
  return Array.isArray(words) ? words.map(String) : [];
}

/** Ways to write one frame, all of which a host must read. */
const FORMS = [
  "plain",
  "carriageReturn",
  "blankLines",
  "spaces",
  "reordered",
  "unknownMembers",
  "escapes",
  "textId",
  "trace",
] as const;
type Form = (typeof FORMS)[number];

const WRITTEN: Readonly<Record<Form, (parts: FrameParts) => string>> = {
  plain: ({ id, method, params }) => `{"jsonrpc":"2.0","id":${id},"method":${method},"params":${params}}`,
  carriageReturn: (parts) => `${WRITTEN.plain(parts)}\r`,
  blankLines: (parts) => `\n \t\n${WRITTEN.plain(parts)}\n`,
  spaces: ({ id, method, params }) =>
    ` { "jsonrpc" : "2.0" , "id" : ${id} ,\t"method" : ${method} , "params" : ${params} } `,
  reordered: ({ id, method, params }) => `{"params":${params},"method":${method},"id":${id},"jsonrpc":"2.0"}`,
  unknownMembers: (parts) => `${WRITTEN.plain(parts).slice(0, -1)},"future":{"jsonrpc":"1.0","id":7}}`,
  escapes: (parts) => WRITTEN.plain({ ...parts, method: parts.method.replaceAll("/", "\\/") }),
  textId: (parts) => WRITTEN.plain(parts),
  trace: (parts) =>
    `${WRITTEN.plain(parts).slice(0, -1)},"trace":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`,
};

/** Texts that break lines and frames where a host writes them carelessly. */
const HARD_TEXTS = [
  "plain",
  "two\nlines\r\nand a third\r",
  '"quoted" \\ \u0000 \u001f \u007f',
  "\u2028 \u2029 \u0085 \ufeff",
  "\u{1f9ed} é e\u0301 \u{10ffff}",
  "long ".repeat(4_000),
] as const;

/** Every line of a host is a frame, and it reads every form of one. */
export const frames = law<{ readonly form: Form; readonly text: number; readonly number: number }>({
  id: "frames",
  level: "core",
  promise:
    "Every line that the host writes is one frame, whatever texts are in it, and it reads a frame in every form that JSON and the protocol allow.",
  needs: ["quick"],
  least: { frames: 100, texts: 10 },
  runs: 27,
  cases: () =>
    fc.record({
      form: fc.constantFrom(...FORMS),
      text: fc.nat({ max: HARD_TEXTS.length - 1 }),
      number: fc.nat({ max: 1_000_000 }),
    }),
  async run(trial, { form, text: which, number }) {
    const sessionId = await trial.session();
    const displayText = HARD_TEXTS[which] as string;
    const commandId = trial.mint();
    const params = { sessionId, commandId, input: textInput(trial.prompts.quick ?? ""), displayText };
    const outcome = await trial.ask("turn/start", params, {
      frame: WRITTEN[form],
      ...(form === "textId" ? { id: `${trial.mint()} ${number}` } : {}),
    });
    trial.hold(isAck(outcome), `a frame was not read in the form ${form}`, { outcome });
    const [unread] = trial.history.unasked;
    trial.hold(unread === undefined, `a line in the form ${form} was called no message`, { unread });
    if (!isAck(outcome)) return;
    const { turnId } = outcome.result;
    await trial.need(told("turn/completed", { turnId }), "a turn did not end");
    const said = trial.history.told.find(
      ({ method, params: { item } }) =>
        method === "item/completed" && (item as JsonObject)["commandId"] === commandId,
    );
    const shown = (said?.params["item"] as JsonObject | undefined)?.["displayText"];
    if (shown !== undefined) {
      trial.count("texts");
      trial.hold(shown === displayText, "a text was told in another form than it was sent", {
        sent: displayText.slice(0, 200),
        told: String(shown).slice(0, 200),
      });
    }
    trial.count("frames", trial.history.lines.filter(({ dir }) => dir === "server").length);
  },
});

/** What is asked in a burst. */
const ASKED = [
  "list",
  "turn",
  "sameTurn",
  "effort",
  "page",
  "invalid",
  "unknown",
  "read",
  "absent",
  "interrupt",
] as const;

/** Every request has one answer. */
export const answeredOnce = law<{ readonly burst: readonly (typeof ASKED)[number][] }>({
  id: "answered-once",
  level: "core",
  promise:
    "Every request is answered once, under its own id, however many are asked before the first answer.",
  needs: ["quick"],
  least: { answers: 30 },
  runs: 12,
  cases: () =>
    fc.record({ burst: fc.array(fc.constantFrom(...ASKED), { minLength: 1, maxLength: 10, size: "max" }) }),
  async run(trial, { burst }) {
    const sessionId = await trial.session();
    const input = textInput(trial.prompts.quick ?? "");
    const commandId = trial.mint();
    const asked: Readonly<Record<(typeof ASKED)[number], () => readonly [string, JsonObject]>> = {
      list: () => ["session/list", { limit: 1 }],
      turn: () => ["turn/start", { sessionId, commandId: trial.mint(), input }],
      sameTurn: () => ["turn/start", { sessionId, commandId, input }],
      effort: () => [
        "session/setReasoningEffort",
        { sessionId, commandId: trial.mint(), reasoningEffort: "low" },
      ],
      page: () => ["view/page", { sessionId, limit: 3 }],
      invalid: () => ["turn/start", { sessionId }],
      unknown: () => ["no/such", {}],
      read: () => ["session/read", { sessionId }],
      absent: () => ["view/page", { sessionId: trial.mint(), limit: 1 }],
      interrupt: () => ["turn/interrupt", { sessionId, commandId: trial.mint() }],
    };
    const sent = [];
    for (const what of burst) {
      const [method, params] = asked[what]();
      sent.push(await trial.send(method, params));
    }
    for (const request of sent) {
      await trial.answer(request);
      trial.count("answers");
    }
    // What is answered twice, or under a strange id, is seen on the wire.
    await trial.quiet();
  },
});

/** Whatever a host says is valid. */
export const validMessages = law({
  id: "valid-messages",
  level: "core",
  promise:
    "Every answer, notification and request of the host is valid by the schema, and a request to the user asks what the view has told.",
  needs: ["quick"],
  least: { steps: 25, messages: 100 },
  runs: 20,
  cases: () => conversations(4),
  async run(trial, steps) {
    const sessionId = await trial.session();
    await new Conversation(trial, sessionId).play(steps);
    await trial.quiet();
    trial.count("messages", trial.history.lines.filter(({ dir }) => dir === "server").length);
    for (const { kind, method, params, connection } of trial.history.told) {
      if (kind !== "request") continue;
      trial.count("requests");
      const told = `${method}ed`;
      const twin = trial.history.told.some(
        (other) =>
          other.kind === "notification" &&
          other.method === told &&
          other.connection === connection &&
          JSON.stringify(sorted(other.params)) === JSON.stringify(sorted(params)),
      );
      trial.hold(twin, `the host asks by ${method} what the view did not tell by ${told}`, { params });
    }
  },
});

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

/** Lines that no client should write, and that no host may die of. */
const BAD_LINES: Readonly<Record<string, string>> = {
  notJson: "{",
  text: "hello",
  number: "7",
  null: "null",
  empty: "{}",
  batch: '[{"jsonrpc":"2.0","id":"b1","method":"session/list"}]',
  noVersion: '{"id":"b2","method":"session/list"}',
  noMethod: '{"jsonrpc":"2.0","id":"b3"}',
  methodIsNumber: '{"jsonrpc":"2.0","id":"b4","method":4}',
  paramsIsArray: '{"jsonrpc":"2.0","id":"b5","method":"session/list","params":[1]}',
  paramsIsText: '{"jsonrpc":"2.0","id":"b6","method":"session/list","params":"x"}',
  idIsObject: '{"jsonrpc":"2.0","id":{},"method":"session/list"}',
  idIsTrue: '{"jsonrpc":"2.0","id":true,"method":"session/list"}',
  idIsFraction: '{"jsonrpc":"2.0","id":1.5,"method":"session/list"}',
  strangeAnswer: '{"jsonrpc":"2.0","id":987654321,"result":{}}',
  answerOfBoth: '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}',
  unknownNotification: '{"jsonrpc":"2.0","method":"no/such","params":{"a":1}}',
  initializedAgain: '{"jsonrpc":"2.0","method":"initialized"}',
  halfSurrogate: '{"jsonrpc":"2.0","id":"b7","method":"\\ud800","params":{"x":"\\udfff"}}',
  prototype: '{"jsonrpc":"2.0","id":"b8","method":"__proto__","params":{"__proto__":{"x":1}}}',
  hugeNumber: '{"jsonrpc":"2.0","id":"b9","method":"session/list","params":{"limit":1e999}}',
  deep: `{"jsonrpc":"2.0","id":"b10","method":"session/list","params":{"x":${"[".repeat(2_000)}${"]".repeat(2_000)}}}`,
  long: `{"jsonrpc":"2.0","id":"b11","method":"session/list","params":{"x":"${"x".repeat(200_000)}"}}`,
  twoNames: '{"jsonrpc":"2.0","id":"b12","method":"session/list","method":"no/such"}',
  control: '{"jsonrpc":"2.0","id":"b13","method":"session/list\u0001"}',
};
const BAD = Object.keys(BAD_LINES);

/** A host outlives what it is sent. */
export const staysAlive = law<{ readonly lines: readonly string[] }>({
  id: "stays-alive",
  level: "core",
  promise: "Whatever a client writes, the host goes on and answers what is asked next.",
  needs: [],
  least: { lines: 50, alive: 20 },
  runs: 25,
  cases: () =>
    fc.record({
      lines: fc.uniqueArray(fc.constantFrom("good", ...BAD), { minLength: 1, maxLength: 8, size: "max" }),
    }),
  async run(trial, { lines }) {
    const client = await trial.client();
    for (const line of lines) {
      trial.count("lines");
      // Where the line is read as a request its answer is expected, under whatever id it has.
      const bad = BAD_LINES[line];
      if (bad === undefined) client.send("session/list", { limit: 1 });
      else client.send(line, {}, { id: idOf(bad) ?? `none ${line}`, frame: () => bad });
    }
    // On the same connection: it has to outlive what it was used for.
    await trial.answer(client.send("session/list", { limit: 1 }));
    trial.count("alive");
    await trial.quiet();
  },
});

function idOf(line: string): unknown {
  const found = /"id":("[^"]*"|\{\}|true|[\d.]+)/.exec(line)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as unknown);
}

/** In the order in which they are tried. */
export const wireLaws = [handshake, frames, answeredOnce, validMessages, staysAlive];
