/** A small bundle in which whatever can be gated is, in every place where it can stand. */
import { bundleOf } from "../../../support/compile.js";

const experimental = (descriptor: string): object => ({
  "x-msp-stability": "experimental",
  "x-msp-descriptor": descriptor,
});
const ref = (name: string): object => ({ $ref: `#/$defs/${name}` });
const string = { type: "string" };
const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
});

/** The bundle: `put` takes and answers a node; `page` answers messages inside a message. */
export const GATED = bundleOf(
  {
    Node: object(
      {
        name: string,
        fresh: { ...string, ...experimental("Node.fresh") },
        secret: { ...string, "x-msp-capability": "secrets" },
        next: ref("Node"),
        list: { type: "array", items: ref("Node") },
        map: { type: "object", additionalProperties: ref("Node") },
        shape: ref("Shape"),
        tone: ref("Tone"),
        tones: { type: "array", items: ref("Tone") },
        mood: ref("Mood"),
        moods: { type: "array", items: ref("Mood") },
      },
      ["name"],
    ),
    Shape: {
      oneOf: [
        object({ kind: { const: "dot" }, at: string }, ["kind"]),
        object(
          { kind: { const: "box" }, wide: { ...string, ...experimental("Shape.wide") }, tone: ref("Tone") },
          ["kind"],
        ),
      ],
      "x-msp-openness": "closed",
    },
    Tone: {
      type: "string",
      enum: ["low", "high", "shrill"],
      "x-msp-openness": "closed",
      "x-msp-value-stability": { shrill: "experimental" },
    },
    Mood: {
      type: "string",
      enum: ["calm", "wild"],
      "x-msp-openness": "open",
      "x-msp-value-stability": { wild: "experimental" },
    },
    Must: object({ tone: ref("Tone") }, ["tone"]),
    MustList: object({ all: { type: "array", items: ref("Must") }, one: ref("Must") }, ["all"]),
    Event: {
      ...object({ method: string, params: { type: "object", properties: {} } }, ["method"]),
      "x-msp-carries": "notification",
    },
    Page: object({ events: { type: "array", items: ref("Event") }, last: ref("Event") }, ["events"]),
    Nothing: object({}),
    Strict: object({ a: string, "b/c": string }),
    Map: { type: "object", properties: { a: string }, additionalProperties: ref("Node") },
  },
  {
    methods: {
      put: { params: ref("Node"), result: ref("Node") },
      must: { result: ref("Must") },
      mustList: { result: ref("MustList") },
      page: { params: ref("Event"), result: ref("Page") },
      map: { params: ref("Map"), result: ref("Map") },
      new: { params: ref("Strict"), result: ref("Nothing"), ...experimental("new") },
      gated: { params: ref("Strict"), result: ref("Nothing"), "x-msp-capability": "secrets" },
      strict: { params: ref("Strict"), result: ref("Nothing"), "x-msp-strict": true },
      bare: { result: ref("Nothing"), "x-msp-strict": true, "x-msp-withheld": ["ephemeral"] },
    },
    notifications: {
      happened: { params: ref("Node") },
      newly: { params: ref("Node"), ...experimental("newly") },
      secretly: { params: ref("Node"), "x-msp-capability": "secrets" },
      told: { params: ref("Node"), "x-msp-direction": "client-to-host" },
      toldNew: { ...experimental("toldNew"), "x-msp-direction": "client-to-host" },
    },
    requests: {
      ask: { params: ref("Node"), result: ref("Node") },
      askNew: { params: ref("Node"), result: ref("Node"), ...experimental("askNew") },
    },
    capabilities: { grantable: ["secrets"] },
    errors: [
      { code: -32601, kind: "methodNotFound", overrideKinds: ["experimentalRequired"], retryable: false },
      { code: -32602, kind: "invalidParams", overrideKinds: ["experimentalRequired"], retryable: false },
      { code: -32010, kind: "capabilityRequired", retryable: false },
      { code: -32000, kind: "busy", retryable: true },
      { code: -32005, kind: "unsure" },
    ],
  },
);
