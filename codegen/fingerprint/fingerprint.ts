/**
 * The fingerprint of a surface: one hash over all that a peer could see of its messages, and the parts that it is
 * made of, so that two sides that differ can say in what.
 *
 * The rules are in `docs/fingerprint.md`.
 */
import { hash } from "node:crypto";
import { compareNames } from "../bundle/pointer.js";
import { type Annotated, forEachSchema, type Protocol } from "../model/protocol.js";
import { Digests } from "./digest.js";

/** Moves when the rules below change, so that fingerprints of different rules are never compared as equals. */
const FORM = 1;

/** A fingerprint and its parts. Hashes are `sha256:` and 64 lower-case hexadecimal digits. */
export interface Fingerprint {
  /** Over the parts below, except `behaviour`. */
  readonly fingerprint: string;
  readonly parts: {
    /** By method: params, result and stability. */
    readonly methods: Readonly<Record<string, string>>;
    readonly notifications: Readonly<Record<string, string>>;
    readonly requests: Readonly<Record<string, string>>;
    /** The error registry and the shape of error data. */
    readonly errors: string;
    /** The grantable capabilities. */
    readonly capabilities: string;
    /** The envelopes, where the bundle describes them. */
    readonly envelopes: string;
  };
  /** Over the marks that say how a host treats valid messages (kinds, gates, strictness, direction, rejections). */
  readonly behaviour: string;
}

const digestsOf = new WeakMap<Protocol, Digests>();

/**
 * The digests of the nodes of a surface; they are worked out once.
 * @param base another surface of the same protocol, whose digests what both share takes
 */
export function digestsFor(protocol: Protocol, base?: Protocol): Digests {
  let digests = digestsOf.get(protocol);
  if (digests === undefined) {
    digests = new Digests(protocol.definitions, base === undefined ? undefined : digestsOf.get(base));
    digestsOf.set(protocol, digests);
  }
  return digests;
}

/** The fingerprint of a surface. Given the stable surface of the same protocol as `base`, what both share is digested once. */
export function fingerprintOf(protocol: Protocol, base?: Protocol): Fingerprint {
  const digests = digestsFor(protocol, base);
  const digest = (name: string | undefined): string | null =>
    name === undefined ? null : digests.ofDefinition(name);
  const stability = (node: Annotated): string[] =>
    node.stability === undefined ? [] : [node.stability, node.descriptor ?? ""];
  const table = <T extends { readonly name: string }>(
    entries: readonly T[],
    part: (entry: T) => unknown,
  ): Record<string, string> => {
    const parts: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const entry of entries) parts[entry.name] = sha256(part(entry));
    return parts;
  };
  const roles = [...protocol.definitions.values()].filter(
    ({ role }) => role !== undefined && role !== "record",
  );
  const parts: Fingerprint["parts"] = {
    methods: table(protocol.methods, (m) => [digest(m.params), digest(m.result), ...stability(m)]),
    notifications: table(protocol.notifications, (n) => [digest(n.params), ...stability(n)]),
    requests: table(protocol.requests, (r) => [digest(r.params), digest(r.result), ...stability(r)]),
    errors: sha256([
      protocol.errors
        .map((row) => [
          row.code,
          row.kind,
          row.retryable ?? null,
          [...row.overrideKinds].sort(compareNames),
          ...stability(row),
        ])
        .sort((a, b) => (a[0] as number) - (b[0] as number) || compareNames(a[1] as string, b[1] as string)),
      digest(protocol.errorData),
    ]),
    capabilities: sha256(
      protocol.capabilities.map((c) => [c.name, ...stability(c)]).sort((a, b) => compareNames(a[0]!, b[0]!)),
    ),
    envelopes: sha256(
      roles.map(({ name, role }) => [role, digest(name)]).sort((a, b) => compareNames(a[0]!, b[0]!)),
    ),
  };
  const { methods, notifications, requests, ...single } = parts;
  const whole = [
    FORM,
    protocol.surface,
    ...[methods, notifications, requests].map((part) => Object.entries(part)),
    single,
  ];
  return { fingerprint: sha256(whole), parts, behaviour: behaviourOf(protocol) };
}

function behaviourOf(protocol: Protocol): string {
  const gates: string[][] = [];
  for (const { name, schema } of protocol.definitions.values()) {
    forEachSchema(schema, ({ pointer, capability }) => {
      if (capability !== undefined) gates.push([name, pointer.slice(schema.pointer.length), capability]);
    });
  }
  const carriers = [...protocol.definitions.values()].flatMap(({ name, carries }) =>
    carries === undefined ? [] : [[name, carries]],
  );
  return sha256([
    protocol.methods.map((m) => [
      m.name,
      m.kind,
      m.commandId,
      m.record ?? null,
      m.capability ?? null,
      m.strict,
      m.withheld,
    ]),
    protocol.notifications.map((n) => [n.name, n.direction, n.scope, n.protected, n.capability ?? null]),
    protocol.requests.map((r) => [r.name, r.protected]),
    gates,
    protocol.rejections
      .map((r) => [r.reason, r.definedBy, r.methods ?? null])
      .sort((a, b) => compareNames(a[0] as string, b[0] as string)),
    ...(carriers.length === 0 ? [] : [carriers]),
  ]);
}

function sha256(value: unknown): string {
  return `sha256:${hash("sha256", JSON.stringify(value))}`;
}
