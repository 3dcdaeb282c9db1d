/** The surfaces that the tests of this product look at, and a bundle with all that a plain schema cannot say. */
import type { SurfacePlan } from "../../../../codegen/index.js";
import { bundleOf, planOf, planOfFile } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });

/** Every facet that the translation changes or loses, and names of every sort. */
export const ODD_BUNDLE = bundleOf(
  {
    Open: { type: "string", enum: ["a", "b"], "x-msp-openness": "open", examples: ["c"] },
    Untyped: { enum: ["a"], "x-msp-openness": "open" },
    Silent: { type: "string", enum: ["x", "y"], "x-msp-value-stability": { y: "experimental" } },
    Word: { type: "string", maxLength: 9, title: "A word", default: "w", examples: ["word"] },
    Narrow: { ...ref("Word"), minLength: 2, description: "A word of two letters and more." },
    Wide: { ...ref("Word"), description: "A word again.", deprecated: true },
    Several: {
      oneOf: [
        object({ kind: { const: "one" }, n: { type: "integer" } }, { required: ["kind"] }),
        object({ kind: { type: "string" } }, { required: ["kind"] }),
      ],
      "x-msp-openness": "open",
    },
    "a/b~c d": object(
      {
        __proto__x: { type: "string" },
        toString: { type: ["integer", "null", "string"] },
        $ref: { type: "string" },
        enum: { type: "boolean" },
        "a|b": ref("Open"),
        old: { type: "string", deprecated: true },
        w: { type: "integer" },
        h: { type: "integer" },
        map: { type: "object", additionalProperties: { ...ref("Word"), pattern: "^w" } },
      },
      { required: ["missing", "$ref"], dependentRequired: { w: ["h"], h: ["w"] } },
    ),
    Params: object(
      {
        zeta: { type: "string" },
        alpha: { type: "array", items: ref("Several"), minItems: 1, maxItems: 3 },
        beta: ref("Untyped"),
        gated: { ...ref("Narrow"), "x-msp-capability": "key" },
        extra: { type: "string", "x-msp-stability": "experimental", "x-msp-descriptor": "do.extra" },
      },
      { required: ["zeta", "beta"] },
    ),
    Result: object({ wide: ref("Wide"), silent: ref("Silent"), odd: ref("a~1b~0c d") }),
    ErrorData: object({ kind: { type: "string" } }, { "x-msp-role": "errorData" }),
    LogLine: object({ at: { type: "integer" } }, { "x-msp-role": "record" }),
  },
  {
    protocol: { name: "odd", version: 4 },
    methods: {
      "account/read": { result: ref("Result"), title: "Reads", description: "Reads.", deprecated: true },
      do: { params: ref("Params"), result: ref("Result"), "x-msp-kind": "action", "x-msp-strict": true },
    },
    notifications: {
      initialized: { description: "Client to host.", "x-msp-direction": "client-to-host" },
      seen: { params: ref("LogLine"), "x-msp-scope": "view", "x-msp-protected": true, deprecated: true },
    },
    requests: { "approval/request": { title: "Asks", result: ref("Result"), "x-msp-protected": true } },
    capabilities: {
      grantable: ["key"],
      experimental: ["try"],
      reserved: [{ name: "later", reference: "kept" }],
      descriptions: { try: "To try." },
    },
    errors: [{ code: -32602, kind: "bad", title: "Bad params", overrideKinds: ["worse"], deprecated: true }],
    rejections: [{ reason: "no", methods: ["do"], definedBy: "host", description: "No." }],
    reserved: [{ identifier: "x", reference: "why" }],
  },
);

/** A surface, with a name for the report. */
export interface Case {
  readonly name: string;
  readonly plan: SurfacePlan;
}

/** Both surfaces of MSP, of the depot, of workspaces and of the odd one. */
export function cases(): Case[] {
  return (["stable", "experimental"] as const).flatMap((surface) => [
    { name: `msp ${surface}`, plan: planOfFile(MSP_SCHEMA, surface) },
    { name: `depot ${surface}`, plan: planOfFile(DEPOT_SCHEMA, surface) },
    { name: `workspace ${surface}`, plan: planOfFile(WORKSPACE_SCHEMA, surface) },
    { name: `odd ${surface}`, plan: planOf(ODD_BUNDLE, surface) },
  ]);
}
