/** Reading the document back gives the model that it was made from; a document that was changed does not. */
import { describe, expect, it } from "vitest";
import { emitOpenrpc, openrpcDocument } from "../../../../codegen/emit/openrpc/emit.js";
import { OpenrpcReadError, readOpenrpc } from "../../../../codegen/emit/openrpc/read.js";
import {
  fingerprintOf,
  type Json,
  type JsonObject,
  type Protocol,
  project,
} from "../../../../codegen/index.js";
import { buildProtocol } from "../../../../codegen/model/build.js";
import { findingsOf } from "../../../support/compile.js";
import { cases } from "./protocols.js";

const all = cases();
const copyOf = (document: JsonObject): JsonObject => JSON.parse(JSON.stringify(document)) as JsonObject;

/** A model without the places of its nodes. */
function withoutPointers(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, inner]) => [key, withoutPointers(inner)]);
  if (Array.isArray(value)) return value.map(withoutPointers);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "pointer" ? [] : [[key, withoutPointers(inner)]],
  );
}

/** A model as a value that can be compared: the order of what an object is made of does not count. */
function comparable(protocol: Protocol): unknown {
  const sorted = (value: unknown): unknown => {
    if (value instanceof Map) return [...value].map(([key, inner]) => [key, sorted(inner)]);
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([k, v]) => [k, sorted(v)]),
    );
  };
  return withoutPointers(sorted(protocol));
}

const readModel = (document: JsonObject, { surface }: Protocol): Protocol =>
  project(buildProtocol(readOpenrpc(document)), surface);

describe.each(all)("the OpenRPC document of $name", ({ plan }) => {
  const document = JSON.parse(emitOpenrpc(plan)["openrpc.json"] as string) as JsonObject;

  it("gives the model back", () => {
    expect(comparable(readModel(document, plan.protocol))).toEqual(comparable(plan.protocol));
  });

  it("gives a bundle without a finding that the model did not have, and with its fingerprint", () => {
    const bundle = readOpenrpc(document);
    expect(findingsOf(JSON.stringify(bundle)).filter(({ severity }) => severity === "error")).toEqual([]);
    const stable = project(buildProtocol(bundle), "stable");
    const of = (protocol: Protocol): string => fingerprintOf(protocol, stable).fingerprint;
    expect(of(readModel(document, plan.protocol))).toBe(of(plan.protocol));
  });
});

/** The part of a document at some path. */
function at(document: JsonObject, ...path: readonly (string | number)[]): JsonObject {
  let part: Json = document;
  for (const step of path) part = (part as JsonObject)[step] as Json;
  return part as JsonObject;
}

describe("a document that was changed", () => {
  const { protocol } = all.find(({ name }) => name === "odd experimental")!.plan;
  const document = openrpcDocument(all.find(({ name }) => name === "odd experimental")!.plan);
  const schemas = ["components", "schemas"] as const;
  const mark = (pointer: string) => (changed: JsonObject) => delete at(changed, "x-msp-schemas")[pointer];

  /** Changes after which another model is read. */
  const others: Readonly<Record<string, (changed: JsonObject) => void>> = {
    "an open enum closed": mark("/components/schemas/Open"),
    "a stability lost": mark("/components/schemas/Silent"),
    "a role lost": mark("/components/schemas/LogLine"),
    "an open union closed": mark("/components/schemas/Several"),
    "a bound dropped": (changed) => delete at(changed, ...schemas, "Word")["maxLength"],
    "an arm lost": (changed) => (at(changed, ...schemas, "Several", "anyOf") as unknown as Json[]).shift(),
    "a dependency lost": (changed) => delete at(changed, ...schemas, "a/b~c d", "dependencies")["w"],
    "a known value lost": (changed) =>
      (at(changed, ...schemas, "Untyped", "examples") as unknown as Json[]).pop(),
    "a direction turned": (changed) => {
      at(changed, "x-msp-notifications", "seen")["x-msp-direction"] = "host-to-client";
      at(changed, "x-msp-notifications", "seen")["x-msp-scope"] = "broadcast";
    },
    "an error that may be tried again": (changed) => {
      at(changed, "x-msp-errors", 0)["retryable"] = true;
    },
    "a capability gone": (changed) => (at(changed, "x-msp-capabilities") as unknown as Json[]).pop(),
    "a rejection of another": (changed) => delete at(changed, "x-msp-rejections", 0)["methods"],
    "a reserved identifier gone": (changed) => (at(changed, "x-msp-reserved") as unknown as Json[]).pop(),
    "a method that is no longer strict": (changed) =>
      delete at(changed, "x-msp-methods", "do")["x-msp-strict"],
  };
  it.each(Object.keys(others))("is read as another model: %s", (name) => {
    const changed = copyOf(document);
    expect(comparable(readModel(changed, protocol))).toEqual(comparable(protocol));
    others[name]!(changed);
    expect(comparable(readModel(changed, protocol))).not.toEqual(comparable(protocol));
  });

  /** Changes by which a document contradicts itself, with the place of the contradiction. */
  const contradictions: Readonly<Record<string, readonly [string, (changed: JsonObject) => void]>> = {
    "an optional param made required": [
      "/methods/1/params",
      (changed) => {
        at(changed, "methods", 1, "params", 2)["required"] = true;
      },
    ],
    "a param lost": [
      "/methods/1/params",
      (changed) => (at(changed, "methods", 1, "params") as unknown as Json[]).pop(),
    ],
    "a required member made optional": [
      "/methods/1/params",
      (changed) => {
        at(changed, ...schemas, "Params")["required"] = ["zeta"];
      },
    ],
    "params by position": [
      "/methods/1/paramStructure",
      (changed) => delete at(changed, "methods", 1)["paramStructure"],
    ],
    "a result for a notification": [
      "/methods/2/result",
      (changed) => {
        at(changed, "methods", 2)["result"] = { name: "x", schema: {} };
      },
    ],
    "a method too many": [
      "/methods/3",
      (changed) => {
        (changed["methods"] as Json[]).push({ name: "more", params: [] });
      },
    ],
    "a method gone": ["/methods", (changed) => (changed["methods"] as Json[]).shift()],
    "a reference to nothing": [
      "/components/schemas/Wide/$ref",
      (changed) => {
        at(changed, ...schemas, "Wide")["$ref"] = "#/components/schemas/None";
      },
    ],
    "a mark of no schema": [
      "/x-msp-schemas/~1components~1schemas~1None",
      (changed) => {
        at(changed, "x-msp-schemas")["/components/schemas/None"] = { "x-msp-stability": "experimental" };
      },
    ],
    "another code": [
      "/components/errors",
      (changed) => {
        at(changed, "components", "errors", "bad")["code"] = -1;
      },
    ],
    "another title": [
      "/info",
      (changed) => {
        at(changed, "info")["title"] = "Even";
      },
    ],
    "no table of errors": ["/x-msp-errors", (changed) => delete changed["x-msp-errors"]],
  };
  it.each(Object.entries(contradictions))("is refused: %s", (_, [pointer, change]) => {
    const changed = copyOf(document);
    change(changed);
    let caught: unknown;
    try {
      readOpenrpc(changed);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(OpenrpcReadError);
    expect((caught as OpenrpcReadError).pointer).toBe(pointer);
  });
});
