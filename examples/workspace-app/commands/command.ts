/** What the commands of the application have in common. */
import type {
  CommandStatus,
  MethodParams,
  MethodResults,
} from "../../../generated/workspace/stable/types.js";
import type { Transaction } from "../storage/storage.js";

/** What a command is carried out with, inside one transaction. */
export interface Call<Params> {
  readonly transaction: Transaction;
  /** Valid, as the bundle says. */
  readonly params: Params;
  readonly participant: string;
  /** The functions that steps may call. */
  readonly functions: ReadonlySet<string>;
  /** A new id, different from all others. */
  readonly newId: () => string;
}

/** A method of the bundle that changes something. */
export type CommandName = {
  [M in keyof MethodParams]: MethodParams[M] extends { commandId: string } ? M : never;
}[keyof MethodParams];

/** Carries a command out. The id is put into the result by who calls it. Throws a rejection. */
export type CommandHandler<M extends CommandName> = (
  call: Call<MethodParams[M]>,
) => Promise<Omit<MethodResults[M], "commandId">>;

/** The word for what changed something, or was so already. */
export function statusOf(duplicate: boolean): CommandStatus {
  return duplicate ? "duplicate" : "accepted";
}
