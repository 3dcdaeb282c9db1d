/** The places of the table: each edit stands in a message of its own at each of them, in one pair of bundles. */
import type { Party, Use } from "../../../../codegen/drift/change.js";
import type { Loaded, RuleSettings } from "../../../../codegen/index.js";
import { bundleOf, load } from "../../../support/compile.js";
import type { Case, Node } from "./cases.js";

/** One place at which a message carries a value. */
export interface Place {
  readonly name: string;
  readonly kind: Use["kind"];
  readonly part: Use["part"];
  readonly sender: Party;
}

/** All places. */
export const PLACES: readonly Place[] = [
  { name: "params", kind: "method", part: "params", sender: "client" },
  { name: "result", kind: "method", part: "result", sender: "host" },
  { name: "notification", kind: "notification", part: "params", sender: "host" },
  { name: "client notification", kind: "notification", part: "params", sender: "client" },
  { name: "server request", kind: "request", part: "params", sender: "host" },
  { name: "server request's result", kind: "request", part: "result", sender: "client" },
];

/** The member under which a part has the node of a case. */
export const MEMBER = "it";

/** Descriptors are not what these tests are about. */
const RULES: RuleSettings = { severities: { "descriptor-missing": "off", "descriptor-mismatch": "off" } };

/** The definition of the part in which a case stands at a place. */
export function definitionOf(cases: readonly Case[], one: Case, place: Place): string {
  return `Part${cases.indexOf(one)}_${PLACES.indexOf(place)}`;
}

/** The bundle of all cases at all places, before or after the edits. */
export function textOfCases(cases: readonly Case[], when: "before" | "after"): string {
  const defs: Record<string, Node> = { Nothing: { type: "object", properties: {} } };
  const sections = { method: {} as Section, notification: {} as Section, request: {} as Section };
  for (const one of cases)
    for (const place of PLACES) {
      const name = definitionOf(cases, one, place);
      defs[name] = { type: "object", properties: { [MEMBER]: one[when] }, required: [MEMBER] };
      sections[place.kind as keyof typeof sections][`case/${name}`] = {
        ...(place.kind === "notification" ? {} : { result: ref("Nothing") }),
        ...(place.kind === "notification" && place.sender === "client"
          ? { "x-msp-direction": "client-to-host" }
          : {}),
        [place.part]: ref(name),
      };
    }
  return bundleOf(defs, {
    methods: sections.method,
    notifications: sections.notification,
    requests: sections.request,
  });
}

/** The same, loaded. */
export function loadedCases(cases: readonly Case[], when: "before" | "after"): Loaded {
  return load(textOfCases(cases, when), RULES);
}

type Section = Record<string, Node>;

function ref(name: string): Node {
  return { $ref: `#/$defs/${name}` };
}
