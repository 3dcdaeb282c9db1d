/** Texts that break some rule of JSON, of the envelope or of taste, made from the text of an ordinary request. */
import type { Random } from "../random.js";

/** One way to spoil a request. */
interface Way {
  readonly why: string;
  /** How often it is chosen, beside others. */
  readonly weight: number;
  /** The spoilt text, or undefined where the request has nothing to spoil. */
  readonly spoil: (text: string, random: Random) => string | undefined;
}

/** Names that every object of JavaScript and Python has already. */
const INHERITED = ["__proto__", "constructor", "toString", "hasOwnProperty", "__class__", "valueOf"];
const NO_VALUES = [
  "NaN",
  "Infinity",
  "-Infinity",
  "undefined",
  "01",
  "+1",
  ".5",
  "1.",
  "0x10",
  "'x'",
  "True",
  "nil",
];
const NUMBERS = [
  "1e400",
  "-1e400",
  "-0",
  "9007199254740993",
  "123456789012345678901234567890",
  "1e-400",
  "1.0",
  "1E2",
  "0.1e1",
];
const IDS = [
  "0",
  "null",
  "true",
  "[]",
  "{}",
  "1.5",
  "-1",
  "-0",
  "1e3",
  "2.0",
  "9007199254740993",
  "1e400",
  '""',
  '"\\ud800"',
  '"{{id}}"',
  '"__proto__"',
  '"{{long:500}}"',
];
const VERSIONS = ['"1.0"', '"2"', "2.0", "null", '"2.0 "', "[]"];
const BATCHES = ["[]", "[1]", "[[]]", "[{}]", "[null]"];
const NOTHINGS = [
  "null",
  "true",
  "0",
  '"text"',
  "{}",
  '{"jsonrpc":"2.0"}',
  "",
  " ",
  "\t",
  "\r",
  "{{deep:3}}",
];
const ANSWERS = [
  '{"jsonrpc":"2.0","id":{{id}},"result":{}}',
  '{"jsonrpc":"2.0","id":"nobody","result":null}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":{"kind":"parseError"}}}',
  '{"jsonrpc":"2.0","id":{{id}},"error":7}',
  '{"jsonrpc":"2.0","id":{{id}},"result":{},"error":{"code":1,"message":"x"}}',
  '{"id":{{id}},"result":{}}',
];
const NOTICES = [
  '{"jsonrpc":"2.0","method":"initialized"}',
  '{"jsonrpc":"2.0","method":"nobody/listens","params":{}}',
  '{"jsonrpc":"2.0","method":"userInput/engaged","params":{"sessionId":"{{seen:sessionId:0}}","userInputId":"{{seen:userInputId:0}}"}}',
  '{"jsonrpc":"2.0","method":"userInput/engaged","params":[]}',
  '{"jsonrpc":"2.0","method":"userInput/engaged"}',
  '{"jsonrpc":"2.0","method":"__proto__","params":null}',
];
const METHODS = [
  '"{{long:300}}"',
  '"__proto__"',
  '"constructor"',
  '""',
  "null",
  "7",
  '"turn/start "',
  '"Turn/Start"',
];
const PARAMS = ["null", "[]", "7", '"x"', "[[1]]", "false"];

/** Bytes that are no UTF-8, in hexadecimal. */
const NO_UTF8 = ["ff", "c0af", "eda080", "f5808080", "e282", "80", "fe"];

