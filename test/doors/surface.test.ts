/** What doors make of a bundle: any bundle. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import msp from "../../generated/msp/stable/schema.json" with { type: "json" };
import * as mspTables from "../../generated/msp/stable/tables.js";
import * as mspValidators from "../../generated/msp/stable/validators.js";
import type { AppBundle, JsonObject } from "../../src/commands/app.js";
import { REJECTIONS } from "../../src/commands/index.js";
import {
  isDoorError,
  openApiDocument,
  REASONS,
  reasonRow,
  surfaceOf,
  toolsOf,
} from "../../src/doors/index.js";
import { errorRow } from "../../src/doors/reasons.js";
import { selfContained, withReferences } from "../../src/doors/schema.js";
import { appOf } from "../support/workspace-app.js";

const MSP: AppBundle = { tables: mspTables, validators: mspValidators, schema: msp as unknown as JsonObject };

/** A bundle with these methods, whose params have these members. */
function bundleOf(
  methods: Readonly<Record<string, { readonly kind: string; readonly members: readonly string[] }>>,
): AppBundle {
  const entries = Object.entries(methods);
  return {
    tables: {
      protocol: { name: "toy", version: 3 },
      methods: Object.fromEntries(
        entries.map(([name, { kind }], n) => [
          name,
          { kind, commandId: kind === "command" ? "required" : "none", params: `P${n}`, result: "R" },
        ]),
      ),
      notifications: {},
      errors: {},
    },
    validators: { methods: {} },
    schema: {
      $defs: {
        R: { type: "object" },
        ...Object.fromEntries(
          entries.map(([, { members }], n) => [
            `P${n}`,
            {
              type: "object",
              properties: Object.fromEntries(members.map((member) => [member, { type: "string" }])),
            },
          ]),
        ),
      },
    },
  };
}

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("the names of methods", () => {
  it("follow one rule at each door", () => {
    const { methods } = surfaceOf({ bundle: MSP, workspaceMember: "sessionId" });
    const named = (name: string) => [methods.get(name)?.path, methods.get(name)?.tool];
    expect(named("turn/start")).toEqual(["/v1/turn/start", "start_turn"]);
    expect(named("session/sideChat")).toEqual(["/v1/session/sideChat", "side_chat_session"]);
    expect(named("session/setModel")).toEqual(["/v1/session/setModel", "set_model_session"]);
  });

  it("are told apart, or there are no doors", () => {
    const same = bundleOf({
      "a/bC": { kind: "query", members: [] },
      "a/b_c": { kind: "query", members: [] },
    });
    expect(isDoorError(thrownBy(() => surfaceOf({ bundle: same })))).toBe(true);
    expect(thrownBy(() => surfaceOf({ bundle: same }))).toMatchObject({ kind: "nameTaken" });
    const taken = surfaceOf({
      bundle: bundleOf({ "a/b": { kind: "command", members: ["commandId", "command_id"] } }),
    });
    expect(thrownBy(() => toolsOf(taken, { requireCommandId: false, firstResult: false }))).toMatchObject({
      kind: "nameTaken",
    });
  });

  it.each([
    ["tables", { ...MSP, tables: {} }],
    ["validators", { ...MSP, validators: {} }],
    ["definitions", { ...MSP, schema: {} }],
    ["the definition of a method", { ...MSP, schema: { $defs: {} } }],
  ])("need a bundle: one without %s is none", (_what, bundle) => {
    expect(thrownBy(() => surfaceOf({ bundle }))).toMatchObject({ kind: "malformedBundle" });
  });
});

