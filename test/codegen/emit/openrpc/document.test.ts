/** The OpenRPC document as others read it: the meta-schema, the rules of OpenRPC, and what its schemas decide. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import { describe, expect, it } from "vitest";
import { emitOpenrpc, OPENRPC_VERSION, openrpcDocument } from "../../../../codegen/emit/openrpc/emit.js";
import type { Json, JsonObject } from "../../../../codegen/index.js";
import { Random } from "../../../../src/laws/random.js";
import { bundleOf, planOf, validatorsOf } from "../../../support/compile.js";
import { mutate } from "../../../support/mutations.js";
import { ValueMaker } from "../../../support/values.js";
import { cases } from "./protocols.js";

const packages = createRequire(import.meta.url);
const json = (path: string): JsonObject =>
  JSON.parse(readFileSync(packages.resolve(path), "utf8")) as JsonObject;

/**
 * The validator of OpenRPC 1.4 documents. Its meta-schema takes schemas to be what meta.json-schema.tools says, which
 * is draft 7 under another name; draft 7 itself stands in for it here.
 */
function openrpcValidator(): ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const draft = json("ajv/dist/refs/json-schema-draft-07.json");
  const tools = {
    ...draft,
    $id: "https://meta.json-schema.tools/",
    definitions: {
      ...(draft["definitions"] as JsonObject),
      JSONSchemaObject: { properties: { $ref: { type: "string", format: "uri-reference" } } },
    },
  };
  ajv.addMetaSchema(tools);
  // The meta-schema spells the name with and without the slash.
  ajv.addSchema({ ...tools, $id: "https://meta.json-schema.tools" });
  return ajv.compile(json("@open-rpc/spec/1_4/schema.json"));
}

const all = cases();
const validate = openrpcValidator();

interface Param extends JsonObject {
  name: string;
  required: boolean;
}

const methodsOf = (document: JsonObject): JsonObject[] => document["methods"] as JsonObject[];

describe.each(all)("the OpenRPC document of $name", ({ plan }) => {
  const document = JSON.parse(emitOpenrpc(plan)["openrpc.json"] as string) as JsonObject;
  const { protocol } = plan;

  it("is valid against the meta-schema of OpenRPC 1.4", () => {
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    expect(document["openrpc"]).toBe(OPENRPC_VERSION);
  });

  it("has each call and each notification of a client as a method, by name", () => {
    const fromClient = protocol.notifications.filter(({ direction }) => direction === "client-to-host");
    expect(methodsOf(document).map(({ name }) => name)).toEqual([
      ...protocol.methods.map(({ name }) => name),
      ...fromClient.map(({ name }) => name),
    ]);
    for (const method of methodsOf(document)) {
      expect(method["paramStructure"]).toBe("by-name");
      const isCall = protocol.methods.some(({ name }) => name === method["name"]);
      expect(Object.hasOwn(method, "result")).toBe(isCall);
    }
  });

  it("has a param for each member, required ones first, then in the order of names", () => {
    let params = 0;
    for (const { name, params: target } of protocol.methods) {
      const found = methodsOf(document).find((method) => method["name"] === name)?.["params"] as Param[];
      const members = target === undefined ? [] : (protocol.definitions.get(target)?.schema.members ?? []);
      const required = members.filter((member) => member.required).map((member) => member.name);
      const optional = members.filter((member) => !member.required).map((member) => member.name);
      expect(found.filter((param) => param.required).map((param) => param.name)).toEqual(required);
      expect(found.map((param) => param.name)).toEqual([...required, ...optional]);
      params += found.length;
    }
    expect(params).toBeGreaterThan(3);
  });

  it("tells the direction of all that the host sends, outside the methods", () => {
    const notifications = document["x-msp-notifications"] as Record<string, JsonObject>;
    const requests = document["x-msp-requests"] as Record<string, JsonObject>;
    expect(Object.keys(notifications)).toEqual(protocol.notifications.map(({ name }) => name));
    for (const { name, direction } of protocol.notifications)
      expect(notifications[name]?.["x-msp-direction"]).toBe(direction);
    expect(Object.keys(requests)).toEqual(protocol.requests.map(({ name }) => name));
    for (const request of Object.values(requests)) expect(request["x-msp-direction"]).toBe("host-to-client");
  });

  it("tells the kind of each error and whether it may be tried again", () => {
    const rows = document["x-msp-errors"] as JsonObject[];
    expect(rows.map(({ kind, code, retryable }) => ({ kind, code, retryable }))).toEqual(
      protocol.errors.map(({ kind, code, retryable }) => ({ kind, code, retryable })),
    );
  });

  it("has no reference without a target", () => {
    const names = new Set(protocol.definitions.keys());
    let references = 0;
    JSON.stringify(document, (key, value: Json) => {
      if (key === "$ref" && typeof value === "string") {
        const token = decodeURIComponent(value.replace("#/components/schemas/", ""));
        expect(names).toContain(token.replaceAll("~1", "/").replaceAll("~0", "~"));
        references++;
      }
      return value;
    });
    expect(references).toBeGreaterThan(5);
  });

  it("decides in draft 7 what the validators decide", async () => {
    const ajv = new Ajv({
      strict: false,
      validateSchema: false,
      validateFormats: false,
      ownProperties: true,
    });
    ajv.addSchema({ $id: "urn:openrpc:document", components: document["components"] } as JsonObject);
    const validators = await validatorsOf(plan);
    const random = new Random(7);
    const maker = new ValueMaker(protocol.definitions, random);
    const counts = { accepted: 0, refused: 0 };
    for (const { name, schema } of protocol.definitions.values()) {
      const token = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
      const check = ajv.compile({ $ref: `urn:openrpc:document#/components/schemas/${token}` });
      for (let i = 0; i < 12; i++) {
        const made = maker.make(schema);
        if (i % 2 === 1) mutate(made, random);
        // What JSON cannot carry is no value of a document.
        const value = JSON.parse(JSON.stringify(made.value)) as Json;
        const accepted = validators.definitions[name]?.(value) === null;
        expect({ name, value, accepted: check(value) }).toEqual({ name, value, accepted });
        counts[accepted ? "accepted" : "refused"]++;
      }
    }
    expect(counts.accepted).toBeGreaterThan(protocol.definitions.size * 5);
    expect(counts.refused).toBeGreaterThan(protocol.definitions.size);
  });
});

