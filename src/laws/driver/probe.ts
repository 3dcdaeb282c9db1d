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

/**
 * The stable methods that a host serves: those to which it does not answer that there is no such method. Methods that
 * would do something for the asking are left out. `initialize` is served by every host.
 */
export async function servedMethods(client: LawClient): Promise<ReadonlySet<string>> {
  const served = new Set(["initialize"]);
  await Promise.all(
    ASKABLE.map(async (method) => {
      const outcome = await client.send(method, {}).answer;
      if (outcome !== undefined && errorKind(outcome) !== "methodNotFound") served.add(method);
    }),
  );
  return served;
}
