/** `mspkit store log`: what is kept of a session. */
import type { EntryText } from "../../ledger/store.js";
import { type Command, EXIT } from "../command.js";
import { type LogRecord, pendingCommands, recordLine, recordsOf } from "./records.js";
import { givenId, givenSpace, spaceOption, withStore } from "./with-store.js";

export const logCommand: Command = {
  summary: "Print the log of a session: its records, and what became of its commands.",
  operands: "SESSION",
  maxOperands: 1,
  options: {
    space: spaceOption,
    json: { type: "boolean", help: "print each record as a line of JSON" },
  },
  run: (given, io) =>
    withStore(given, io, async (store) => {
      const id = givenId(given);
      const entries = await store.read(givenSpace(given), id);
      if (entries === undefined) {
        io.err(`there is no log ${id} in ${store.url}\n`);
        return EXIT.finding;
      }
      const records = recordsOf(entries);
      if (given.options["json"] === true) {
        for (const { seq, record } of records) io.out(`${JSON.stringify({ seq, record })}\n`);
        return EXIT.fine;
      }
      for (const record of records) io.out(`${recordLine(record)}\n`);
      io.out(summary(entries, records));
      return EXIT.fine;
    }),
};

function summary(entries: readonly EntryText[], records: readonly LogRecord[]): string {
  const { received, settled, withdrawn, pending } = pendingCommands(records);
  const lines = pending.map(({ id, what }) => `pending: ${id} ${what}\n`).join("");
  const counts = `${received} commands: ${settled} settled, ${withdrawn} withdrawn, ${pending.length} pending`;
  return `\n${entries.length} entries, ${records.length} records; ${counts}\n${lines}`;
}