describe("the document of the whole MSP", () => {
  const plan = all.find(({ name }) => name === "msp experimental")!.plan;

  it("has what makes the optional param optional, and its limits", () => {
    const start = methodsOf(openrpcDocument(plan)).find(({ name }) => name === "turn/start");
    const params = start?.["params"] as Param[];
    expect(params.map(({ name, required }) => [name, required])).toEqual([
      ["commandId", true],
      ["input", true],
      ["sessionId", true],
      ["displayText", false],
      ["ifBusy", false],
      ["reasoningEffort", false],
      ["tokenBudget", false],
      ["userShell", false],
      ["workspaceRoots", false],
    ]);
    expect(params.find(({ name }) => name === "tokenBudget")?.["schema"]).toMatchObject({
      type: "integer",
      minimum: 1,
    });
  });
});

describe("messages without params", () => {
  const ref = { $ref: "#/$defs/R" };
  const plan = planOf(
    bundleOf(
      { R: { type: "object", properties: {} } },
      {
        methods: { "account/read": { result: ref } },
        notifications: { initialized: { "x-msp-direction": "client-to-host" } },
        requests: { "approval/request": { result: ref } },
      },
    ),
  );

  it("give a document that is valid", () => {
    const document = openrpcDocument(plan);
    validate(document);
    expect(validate.errors ?? []).toEqual([]);
    expect(methodsOf(document)).toMatchObject([
      { name: "account/read", params: [], result: { schema: { $ref: "#/components/schemas/R" } } },
      { name: "initialized", params: [] },
    ]);
    expect(document["x-msp-requests"]).toEqual({
      "approval/request": { result: "R", "x-msp-direction": "host-to-client" },
    });
  });
});

describe("the meta-schema", () => {
  const plan = all[0]!.plan;
  const poisons: Readonly<Record<string, (document: JsonObject) => void>> = {
    "a method without params": (document) => delete methodsOf(document)[0]?.["params"],
    "an extension in an error": (document) => {
      const errors = (document["components"] as JsonObject)["errors"] as Record<string, JsonObject>;
      Object.values(errors)[0]!["x-msp-retryable"] = true;
    },
    "a comment at the root": (document) => {
      document["$comment"] = "no";
    },
    "a schema with a wrong keyword": (document) => {
      const schemas = (document["components"] as JsonObject)["schemas"] as Record<string, JsonObject>;
      Object.values(schemas)[0]!["type"] = "strnig";
    },
    "another version": (document) => {
      document["openrpc"] = "1.3.2";
    },
  };
  it.each(Object.keys(poisons))("refuses %s", (name) => {
    const document = JSON.parse(JSON.stringify(openrpcDocument(plan))) as JsonObject;
    expect(validate(document)).toBe(true);
    poisons[name]!(document);
    expect(validate(document)).toBe(false);
  });
});