const WAYS: readonly Way[] = [
  way("cut off", 3, (text, random) => text.slice(0, random.int(1, text.length - 1))),
  way("a member twice", 2, (text) => twice(text)),
  way("an id twice", 1, (text) => text.replace(/"id":/, '"id":"other {{id}}","id":')),
  way("nested deep", 1, (text, random) => extra(text, `{{deep:${random.pick([50, 400, 990])}}}`)),
  way("nested too deep", 1, (text, random) => extra(text, `{{deep:${random.pick([1_000, 1_001, 5_000])}}}`)),
  way("half a character", 3, (text, random) =>
    inText(text, random, random.pick(["\\ud800", "\\udc00", "\\udc00\\ud800", "\\ud83dx"])),
  ),
  way("a strange character", 2, (text, random) =>
    inText(
      text,
      random,
      random.pick(["\\u0000", "\\u2028", "\u2028", "\u00ad", "\ufeff", "\\/", "\\uFFFF", "𝒳"]),
    ),
  ),
  way("a bare control character", 2, (text, random) =>
    inText(text, random, random.pick(["\u0000", "\u0001", "\t", "\u001f", "\r"])),
  ),
  way("no escape", 1, (text, random) =>
    inText(text, random, random.pick(["\\x", "\\u12", "\\", "\\u{1F600}"])),
  ),
  way("a strange number", 2, (text, random) => extra(text, random.pick(NUMBERS))),
  way("no number", 2, (text, random) => extra(text, random.pick(NO_VALUES))),
  way("a strange id", 3, (text, random) => text.replace("{{id}}", () => random.pick(IDS))),
  way("another version", 2, (text, random) =>
    text.replace('"jsonrpc":"2.0"', () => `"jsonrpc":${random.pick(VERSIONS)}`),
  ),
  way("no version", 1, (text) => text.replace('"jsonrpc":"2.0",', "")),
  way("a strange method", 2, (text, random) =>
    text.replace(/"method":"[^"]*"/, () => `"method":${random.pick(METHODS)}`),
  ),
  way("no method", 1, (text) => text.replace(/"method":"[^"]*",?/, "").replace(/,\}$/, "}")),
  way("strange params", 2, (text, random) =>
    text.replace(/"params":.*\}$/, () => `"params":${random.pick(PARAMS)}}`),
  ),
  way("a member that all objects have", 2, (text, random) => extra(text, "{}", random.pick(INHERITED))),
  way("a byte order mark", 1, (text) => `\ufeff${text}`),
  way(
    "white space",
    1,
    (text, random) =>
      `${random.pick([" ", "\t", "\r "])}${text.replaceAll(",", () => random.pick([",", ", ", ",\r", "\t,"]))}\r`,
  ),
  way(
    "something behind it",
    1,
    (text, random) => `${text}${random.pick(["}", "x", ",", text, "\u0000", "]"])}`,
  ),
  way("a comment", 1, (text) => text.replace("{", "{/* x */")),
  way("a comma too many", 1, (text) => text.replace(/\}$/, ",}")),
  way("a batch", 2, (text, random) => (random.chance(0.5) ? `[${text}]` : random.pick(BATCHES))),
  way("no request", 2, (_, random) => random.pick(NOTHINGS)),
  way("an answer to nothing", 2, (_, random) => random.pick(ANSWERS)),
  way("a notification", 2, (text, random) =>
    random.chance(0.4) ? text.replace(/"id":\{\{id\}\},/, "") : random.pick(NOTICES),
  ),
  way("a long text", 0.3, (text, random) => extra(text, `"{{long:${random.pick([70_000, 300_000])}}}"`)),
  way("no UTF-8", 1, (text, random) => inText(text, random, `{{bytes:${random.pick(NO_UTF8)}}}`)),
];

/** Beyond the limit of every frame: it is sent now and then only, since it is ten million bytes. */
export const TOO_LONG = 10_500_000;

const TOTAL = WAYS.reduce((sum, { weight }) => sum + weight, 0);

/** The text of a request, spoilt in some way. It never has a line end in it. */
export function spoilt(text: string, random: Random): { readonly text: string; readonly why: string } {
  for (;;) {
    let at = random.next() * TOTAL;
    const chosen = WAYS.find(({ weight }) => (at -= weight) < 0) ?? WAYS[0]!;
    const out = chosen.spoil(text, random);
    if (out !== undefined && out !== text) return { text: out, why: chosen.why };
  }
}

function way(why: string, weight: number, spoil: Way["spoil"]): Way {
  return { why, weight, spoil };
}

/** Adds a member to the params. */
function extra(text: string, value: string, name = "extra"): string | undefined {
  const at = text.indexOf('"params":{');
  if (at === -1) return undefined;
  const inside = at + '"params":{'.length;
  const comma = text[inside] === "}" ? "" : ",";
  return `${text.slice(0, inside)}"${name}":${value}${comma}${text.slice(inside)}`;
}

/** Writes the first member of the params once more, with the same value or another. */
function twice(text: string): string | undefined {
  const found = /"params":\{("[^"]+"):("[^"]*"|\d+|true|false)/.exec(text);
  if (found === null) return undefined;
  const [whole, name, value] = found;
  return text.replace(whole, () => `"params":{${name}:${value},${name}:${value}`);
}

/** Puts something into one of the texts of the params. */
function inText(text: string, random: Random, what: string): string | undefined {
  const from = text.indexOf('"params":');
  if (from === -1) return undefined;
  const places: number[] = [];
  for (const { index, 0: whole } of text.slice(from).matchAll(/:"(?:[^"\\]|\\.)*"/g))
    places.push(from + index + whole.length - 1);
  if (places.length === 0) return undefined;
  const at = random.pick(places);
  return `${text.slice(0, at)}${what}${text.slice(at)}`;
}
