/** `mspkit breaking`: what changed since an earlier version, whom it breaks, and whether that is acknowledged. */
import type { Command } from "../command.js";
import { compareByWords } from "../drift/compare.js";
import { RELEASES_OPTION } from "../drift/release-table.js";
import { AGAINST_OPTION, EVIDENCE_OPTIONS, REPORT_OPTIONS } from "../drift/words.js";
import { SCHEMA_OPTION } from "../settings.js";

export const breakingCommand: Command = {
  summary:
    "Tell what changed since an earlier version and whom it breaks; exit 1 where it is not acknowledged.",
  operands: "",
  maxOperands: 0,
  options: {
    ...AGAINST_OPTION,
    ...SCHEMA_OPTION,
    ...RELEASES_OPTION,
    acknowledgments: {
      type: "string",
      value: "FILE",
      help: "the changes that are meant (default: acknowledgments.json beside the schema, if it is there)",
    },
    ...EVIDENCE_OPTIONS,
    ...REPORT_OPTIONS,
  },
  run: (given, io) => compareByWords(given, io, true),
};
