/** `mspkit conformance repin`: pins transcripts to the schema of today, where it takes what was recorded. */
import { repin } from "../../transcripts/repin.js";
import { validateTranscripts } from "../../transcripts/validate.js";
import { type Command, EXIT, type Given, type Io } from "../command.js";
import { RELEASES_OPTION } from "../drift/release-table.js";
import { packagedBundle, packagedFingerprint } from "./bundle.js";
import { foldersBelow, type PinnedFolder, pinLine, pinsIn, pinText, standingOf } from "./pins.js";
import { orTrouble, rootOption, transcriptOption } from "./roots.js";

export const repinCommand: Command = {
  summary:
    "Pin transcripts to the schema of today where it only added to theirs; their manifests alone change.",
  operands: "",
  maxOperands: 0,
  options: {
    accept: { type: "boolean", help: "write; without it, only tell what would be written" },
    transcript: {
      type: "string",
      value: "DIR",
      help: "this one alone, whatever changed, if it is valid by the schema of today",
    },
    ...RELEASES_OPTION,
  },
  async run(given, io) {
    const fingerprint = await packagedFingerprint();
    const accept = given.options["accept"] === true;
    const named = given.options["transcript"] !== undefined;
    const chosen = named ? await namedPin(given, io, fingerprint) : await everyPin(given, io, fingerprint);
    if (chosen === undefined) return EXIT.finding;
    const { moving, left } = chosen;
    for (const one of moving) {
      if (accept) orTrouble(() => repin(one.folder, fingerprint));
      io.out(pinLine(one));
    }
    for (const one of left) io.out(pinText(one));
    if (moving.length + left.length === 0) io.err(named ? "the pin is current\n" : "every pin is current\n");
    if (moving.length > 0)
      io.err(
        accept
          ? `${moving.length} pinned to ${fingerprint}\n`
          : `${moving.length} would be pinned to ${fingerprint}; --accept writes it\n`,
      );
    if (left.length > 0) io.err(`${left.length} left as they are: the schema of today may not take them\n`);
    return left.length === 0 && (accept || moving.length === 0) ? EXIT.fine : EXIT.finding;
  },
};

/** Pins that are not of today, by what is done about them. */
interface Chosen {
  readonly moving: readonly PinnedFolder[];
  readonly left: readonly PinnedFolder[];
}

async function everyPin(given: Given, io: Io, fingerprint: string): Promise<Chosen> {
  const pinned = await pinsIn(foldersBelow(rootOption(given, io).path), fingerprint, given, io);
  const stale = pinned.filter(({ pin }) => pin.state !== "same");
  const additive = (one: PinnedFolder): boolean => standingOf(one.pin) === "additive";
  return { moving: stale.filter(additive), left: stale.filter((one) => !additive(one)) };
}

/** One transcript that a person answers for; nothing, once it was told why, where the schema refuses it. */
async function namedPin(given: Given, io: Io, fingerprint: string): Promise<Chosen | undefined> {
  const transcript = transcriptOption(given, io);
  const { findings } = await validateTranscripts([transcript], await packagedBundle());
  const errors = findings.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first !== undefined) {
    io.err(
      `${transcript.scenario} is not valid by the schema of today: ${errors.length} errors, the first in line ${first.line}: ${first.message}\n`,
    );
    return undefined;
  }
  const pinned = await pinsIn([transcript.folder], fingerprint, given, io);
  return { moving: pinned.filter(({ pin }) => pin.state !== "same"), left: [] };
}
