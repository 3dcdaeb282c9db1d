// Writes schema/msp/vectors: data for whoever writes a validator or a framer in another language.
//   node scripts/vectors.mjs [--check]
// framing.ndjson: bytes and what comes of them; scripts/vectors/framing.mjs has the rows.
// test-agent.ndjson: prompts and what the test agent does; scripts/vectors/test-agent.mjs has the rows.
// validation.ndjson: values and verdicts. One row a line: { def, surface, value, valid, instanceLocation?, keyword? }. The rows are drawn from the generated
// arbitraries with a fixed seed, the smallest of several draws for each reason, and decided by the generated
// validators; the last rows are picked by hand for what has gone wrong elsewhere.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { framingText } from "./vectors/framing.mjs";
import { testAgentText } from "./vectors/test-agent.mjs";

const FOLDER = "schema/msp/vectors";
const SEED = 20_251_104;
const DRAWS = 60;

/** The definitions that are worth rows of their own: every union, and what clients and hosts exchange most. */
const DEFINITIONS = [
  "ApprovalDecideParams",
  "ApprovalRequestParams",
  "ErrorData",
  "Goal",
  "GoalSetParams",
  "InitializeParams",
  "InitializeResult",
  "ItemCompletedParams",
  "ItemDeltaParams",
  "ModelReasoningEffortVariants",
  "RequestId",
  "SessionMcpServerConfig",
  "SessionStartParams",
  "ToolReceipt",
  "TurnCompletedParams",
  "TurnInputPart",
  "TurnStartParams",
  "TurnStartResult",
  "TurnSteerParams",
  "UserInputAnswerParams",
  "ViewPageParams",
  "ViewPageResult",
];

/** Values that others got wrong. `"__proto__"` has to come from a text. */
const TRAPS = [
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":1}'],
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":0}'],
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":1.5}'],
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":1.0}'],
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":"1"}'],
  ["TurnSteerParams", '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","tokenBudget":null}'],
  ["TurnSteerParams", '{"__proto__":{"commandId":"c"},"expectedTurnId":"t","input":[],"sessionId":"s"}'],
  [
    "TurnSteerParams",
    '{"commandId":"c","expectedTurnId":"t","input":[],"sessionId":"s","toString":1,"constructor":null}',
  ],
  ["TurnInputPart", '{"type":"image","width":1}'],
  ["TurnInputPart", '{"type":"image","width":1,"height":1}'],
  ["ViewPageParams", '{"sessionId":"s","limit":9007199254740993}'],
  ["ViewPageParams", '{"sessionId":"s","limit":1e3}'],
  ["ViewPageParams", '{"sessionId":"s","limit":-0}'],
  ["RequestId", "1"],
  ["RequestId", '"1"'],
  ["RequestId", "1.5"],
  ["RequestId", "true"],
  ["RequestId", "null"],
  ["ItemKind", '"aKindOfTomorrow"'],
  ["ItemKind", '"skillRead"'],
  ["ItemKind", "7"],
  ["ToolReceipt", '{"family":"cron","operation":"a","outcome":"b"}'],
  ["ToolReceipt", '{"family":"cron","operation":"a","outcome":"b","details":7}'],
  ["ToolReceipt", '{"family":"tomorrow","operation":"a","outcome":"b","details":{"any":[1]}}'],
  ["ToolReceipt", '{"operation":"a","outcome":"b"}'],
  ["SessionMcpServerConfig", '{"transport":"carrierPigeon"}'],
  ["ClientInfo", '{"name":"my_app","version":"1"}'],
  ["ClientInfo", '{"name":"my-app","version":"1"}'],
  ["ClientInfo", '{"name":"","version":"1"}'],
  ["Goal", "[]"],
  ["Goal", "null"],
];

const rows = [];
for (const surface of ["stable", "experimental"]) {
  const load = (product) =>
    import(new URL(`../dist/generated/msp/${surface}/${product}.js`, import.meta.url).href);
  const [{ definitions: samples }, { definitions: validators }] = await Promise.all([
    load("arbitraries"),
    load("validators"),
  ]);
  const add = (def, text) => {
    const value = JSON.parse(text);
    const violations = validators[def](value, { all: true });
    const why =
      violations === null
        ? {}
        : { instanceLocation: violations[0].instanceLocation, keyword: violations[0].keyword };
    // The text is kept as it is: 1.0, -0 and a member named __proto__ would not survive being written again.
    rows.push(
      `{"def":${JSON.stringify(def)},"surface":"${surface}","value":${text},"valid":${violations === null}${Object.entries(
        why,
      )
        .map(([k, v]) => `,${JSON.stringify(k)}:${JSON.stringify(v)}`)
        .join("")}}`,
    );
  };
  for (const def of DEFINITIONS) {
    const { valid, invalid } = samples[def];
    const texts = [
      ...new Set(fc.sample(valid, { numRuns: DRAWS, seed: SEED }).map((value) => JSON.stringify(value))),
    ];
    texts.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    for (const text of [texts[0], texts[Math.floor(texts.length / 2)]]) add(def, text);
    const smallest = new Map();
    for (const { value, instanceLocation, keyword } of fc.sample(invalid, {
      numRuns: DRAWS * 10,
      seed: SEED,
    })) {
      const text = JSON.stringify(value);
      // One row for each keyword at each depth: the places are many and alike.
      const reason = `${keyword} ${instanceLocation.split("/").length}`;
      if (text.length < 1_500 && (!smallest.has(reason) || smallest.get(reason).length > text.length))
        smallest.set(reason, text);
    }
    for (const [, text] of [...smallest].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, 12)) add(def, text);
  }
  for (const [def, text] of TRAPS) if (Object.hasOwn(validators, def)) add(def, text);
}

let stale = 0;
for (const [file, text] of Object.entries({
  "framing.ndjson": framingText(),
  "test-agent.ndjson": testAgentText(),
  "validation.ndjson": `${rows.join("\n")}\n`,
})) {
  const path = fileURLToPath(new URL(`../${FOLDER}/${file}`, import.meta.url));
  if (process.argv[2] !== "--check") {
    writeFileSync(path, text);
    console.log(
      `${FOLDER}/${file}: ${text.split("\n").length - 1} rows, ${Math.round(text.length / 1024)} KiB`,
    );
  } else if (!existsSync(path) || text !== readFileSync(path, "utf8")) {
    console.error(`${FOLDER}/${file}: differs from what node scripts/vectors.mjs writes`);
    stale++;
  }
}
process.exitCode = stale === 0 ? 0 : 1;
