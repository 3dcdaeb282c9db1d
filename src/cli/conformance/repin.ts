/** `mspkit conformance repin`: pins transcripts to the schema of today. */
import { repin } from "../../transcripts/repin.js";
import { type Command, EXIT } from "../command.js";
import { packagedFingerprint } from "./bundle.js";
import { pinLine, pinsBelow } from "./pins.js";
import { orTrouble, rootOption } from "./roots.js";

export const repinCommand: Command = {
  summary: "Pin the transcripts below the root to the schema of today; their manifests alone change.",
  operands: "",
  maxOperands: 0,
  options: { accept: { type: "boolean", help: "write; without it, only tell what would be written" } },
  async run(given, io) {
    const fingerprint = await packagedFingerprint();
    const stale = pinsBelow(rootOption(given, io).path, fingerprint).filter(
      ({ pin }) => pin.state !== "same",
    );
    const accept = given.options["accept"] === true;
    for (const { folder, pin } of stale) {
      if (accept) orTrouble(() => repin(folder, fingerprint));
      io.out(pinLine(pin));
    }
    if (stale.length === 0) io.err("every pin is current\n");
    else if (accept) io.err(`${stale.length} pinned to ${fingerprint}\n`);
    else io.err(`${stale.length} would be pinned to ${fingerprint}; --accept writes it\n`);
    return stale.length === 0 || accept ? EXIT.fine : EXIT.finding;
  },
};
