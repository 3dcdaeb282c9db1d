/** What a host can do, found out by asking. */
import { methods } from "../../../generated/msp/experimental/tables.js";
import * as validators from "../../../generated/msp/experimental/validators.js";
import type { LawClient } from "../client.js";
import { errorKind } from "../model/history.js";

interface Row {
  readonly kind: string;
  readonly stability?: string;
}

const checks = validators.methods as unknown as Readonly<
  Record<string, { readonly params?: (value: unknown) => readonly unknown[] | null } | undefined>
>;

/** Methods that can be asked for without doing anything: questions, and those whose empty params are not valid. */
const ASKABLE: readonly string[] = Object.entries(methods as Readonly<Record<string, Row>>)
  .filter(
    ([method, { kind, stability }]) =>
      stability === undefined &&
      method !== "initialize" &&
      (kind === "query" || (checks[method]?.params?.({}) ?? null) !== null),
  )
  .map(([method]) => method);

/** Whether a host gives what is experimental to a client that asked for it at its handshake. */
export function givesExperimental({ welcome }: LawClient): boolean {
  return welcome["experimentalApi"] === true;
}

/**
 * The stable methods that a host serves: those to which it does not answer that there is no such method. Methods that
 * would do something for the asking are left out. `initialize` is served by every host.
 * @param late resolves when no answer is waited for any more; what has none then was not denied. Default: never
 */
export async function servedMethods(
  client: LawClient,
  late: Promise<unknown> = new Promise(() => undefined),
): Promise<ReadonlySet<string>> {
  const served = new Set(["initialize"]);
  await Promise.all(
    ASKABLE.map(async (method) => {
      const outcome = await Promise.race([client.send(method, {}).answer, late.then(() => "late" as const)]);
      if (outcome === "late" || (outcome !== undefined && errorKind(outcome) !== "methodNotFound"))
        served.add(method);
    }),
  );
  return served;
}
