/** `mspkit conformance staleness`: whether transcripts are pinned to the schema of today. */
import { type Command, EXIT } from "../command.js";
import { packagedFingerprint } from "./bundle.js";
import { pinLine, pinsBelow } from "./pins.js";
import { rootOption } from "./roots.js";

export const stalenessCommand: Command = {
  summary: "Tell which transcripts are pinned to another schema than the one of today.",
  operands: "",
  maxOperands: 0,
  options: { json: { type: "boolean", help: "print the result as JSON" } },
  async run(given, io) {
    const fingerprint = await packagedFingerprint();
    const pins = pinsBelow(rootOption(given, io).path, fingerprint).map(({ pin }) => pin);
    if (given.options["json"] === true) io.out(`${JSON.stringify({ fingerprint, pins }, null, 2)}\n`);
    else for (const pin of pins) io.out(pinLine(pin));
    const count = (wanted: string): string =>
      `${pins.filter(({ state }) => state === wanted).length} ${wanted}`;
    io.err(`${["same", "different", "unknown"].map(count).join(", ")}\n`);
    return pins.every(({ state }) => state === "same") ? EXIT.fine : EXIT.finding;
  },
};
