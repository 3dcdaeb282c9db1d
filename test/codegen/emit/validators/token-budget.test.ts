/** `tokenBudget` of `turn/steer`: a bounded member of the experimental surface, unknown to the stable one. */
import { describe, expect, it } from "vitest";
import { planOfFile, type Validate, validatorsOf } from "../../../support/compile.js";
import { MSP_SCHEMA } from "../../../support/repo.js";

const experimental = await validatorsOf(planOfFile(MSP_SCHEMA));
const stable = await validatorsOf(planOfFile(MSP_SCHEMA, "stable"));
const params = (more: object): object => ({
  commandId: "c",
  expectedTurnId: "t",
  input: [],
  sessionId: "s",
  ...more,
});

const both = (validators: typeof stable): Validate[] => [
  validators.methods["turn/steer"]?.params as Validate,
  validators.definitions["TurnSteerParams"] as Validate,
];

describe("the experimental validator", () => {
  it.each([1, 2, 1_000_000])("accepts %j", (tokenBudget) => {
    for (const validate of both(experimental)) expect(validate(params({ tokenBudget }))).toBeNull();
  });

  it.each([
    [0, "minimum"],
    [-1, "minimum"],
    [1.5, "type"],
    ["1", "type"],
    [null, "type"],
  ])("refuses %j at the member, by %s", (tokenBudget, keyword) => {
    for (const validate of both(experimental)) {
      for (const all of [false, true]) {
        const found = validate(params({ tokenBudget }), { all });
        expect(found?.map((v) => [v.instanceLocation, v.keyword])).toEqual([["/tokenBudget", keyword]]);
      }
    }
  });

  it("does not ask for it", () => {
    for (const validate of both(experimental)) expect(validate(params({}))).toBeNull();
  });
});

describe("the stable validator", () => {
  it.each([1, 0, 1.5, "1", null, {}])("takes it for an unknown member: %j", (tokenBudget) => {
    for (const validate of both(stable)) expect(validate(params({ tokenBudget }), { all: true })).toBeNull();
  });

  it("still refuses what it knows", () => {
    for (const validate of both(stable))
      expect(validate(params({ tokenBudget: 1, sessionId: 1 }))?.map((v) => v.instanceLocation)).toEqual([
        "/sessionId",
      ]);
  });
});
