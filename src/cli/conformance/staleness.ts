/** `mspkit conformance staleness`: whether transcripts are pinned to the schema of today, and what changed since. */
import { type Command, EXIT } from "../command.js";
import { RELEASES_OPTION } from "../drift/release-table.js";
import { packagedFingerprint } from "./bundle.js";
import { foldersBelow, pinsIn, pinText, standingOf } from "./pins.js";
import { rootOption } from "./roots.js";

const STANDINGS = ["same", "additive", "non-additive", "undecided", "unknown"] as const;

export const stalenessCommand: Command = {
  summary:
    "Tell which transcripts are pinned to another schema than the one of today, and whether that only added.",
  operands: "",
  maxOperands: 0,
  options: { ...RELEASES_OPTION, json: { type: "boolean", help: "print the result as JSON" } },
  async run(given, io) {
    const fingerprint = await packagedFingerprint();
    const pinned = await pinsIn(foldersBelow(rootOption(given, io).path), fingerprint, given, io);
    const pins = pinned.map(({ pin }) => pin);
    if (given.options["json"] === true) io.out(`${JSON.stringify({ fingerprint, pins }, null, 2)}\n`);
    else for (const one of pinned) io.out(pinText(one));
    const counts = STANDINGS.map((wanted) => ({
      wanted,
      n: pins.filter((pin) => standingOf(pin) === wanted).length,
    }));
    io.err(`${counts.map(({ wanted, n }) => `${n} ${wanted}`).join(", ")}\n`);
    return pins.every(({ state }) => state === "same") ? EXIT.fine : EXIT.finding;
  },
};
