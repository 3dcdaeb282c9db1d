/** The store that a command is about, and its errors as exit codes. */
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { defaultStoreUrl, MissingPackageError, openStore, StoreUrlError } from "../../ledger/node.js";
import { isStoreError, type Space, type Store } from "../../ledger/store.js";
import { isId } from "../../ledger/stores/ids.js";
import { EXIT, type Given, type Io, type Option, UsageError } from "../command.js";

/** The option that says which kind of log is meant. */
export const spaceOption: Option = {
  type: "string",
  value: "SPACE",
  help: "sessions (default) or commands, which are those of no session",
};

/** The space that was given. */
export function givenSpace({ options }: Given): Space {
  const space = options["space"] ?? "sessions";
  if (space === "sessions" || space === "commands") return space;
  throw new UsageError(`--space is sessions or commands, not "${String(space)}"`);
}

/** The id of the log that was given. */
export function givenId({ operands }: Given): string {
  const [id] = operands;
  if (id === undefined) throw new UsageError("which session? Its id is missing; store check lists them");
  if (!isId(id)) throw new UsageError(`"${id}" is not the id of a session`);
  return id;
}

/** Does something with the store that was given, and closes it. What is amiss with a log is a finding. */
export async function withStore(
  given: Given,
  io: Io,
  action: (store: Store) => Promise<number>,
): Promise<number> {
  const url = given.options["store"];
  const store = openGiven(typeof url === "string" ? url : defaultStoreUrl());
  try {
    return await action(store);
  } catch (error) {
    if (error instanceof MissingPackageError)
      throw new TroubleError(error.package, "is not installed", `npm install ${error.package}`);
    if (!isStoreError(error)) throw error;
    const { kind, message } = error;
    if (kind !== "damaged" && kind !== "notFound") throw new TroubleError(store.url, message);
    io.err(`${message}\n`);
    return EXIT.finding;
  } finally {
    await store.close();
  }
}

function openGiven(url: string): Store {
  try {
    const store = openStore(url);
    if (store.durability === "durable") return store;
    throw new UsageError(`${url} ends with its process: there is nothing to look into`);
  } catch (error) {
    if (error instanceof StoreUrlError) throw new UsageError(error.message);
    throw error;
  }
}
