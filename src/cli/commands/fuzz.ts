/** `mspkit fuzz`: sends a host frames of all kinds, and sees whether it lives and answers as it may. */
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { type Command, EXIT, UsageError } from "../command.js";
import { needFastCheck } from "../laws/fast-check.js";
import { duration, HOST_WORDS, shardOption, text, whole } from "../laws/words.js";

/** How long a nightly run takes where nothing is said; milliseconds. */
const NIGHTLY_MS = 600_000;
const FRAMES = 20_000;

export const fuzzCommand: Command = {
  summary: "Send a host valid, nearly valid and hostile frames, and check each answer.",
  operands: "",
  maxOperands: 0,
  options: {
    frames: { type: "string", value: "N", help: `so many frames (default: ${FRAMES})` },
    profile: {
      type: "string",
      value: "pr|nightly",
      help: "pr: seed 1 and --frames; nightly: a new seed, until the time is over (default: pr)",
    },
    seed: { type: "string", value: "N", help: "chooses the frames (default: 1, nightly: a new one)" },
    time: { type: "string", value: "TIME", help: "how long a nightly run takes: 90s, 5m, 2h (default: 10m)" },
    shard: { type: "string", value: "I/N", help: "the I-th of N parts of the cases, each of so many frames" },
    corpus: {
      type: "string",
      value: "DIR",
      help: "cases that reached something new: run first, and added to",
    },
    failures: {
      type: "string",
      value: "DIR",
      help: "where findings are kept, to be tried first (default: .mspkit/failures)",
    },
    "max-failures": { type: "string", value: "N", help: "stop after so many findings (default: 10)" },
    "min-coverage": { type: "string", value: "PERCENT", help: "less coverage of the schema is a finding" },
    json: { type: "boolean", help: "tell the result as JSON" },
    ...HOST_WORDS,
  },
  rest: "HOST...",
  async run(given, io) {
    const profile = text(given, "profile") ?? "pr";
    if (profile !== "pr" && profile !== "nightly")
      throw new UsageError(`--profile takes pr or nightly, not "${profile}"`);
    const nightly = profile === "nightly";
    const frames = whole(given, "frames", 1);
    const time = duration(given, "time");
    const shard = shardOption(given);
    if (time !== undefined && !nightly) throw new UsageError("--time goes with --profile nightly");
    if (nightly && frames !== undefined)
      throw new UsageError("--profile nightly goes by time: --frames excludes it");
    if (nightly && shard !== undefined)
      throw new UsageError(
        "--shard parts a number of frames: it needs --frames or the profile pr, not a time",
      );
    const corpus = text(given, "corpus");
    const words = {
      seed: whole(given, "seed", 0) ?? (nightly ? randomInt(2 ** 31) : 1),
      frames: frames ?? (nightly ? Number.MAX_SAFE_INTEGER : FRAMES),
      timeMs: nightly ? (time ?? NIGHTLY_MS) : undefined,
      shard,
      maxFindings: whole(given, "max-failures", 1) ?? 10,
      minCoverage: whole(given, "min-coverage", 0, 100),
      corpus: corpus === undefined ? undefined : resolve(io.cwd, corpus),
      failures: resolve(io.cwd, text(given, "failures") ?? ".mspkit/failures"),
      json: given.options["json"] === true,
    };
    needFastCheck();
    const { fuzzByWords } = await import("../fuzz/run.js");
    const { found, inconclusive } = await fuzzByWords(given, io, words);
    if (found) return EXIT.finding;
    return inconclusive ? EXIT.inconclusive : EXIT.fine;
  },
};
