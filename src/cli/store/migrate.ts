/** `mspkit store migrate`: the tables for results of commands, in a PostgreSQL. */
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { MissingPackageError, migratePostgres } from "../../commands/node.js";
import { withoutPassword } from "../../commands/results/postgres/pool.js";
import { isStoreError } from "../../ledger/store.js";
import { type Command, EXIT, UsageError } from "../command.js";

export const migrateCommand: Command = {
  summary:
    "Make the tables for results of commands in a PostgreSQL, or bring them to the version that is known here.",
  operands: "",
  maxOperands: 0,
  options: { json: { type: "boolean", help: "print the result as JSON" } },
  async run({ options }, io) {
    const url = options["store"];
    if (typeof url !== "string" || !/^postgres(?:ql)?:\/\//.test(url))
      throw new UsageError(
        "store migrate is for --store postgres://...; other stores make their tables themselves",
      );
    const store = withoutPassword(url);
    try {
      const { from, to } = await migratePostgres(url);
      if (options["json"] === true) io.out(`${JSON.stringify({ store, from, to }, null, 2)}\n`);
      io.err(
        from === to
          ? `${store}: version ${to}, nothing to do\n`
          : `${store}: from version ${from} to ${to}\n`,
      );
      return EXIT.fine;
    } catch (error) {
      if (error instanceof MissingPackageError)
        throw new TroubleError(error.package, "is not installed", `npm install ${error.package}`);
      if (isStoreError(error)) throw new TroubleError(store, error.message);
      throw error;
    }
  },
};
