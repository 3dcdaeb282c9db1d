/** `schema/host.schema.json` says what `readHostConfig` accepts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../codegen/bundle/json.js";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { CANNOT, readHostConfig } from "../../../src/laws/driver/config.js";
import { DriverError, isDriverError } from "../../../src/laws/driver/driver.js";
import { SCRIPTED_PROMPTS } from "../../../src/laws/driver/prompts.js";
import { at } from "../../schema/mutants.js";
import { ROOT, scratchFolder } from "../../support/repo.js";

const schema = JSON.parse(readFileSync(join(ROOT, "schema/host.schema.json"), "utf8")) as JsonObject;
const compile = (form: JsonObject): ValidateFunction => new Ajv2020({ ownProperties: true }).compile(form);

/** Why a text is refused; undefined where it is not. */
function refusal(text: string, folder: string): string | undefined {
  const file = join(folder, "mspkit.host.json");
  writeFileSync(file, text);
  try {
    readHostConfig(file, didYouMean);
    return undefined;
  } catch (error) {
    if (!isDriverError(error)) throw error;
    expect(error.kind).toBe("badConfig");
    expect(error.message.startsWith(`${file}: `)).toBe(true);
    return error.message.slice(file.length + 2);
  }
}

const VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  1,
  1.5,
  600_000,
  600_001,
  -1,
  "",
  "x",
  "SIGKILL",
  "SIGTERM",
  "test-agent",
  "ws://127.0.0.1:1",
  "wss://host/",
  "ws://",
  "http://127.0.0.1:1",
  [],
  ["x"],
  ["x", ""],
  ["x", 1],
  ["crash"],
  ["crash", "echo"],
  ["durable"],
  [null],
  {},
  { A: "" },
  { A: 1 },
  { quick: "hello" },
  { quick: "" },
  { quick: 1 },
  { slow: "x" },
  { "a/b": "x" },
];
const KEYS = [...Object.keys(at(schema, "/properties") as JsonObject), "Start", "starts", "a/b", "__proto__"];

/** Configurations, each with the word of the reader. */
let mutants: { readonly text: string; readonly why: string | undefined }[] = [];
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
  try {
    mutants = [
      ...VALUES.map((value) => JSON.stringify(value)),
      ...KEYS.flatMap((key) => VALUES.map((value) => `{${JSON.stringify(key)}: ${JSON.stringify(value)}}`)),
    ].map((text) => ({ text, why: refusal(text, folder) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("mutated configurations of hosts", () => {
  test("get the same verdict from the schema and from the reader", () => {
    const validate = compile(schema);
    for (const { text, why } of mutants)
      expect([text, why === undefined], why).toEqual([text, validate(JSON.parse(text))]);
    expect(mutants.length).toBeGreaterThan(500);
    expect(mutants.filter(({ why }) => why === undefined).length).toBeGreaterThan(70);
  });

  test("show a schema that says something else", () => {
    const poisons: readonly (readonly [string, string, Json])[] = [
      ["", "additionalProperties", true],
      ["/properties/url", "pattern", "^ws"],
      ["/properties/env", "additionalProperties", true],
      ["/properties/prompts/anyOf/1", "additionalProperties", true],
      ["/properties/prompts/anyOf/0", "const", "x"],
      ["/properties/crash/anyOf/0", "const", "SIGTERM"],
      ["/properties/durable/anyOf/0", "const", true],
      ["/properties/cannot", "items", {}],
      ["/properties/timeoutMs", "maximum", 600_001],
      ["/properties/timeoutMs", "minimum", 0],
      ["/$defs/text", "minLength", 0],
      ["/$defs/words", "minItems", 0],
    ];
    for (const [place, key, value] of poisons) {
      const poisoned = structuredClone(schema);
      (at(poisoned, place) as JsonObject)[key] = value;
      const validate = compile(poisoned);
      expect(
        mutants.some(({ text, why }) => validate(JSON.parse(text)) !== (why === undefined)),
        `${place}/${key}`,
      ).toBe(true);
    }
  });

  test("name the same abilities and prompts as the reader", () => {
    expect(at(schema, "/properties/cannot/items/enum")).toEqual([...CANNOT]);
    expect(Object.keys(at(schema, "/properties/prompts/anyOf/1/properties") as JsonObject)).toEqual(
      Object.keys(SCRIPTED_PROMPTS),
    );
  });

  test("are refused at the place that is wrong, with the word that was meant", () => {
    const folder = scratchFolder();
    expect(refusal('{"strat": ["x"]}', folder)).toBe(
      '/strat: unknown member "strat" (did you mean "start"?)',
    );
    expect(refusal('{"prompts": {"quik": "x"}}', folder)).toBe(
      '/prompts/quik: unknown member "quik" (did you mean "quick"?)',
    );
    expect(refusal('{"cannot": ["twoHost"]}', folder)).toBe(
      `/cannot/0: "twoHost" is not one of ${CANNOT.join(", ")} (did you mean "twoHosts"?)`,
    );
    expect(refusal('{"start": ["a", 2]}', folder)).toBe("/start/1: must be a text that is not empty");
    expect(refusal('{"env": {"A/B": 2}}', folder)).toBe("/env/A~1B: must be a text");
    expect(refusal("[]", folder)).toBe("must be an object");
    expect(refusal("{", folder)).toMatch(/^is no JSON: /);
    expect(() => readHostConfig(join(folder, "none.json"))).toThrow(DriverError);
  });

  test("have paths from the folder of the file", () => {
    const folder = scratchFolder();
    const file = join(folder, "mspkit.host.json");
    writeFileSync(file, '{"start": ["x"], "cwd": "below", "knownFailures": "known.json"}');
    const read = readHostConfig(file);
    expect([read.cwd, read.knownFailures]).toEqual([join(folder, "below"), join(folder, "known.json")]);
    writeFileSync(file, "{}");
    expect(readHostConfig(file)).toEqual({ cwd: folder, file, folder });
  });
});
