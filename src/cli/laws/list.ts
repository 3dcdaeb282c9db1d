/** `mspkit laws list`: the laws, and what each needs. */
import { type Command, EXIT } from "../command.js";
import { needFastCheck } from "./fast-check.js";

export const listCommand: Command = {
  summary: "List the laws.",
  operands: "",
  maxOperands: 0,
  options: { json: { type: "boolean", help: "print the list as JSON" } },
  async run({ options }, io) {
    needFastCheck();
    const { catalog } = await import("../../laws/catalog.js");
    const rows = catalog.map(({ id, level, promise, needs, runs, least }) => ({
      id,
      level,
      promise,
      needs,
      runs,
      least,
    }));
    if (options["json"] === true) io.out(`${JSON.stringify(rows, null, 2)}\n`);
    else {
      const width = Math.max(...rows.map(({ id }) => id.length));
      for (const { id, level, promise, needs } of rows)
        io.out(
          `${id.padEnd(width)}  ${level.padEnd(11)}  ${promise}${needs.length === 0 ? "" : ` (needs ${needs.join(", ")})`}\n`,
        );
    }
    return EXIT.fine;
  },
};
