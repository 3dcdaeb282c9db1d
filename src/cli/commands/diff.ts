/** `mspkit diff`: what changed since an earlier version, without a verdict. */
import type { Command } from "../command.js";
import { compareByWords } from "../drift/compare.js";
import { RELEASES_OPTION } from "../drift/release-table.js";
import { AGAINST_OPTION, EVIDENCE_OPTIONS, REPORT_OPTIONS } from "../drift/words.js";
import { SCHEMA_OPTION } from "../settings.js";

export const diffCommand: Command = {
  summary: "Tell what changed since an earlier version, as breaking does, and exit 0 whatever it is.",
  operands: "",
  maxOperands: 0,
  options: {
    ...AGAINST_OPTION,
    ...SCHEMA_OPTION,
    ...RELEASES_OPTION,
    ...EVIDENCE_OPTIONS,
    ...REPORT_OPTIONS,
  },
  run: (given, io) => compareByWords(given, io, false),
};
