/** The law of payload identity holds over every command, and notices where it does not. */
import { describe, expect, it } from "vitest";
import { methods, payloads } from "../../generated/msp/experimental/tables.js";
import { type CommandName, payloadOf, signature } from "../../src/host/payloads.js";
import { canonicalJson } from "../../src/ledger/canonical.js";
import {
  decodePayload,
  type PayloadShape,
  type PayloadShapes,
  signatureOf,
} from "../../src/ledger/signature.js";
import { COMMANDS, type Identity, membersOfCommand, payloadLaw } from "./payload-law.js";

function signed(method: CommandName, params: object): string {
  return signature(method, payloadOf(method, params).payload);
}

/** `payloads`, with a change at every shape. */
function changedShapes(change: (shape: PayloadShape) => PayloadShape): PayloadShapes {
  const visit = (shape: PayloadShape): PayloadShape => {
    const made = change(shape);
    return {
      ...made,
      ...(made.members === undefined
        ? {}
        : { members: Object.fromEntries(Object.entries(made.members).map(([k, v]) => [k, visit(v)])) }),
      ...(made.items === undefined ? {} : { items: visit(made.items) }),
      ...(made.values === undefined ? {} : { values: visit(made.values) }),
    };
  };
  return Object.fromEntries(Object.entries(payloads).map(([name, shape]) => [name, visit(shape)]));
}

/** The payload by a table alone. */
function byTable(shapes: PayloadShapes): Identity {
  return (method, params) =>
    signatureOf(
      method,
      decodePayload(shapes, methods[method].params, params, {
        leaveOut: ["commandId", ...(method === "session/start" ? [] : ["sessionId"])],
      }),
    );
}

describe("the payload of every command", () => {
  it("is blind to what does not count, and sharp on all that does", () => {
    const { problems, counts, changed } = payloadLaw(signed, 1_500);
    expect(problems.slice(0, 10)).toEqual([]);
    expect(COMMANDS.length).toBeGreaterThanOrEqual(53);
    const members = COMMANDS.flatMap((method) => [...membersOfCommand(method)]);
    expect(members.length).toBeGreaterThan(150);
    expect(members.filter((member) => !changed.has(member))).toEqual([]);
    for (const [what, least] of Object.entries({
      "order of members": 1_300,
      "white space": 1_300,
      "a copy": 1_300,
      "another key": 2_500,
      "an unknown member": 5_000,
      "an unknown member's value": 50,
      "an entry of a map": 50,
      "null and absent": 50,
      "a default and absent": 150,
      "an undefined member": 1_000,
      "an absent member": 400,
      "another scalar": 2_000,
      "a scalar for an object": 100,
      "one item more": 100,
      "order of items": 50,
      "forms of a letter": 1_500,
      "a number and its text": 1_500,
      "0 and -0": 100,
    }))
      expect([what, counts[what] ?? 0]).toEqual([what, expect.toSatisfy((n: number) => n >= least)]);
  });

  it.each<[string, Identity, string]>([
    ["unknown members count", (method, params) => signatureOf(method, params as never), "an unknown member"],
    ["null is a value", byTable(changedShapes(({ null: _, ...rest }) => rest)), "null and absent"],
    ["defaults count", byTable(payloads), "a default and absent"],
    [
      "a member was forgotten",
      byTable(
        changedShapes((shape) => {
          const { mediaType: _, ...members } = shape.members ?? {};
          return shape.members === undefined ? shape : { ...shape, members };
        }),
      ),
      "another scalar at mediaType",
    ],
    [
      "names of a map do not count",
      byTable(
        changedShapes(({ values, ...rest }) => (values === undefined ? rest : { ...rest, members: {} })),
      ),
      "an entry of a map",
    ],
    [
      "the order of members counts",
      (method, params) => JSON.stringify(payloadOf(method, params).payload) + Object.keys(params).join(),
      "order of members",
    ],
    [
      "the order of items does not count",
      (method, params) => {
        const sorted = JSON.stringify(payloadOf(method, params).payload, (_, value: unknown) =>
          Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value,
        );
        return sorted;
      },
      "order of items",
    ],
    [
      "forms of a letter are folded",
      (method, params) => canonicalJson(payloadOf(method, params).payload).normalize("NFC"),
      "forms of a letter",
    ],
  ])("is not what it should be where %s, and the law says so", (_, identity, what) => {
    const { problems } = payloadLaw(identity, 60);
    expect(problems.some((problem) => problem.includes(`: ${what}`))).toBe(true);
  });
});