describe("the doors of another bundle", () => {
  const surface = surfaceOf({ bundle: MSP, workspaceMember: "sessionId" });

  it("have every method: commands with an id, actions without, queries by their params", () => {
    expect(surface.methods.size).toBe(Object.keys(mspTables.methods).length);
    for (const { name, kind, flat } of surface.methods.values()) {
      const row = mspTables.methods[name as keyof typeof mspTables.methods];
      expect([name, kind === "query", kind === "command"]).toEqual([
        name,
        row.kind === "query",
        row.commandId === "required",
      ]);
      if (kind !== "query") expect(flat).toBeUndefined();
    }
    const kinds = new Set([...surface.methods.values()].map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(["query", "command", "action"]));
  });

  it("have a document that is OpenAPI", async () => {
    const document = openApiDocument(surface, { anonymous: false, firstResult: true });
    const copy = JSON.parse(JSON.stringify(document)) as JsonObject;
    expect(await new Validator().validate(copy)).toMatchObject({ valid: true });
    expect(Object.keys(document["paths"] as JsonObject)).toHaveLength(surface.methods.size);
  });

  it("have tools whose schemas stand for themselves", () => {
    let compiled = 0;
    for (const { tool, method } of toolsOf(surface, {
      requireCommandId: false,
      firstResult: false,
    }).values()) {
      new Ajv({ strict: false }).compile(tool.inputSchema);
      new Ajv({ strict: false }).compile(tool.outputSchema);
      expect(Object.hasOwn((tool.inputSchema["properties"] ?? {}) as object, "command_id")).toBe(
        method.kind === "command",
      );
      compiled++;
    }
    expect(compiled).toBe(surface.methods.size);
  });
});

describe("a reference in a schema", () => {
  it("is one where it is a keyword, and none where it is the name of a member or a value", () => {
    const schema = {
      properties: {
        $ref: { type: "string" },
        items: { $ref: "#/$defs/A" },
        enum: { const: { $ref: "#/$defs/A" } },
      },
      required: ["$ref"],
      allOf: [{ $ref: "#/$defs/a~1b" }],
      examples: [{ $ref: "#/$defs/A" }],
    };
    expect(withReferences(schema, (name) => `to ${name}`)).toEqual({
      properties: {
        $ref: { type: "string" },
        items: { $ref: "to A" },
        enum: { const: { $ref: "#/$defs/A" } },
      },
      required: ["$ref"],
      allOf: [{ $ref: "to a/b" }],
      examples: [{ $ref: "#/$defs/A" }],
    });
  });

  it("takes along what it refers to, in a ring too", () => {
    const definitions = {
      A: { properties: { b: { $ref: "#/$defs/B" } } },
      B: { items: { $ref: "#/$defs/A" } },
      C: { type: "string" },
    };
    expect(Object.keys(selfContained({ $ref: "#/$defs/A" }, definitions)["$defs"] as object)).toEqual([
      "A",
      "B",
    ]);
  });
});

describe("the table of reasons", () => {
  it("has every reason that commands are rejected with, and of the bundle every kind", () => {
    const { tables } = appOf().bundle as { tables: { errors: Record<string, { code: number }> } };
    for (const reason of Object.keys(REJECTIONS))
      expect([reason, Object.hasOwn(REASONS, reason)]).toEqual([reason, true]);
    for (const [reason, { kind }] of Object.entries(REASONS)) {
      expect([reason, Object.hasOwn(tables.errors, kind)]).toEqual([reason, true]);
      expect(errorRow(kind, tables.errors)).toMatchObject({ kind, code: tables.errors[kind]?.code });
    }
  });

  it("has the status of each", () => {
    const status = (reason: string) => reasonRow(reason, "command").status;
    expect(
      Object.fromEntries(
        [
          "command_id_missing",
          "command_id_conflict",
          "still_running",
          "command_id_expired",
          "rule_not_found",
          "rule_exists",
        ].map((reason) => [reason, status(reason)]),
      ),
    ).toEqual({
      command_id_missing: 400,
      command_id_conflict: 422,
      still_running: 409,
      command_id_expired: 410,
      rule_not_found: 404,
      rule_exists: 409,
    });
    expect(reasonRow("constructor", "query")).toEqual({ status: 409, kind: "queryRejected" });
  });

  it("has a row of JSON-RPC for every kind, whatever a registry lacks", () => {
    for (const { kind } of Object.values(REASONS)) {
      const { code } = errorRow(kind, {});
      // What MCP keeps for itself is given to nobody.
      expect([kind, Number.isInteger(code) && !(code <= -32020 && code >= -32099)]).toEqual([kind, true]);
    }
    expect(errorRow("stillRunning", { overloaded: { code: -1 } })).toMatchObject({
      code: -1,
      kind: "overloaded",
    });
    expect(errorRow("unauthenticated", {})).toMatchObject({ code: -32600, kind: "invalidRequest" });
  });
});
