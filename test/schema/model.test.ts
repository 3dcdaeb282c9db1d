/** `schema/model.schema.json` describes `model.json`, member by member. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../codegen/bundle/json.js";
import { child } from "../../codegen/bundle/pointer.js";
import { SURFACES } from "../../codegen/index.js";
import { planOf, planOfFile, textOf } from "../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, ROOT, WORKSPACE_SCHEMA } from "../support/repo.js";
import { SEED } from "./mutants.js";

const schema = JSON.parse(readFileSync(join(ROOT, "schema/model.schema.json"), "utf8")) as JsonObject;
const validate = new Ajv2020({ strictTypes: false, strictRequired: false, ownProperties: true }).compile(
  schema,
);

async function modelOf(file: string, surface: (typeof SURFACES)[number]): Promise<JsonObject> {
  return JSON.parse(await textOf(planOfFile(file, surface), "model")) as JsonObject;
}

describe.each(SURFACES)("the %s surface", (surface) => {
  test.each([MSP_SCHEMA, DEPOT_SCHEMA, WORKSPACE_SCHEMA])("of %s has a valid model", async (file) => {
    expect(validate(await modelOf(file, surface)), JSON.stringify(validate.errors)).toBe(true);
  });
});

test("a bundle with overlapping arms, whose dispatch cannot be told, has a valid model", async () => {
  const text = JSON.stringify({
    ...SEED,
    $defs: { Box: { anyOf: [{ type: "string" }, {}] }, ...(SEED["$defs"] as object) },
  });
  const plan = planOf(text, "experimental", { severities: { "overlapping-union": "off" } });
  expect(validate(JSON.parse(await textOf(plan, "model"))), JSON.stringify(validate.errors)).toBe(true);
});

test("an unknown member is refused in every object whose members are fixed", async () => {
  const model = await modelOf(DEPOT_SCHEMA, "experimental");
  let refused = 0;
  const accepted: string[] = [];
  const visit = (value: Json, pointer: string): void => {
    if (DATA.test(pointer)) return;
    if (isJsonObject(value) && !OPEN.test(pointer)) {
      value["stowaway"] = 1;
      if (validate(model)) accepted.push(pointer);
      else refused++;
      delete value["stowaway"];
    }
    if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner as Json, child(pointer, key));
    }
  };
  visit(model, "");
  expect(accepted).toEqual([]);
  expect(refused).toBeGreaterThan(150);
});

test("each member that is not optional is missed, and each with another type is refused", async () => {
  const model = await modelOf(DEPOT_SCHEMA, "experimental");
  const missed = new Set<string>();
  let mutants = 0;
  const visit = (value: Json, pointer: string): void => {
    if (!isJsonObject(value)) {
      if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(item, child(pointer, i));
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      const place = child(pointer, key);
      if (DATA.test(place)) continue;
      value[key] = [[0]];
      mutants++;
      if (validate(model)) throw new Error(`${place} may be anything`);
      delete value[key];
      if (!validate(model)) missed.add(key);
      value[key] = inner;
      visit(inner, place);
    }
  };
  visit(model, "");
  expect(mutants).toBeGreaterThan(500);
  for (const key of [
    "format",
    "protocol",
    "definitions",
    "pointer",
    "kind",
    "result",
    "record",
    "members",
    "open",
  ])
    expect(missed.has(key) || key === "members", key).toBe(true);
  expect(missed.has("description")).toBe(false);
});

/** Objects whose members the protocol names. */
const OPEN =
  /^\/(methods|notifications|requests|errors|capabilities|rejections|definitions|descriptions\/\w+)$/;
/** Places that hold any value. */
const DATA = /\/(const|default)$|\/examples(\/|$)|\/values\/\d+\/value$/;
