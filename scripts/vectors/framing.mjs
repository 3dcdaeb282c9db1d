// Bytes that arrive at a host, and what must come of each: the rows of schema/msp/vectors/framing.ndjson, and of the
// table in docs/wire.md. The host has one open request of its own, with the id 1. After each row that ends with a line
// end the connection goes on.
//
// A row: { name, why, bytes (base64), limitBytes?, ends?, outcomes }. An outcome is one of
//   { type: "request", id, method, params? }     handed to the dispatcher
//   { type: "notification", method, params? }    handed to the dispatcher
//   { type: "settled", id, result }              the host's request with this id has its result
//   { type: "settled", id, code }                ... has an error
//   { type: "unknown", id }                      ... is over, and its outcome unknown
//   { type: "refused", id, code, limitBytes? }   an error frame is sent
//   { type: "dropped", reason }                  nothing is sent; the reason is for the log

const text = (string) => Buffer.from(string, "utf8");
const bytes = (...parts) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? text(part) : Buffer.from(part))));

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
const pinged = { type: "request", id: 7, method: "ping" };
const refused = (code, id = null) => ({ type: "refused", id, code });
const dropped = (reason) => ({ type: "dropped", reason });
const nested = (levels) =>
  `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
const arrays = (levels) => {
  let value = [];
  for (let i = 1; i < levels; i++) value = [value];
  return value;
};
/** A request of so many bytes. */
const padded = (length) => {
  const frame = (pad) => `{"jsonrpc":"2.0","id":7,"method":"ping","pad":"${pad}"}`;
  return frame("x".repeat(length - frame("").length));
};

export const ROWS = [
  ["a frame", "one line end ends it", `${PING}\n`, [pinged]],
  ["CR LF", "one CR before the line end is dropped", `${PING}\r\n`, [pinged]],
  ["two CR", "the CR that is left is white space of JSON", `${PING}\r\r\n`, [pinged]],
  ["blank lines", "lines of white space are no frames", `\n\r\n \t \n${PING}\n\n`, [pinged]],
  [
    "two frames in one piece",
    "each is taken, in order",
    `${PING}\n{"jsonrpc":"2.0","method":"seen"}\n`,
    [pinged, { type: "notification", method: "seen" }],
  ],
  ["white space around", "JSON allows it", ` \t${PING} \n`, [pinged]],
  [
    "escaped line end",
    "a line end in a string is escaped, and part of it",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"x\\ny"}}\n',
    [{ ...pinged, params: { a: "x\ny" } }],
  ],
  [
    "line separator U+2028",
    "only LF ends a frame",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"x\u2028y\u0085z"}}\n',
    [{ ...pinged, params: { a: "x\u2028y\u0085z" } }],
  ],
  [
    "a character of four bytes",
    "framed before it is decoded",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\u{1f600}"}}\n',
    [{ ...pinged, params: { a: "\u{1f600}" } }],
  ],
  [
    "a NUL byte",
    "JSON has no control characters in strings",
    bytes('{"jsonrpc":"2.0","id":7,"method":"pi', [0], 'ng"}\n'),
    [refused(-32700)],
  ],
  [
    "invalid UTF-8",
    "a byte that no character has",
    bytes('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"', [0xff], '"}}\n'),
    [refused(-32700)],
  ],
  [
    "cut UTF-8",
    "a character without its last byte",
    bytes('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"', [0xe2, 0x82], '"}}\n'),
    [refused(-32700)],
  ],
  [
    "overlong UTF-8",
    "a slash in two bytes",
    bytes('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"', [0xc0, 0xaf], '"}}\n'),
    [refused(-32700)],
  ],
  [
    "a surrogate in UTF-8",
    "UTF-8 has no surrogates",
    bytes('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"', [0xed, 0xa0, 0x80], '"}}\n'),
    [refused(-32700)],
  ],
  [
    "a byte order mark",
    "JSON text starts without one",
    bytes([0xef, 0xbb, 0xbf], `${PING}\n`),
    [refused(-32700)],
  ],
  [
    "UTF-16",
    "frames are UTF-8",
    bytes([0xff, 0xfe], Buffer.from(PING, "utf16le"), [0x0a]),
    [refused(-32700)],
  ],
  ["no JSON", "the frame alone is lost", `hello\n${PING}\n`, [refused(-32700), pinged]],
  [
    "a cut frame",
    "a line end in the middle makes two lines that are no JSON",
    '{"jsonrpc":"2.0","id":7,\n"method":"ping"}\n',
    [refused(-32700), refused(-32700)],
  ],
  ["two values on a line", "one frame, one object", `${PING}${PING}\n`, [refused(-32700)]],
  ["a comment", "not JSON", `${PING}//\n`, [refused(-32700)]],
  ["NaN", "not JSON", '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":NaN}}\n', [refused(-32700)]],
  [
    "nesting of 1,000",
    "the deepest that is read; the frame itself counts",
    `${nested(998)}\n`,
    [{ ...pinged, params: { a: arrays(998) } }],
  ],
  ["nesting of 1,001", "deeper is refused before it is parsed", `${nested(999)}\n`, [refused(-32700)]],
  [
    "brackets in a string",
    "they nest nothing",
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"${'[{\\"'.repeat(600)}"}}\n`,
    [{ ...pinged, params: { a: '[{"'.repeat(600) } }],
  ],
  ["a batch", "the protocol has none", `[${PING}]\n`, [refused(-32600)]],
  ["an empty batch", "the protocol has none", "[]\n", [refused(-32600)]],
  ["a string", "a frame is an object", '"ping"\n', [refused(-32600)]],
  ["null", "a frame is an object", "null\n", [refused(-32600)]],
  ["an empty object", "neither a request nor an answer", "{}\n", [refused(-32600)]],
  ["no version", "every frame says jsonrpc 2.0", '{"id":7,"method":"ping"}\n', [refused(-32600, 7)]],
  [
    "another version",
    "every frame says jsonrpc 2.0",
    '{"jsonrpc":"1.0","id":7,"method":"ping"}\n',
    [refused(-32600, 7)],
  ],
  [
    "a method that is no string",
    "its id can be read, so it is answered under it",
    '{"jsonrpc":"2.0","id":"a","method":7}\n',
    [refused(-32600, "a")],
  ],
  [
    "an id of 1.5",
    "an id is a string or an integer",
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n',
    [refused(-32600)],
  ],
  [
    "an id of true",
    "an id is a string or an integer",
    '{"jsonrpc":"2.0","id":true,"method":"ping"}\n',
    [refused(-32600)],
  ],
  [
    "an id of null",
    "not a notification, which has no id",
    '{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
    [refused(-32600)],
  ],
  [
    "an id that is text",
    "answered as it came",
    '{"jsonrpc":"2.0","id":"7","method":"ping"}\n',
    [{ ...pinged, id: "7" }],
  ],
  ["an id of 1.0", "the integer 1", '{"jsonrpc":"2.0","id":1.0,"method":"ping"}\n', [{ ...pinged, id: 1 }]],
  [
    "an id beyond 2^53",
    "the nearest double",
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n',
    [{ ...pinged, id: 9007199254740992 }],
  ],
  [
    "an id that no double holds",
    "infinity is no integer",
    '{"jsonrpc":"2.0","id":1e999,"method":"ping"}\n',
    [refused(-32600)],
  ],
  [
    "a number beyond 2^53",
    "the nearest double",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"n":9007199254740993}}\n',
    [{ ...pinged, params: { n: 9007199254740992 } }],
  ],
  [
    "duplicate members",
    "the last one counts",
    '{"jsonrpc":"2.0","id":6,"id":7,"method":"pong","method":"ping","params":{"a":1,"a":2}}\n',
    [{ ...pinged, params: { a: 2 } }],
  ],
  [
    "a member named __proto__",
    "a member as any other",
    '{"jsonrpc":"2.0","id":7,"method":"ping","__proto__":{"method":"pong"},"params":{"a":1}}\n',
    [{ ...pinged, params: { a: 1 } }],
  ],
  [
    "a lone surrogate, escaped",
    "kept, and escaped again when it is sent",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\\ud800"}}\n',
    [{ ...pinged, params: { a: "\ud800" } }],
  ],
  ["unknown members", "ignored", '{"jsonrpc":"2.0","id":7,"method":"ping","tomorrow":{"id":8}}\n', [pinged]],
  [
    "params of null",
    "handed on: the method's own schema refuses them",
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}\n',
    [{ ...pinged, params: null }],
  ],
  [
    "a notification",
    "no id, no answer",
    '{"jsonrpc":"2.0","method":"seen","params":{"a":1}}\n',
    [{ type: "notification", method: "seen", params: { a: 1 } }],
  ],
  [
    "a result",
    "goes to the request with its id",
    '{"jsonrpc":"2.0","id":1,"result":{"a":1}}\n',
    [{ type: "settled", id: 1, result: { a: 1 } }],
  ],
  [
    "an error",
    "goes to the request with its id",
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"m","data":{"kind":"overloaded"}}}\n',
    [{ type: "settled", id: 1, code: -32001 }],
  ],
  [
    "a result twice",
    "the second answers nothing",
    '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"result":{"a":1}}\n',
    [{ type: "settled", id: 1, result: {} }, dropped("unknownId")],
  ],
  [
    "a result for an unknown id",
    "dropped: it belongs to nobody",
    '{"jsonrpc":"2.0","id":99,"result":{}}\n',
    [dropped("unknownId")],
  ],
  [
    'a result for "1"',
    "the id 1 is another",
    '{"jsonrpc":"2.0","id":"1","result":{}}\n',
    [dropped("unknownId")],
  ],
  [
    "an error without an id",
    "the other side could not read a frame; which one is not known",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}\n',
    [dropped("malformedAnswer")],
  ],
  [
    "both result and error",
    "no answer; whoever waited learns that nothing is known",
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-32603,"message":"m"}}\n',
    [{ type: "unknown", id: 1 }, dropped("malformedAnswer")],
  ],
  [
    "neither result nor error",
    "no answer and no request: refused as a request",
    '{"jsonrpc":"2.0","id":1}\n',
    [refused(-32600, 1)],
  ],
  [
    "a result that is no object",
    "no answer",
    '{"jsonrpc":"2.0","id":1,"result":[]}\n',
    [{ type: "unknown", id: 1 }, dropped("malformedAnswer")],
  ],
  [
    "an error without a kind",
    "no answer",
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":{}}}\n',
    [{ type: "unknown", id: 1 }, dropped("malformedAnswer")],
  ],
  [
    "an error with a code that is no integer",
    "no answer",
    '{"jsonrpc":"2.0","id":1,"error":{"code":"E","message":"m"}}\n',
    [{ type: "unknown", id: 1 }, dropped("malformedAnswer")],
  ],
  [
    "an answer with another version",
    "no answer",
    '{"jsonrpc":"1.0","id":1,"result":{}}\n',
    [{ type: "unknown", id: 1 }, dropped("malformedAnswer")],
  ],
  [
    "an answer that has a method",
    "a request",
    '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}\n',
    [pinged],
  ],
  [
    "a frame of the limit",
    "not over it; neither CR nor line end counts",
    `${padded(200)}\r\n`,
    [pinged],
    { limitBytes: 200 },
  ],
  [
    "over the limit, id in front",
    "answered under its id; the rest of the line is skipped",
    `${padded(201)}\n${PING}\n`,
    [{ ...refused(-32002, 7), limitBytes: 200 }, pinged],
    { limitBytes: 200 },
  ],
  [
    "over the limit, no id",
    "answered without one",
    `{"jsonrpc":"2.0","method":"ping","pad":"${"x".repeat(200)}"}\n`,
    [refused(-32700)],
    { limitBytes: 200 },
  ],
  [
    "over the limit, no JSON",
    "answered without an id",
    `${"x".repeat(201)}\n`,
    [refused(-32700)],
    { limitBytes: 200 },
  ],
  [
    "an answer over the limit",
    "whoever waited learns that nothing is known",
    `{"jsonrpc":"2.0","id":1,"result":{"pad":"${"x".repeat(200)}"}}\n`,
    [{ type: "unknown", id: 1 }, dropped("tooLong")],
    { limitBytes: 200 },
  ],
  [
    "an end within a line",
    "what came of it is not carried out; what waits is over, outcome unknown",
    PING,
    [dropped("truncated"), { type: "unknown", id: 1 }],
    { ends: true },
  ],
  [
    "an end",
    "what waits is over, outcome unknown",
    `${PING}\n`,
    [pinged, { type: "unknown", id: 1 }],
    { ends: true },
  ],
];

/** The rows as lines of NDJSON. */
export function framingText() {
  return ROWS.map(([name, why, raw, outcomes, more = {}]) => {
    const row = { name, why, bytes: Buffer.from(raw).toString("base64"), ...more, outcomes };
    return `${JSON.stringify(row)}\n`;
  }).join("");
}
