/**
 * A second opinion on witnesses: ajv, over the plain schemas of both versions, has to accept each in the version of
 * who sends it, and to refuse it in the version of who reads it.
 */
import type { Pairing, Party, Use, Witness } from "../../../codegen/drift/change.js";
import type { Protocol, SurfacePlan } from "../../../codegen/index.js";
import { oracleOf } from "../../support/oracle.js";

/** What ajv says otherwise of some witnesses; nothing where it agrees with all. */
export async function doubtsOf(
  witnesses: readonly Witness[],
  base: SurfacePlan,
  head: SurfacePlan,
): Promise<string[]> {
  const definitions = (plan: SurfacePlan): string[] =>
    witnesses.flatMap(({ use }) => definitionOf(plan.protocol, use) ?? []);
  const ask = {
    base: { plan: base, oracle: await oracleOf(base, new Set(definitions(base))) },
    head: { plan: head, oracle: await oracleOf(head, new Set(definitions(head))) },
  };
  const accepts = (version: "base" | "head", use: Use, value: unknown): boolean => {
    const { plan, oracle } = ask[version];
    if (!knows(plan.protocol, use)) return false;
    const definition = definitionOf(plan.protocol, use);
    // Params that are not declared may be any object.
    return definition === undefined ? typeof value === "object" : oracle.get(definition)!(value) === true;
  };
  return witnesses.flatMap((witness) => {
    const { pairing, sender, use, value, refusal } = witness;
    // What is behind the opt-in is refused by the gate: the stable schema alone would skip it.
    const isGated = refusal.keyword === "experimental";
    const told = `${pairing}: ${sender} ${use.message} ${use.part} ${JSON.stringify(value)}`;
    return [
      ...(accepts(versionOf(pairing, sender), use, value) ? [] : [`${told} is not accepted by its sender`]),
      ...(!isGated && accepts(versionOf(pairing, sender === "client" ? "host" : "client"), use, value)
        ? [`${told} is accepted by its reader`]
        : []),
    ];
  });
}

function versionOf(pairing: Pairing, party: Party): "base" | "head" {
  return (pairing === "old-client-new-host") === (party === "client") ? "base" : "head";
}

function knows(protocol: Protocol, { kind, message }: Use): boolean {
  return messageOf(protocol, kind, message) !== undefined || kind === "errorData" || kind === "envelope";
}

function definitionOf(protocol: Protocol, { kind, message, part }: Use): string | undefined {
  if (kind === "errorData") return protocol.errorData;
  if (kind === "envelope") return message;
  const found: { readonly params?: string; readonly result?: string } | undefined = messageOf(
    protocol,
    kind,
    message,
  );
  return part === "data" ? undefined : found?.[part];
}

function messageOf({ methods, notifications, requests }: Protocol, kind: Use["kind"], message: string) {
  const list =
    kind === "method"
      ? methods
      : kind === "notification"
        ? notifications
        : kind === "request"
          ? requests
          : [];
  return list.find(({ name }) => name === message);
}
