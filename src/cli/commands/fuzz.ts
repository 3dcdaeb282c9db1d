/** `mspkit fuzz`: sends a host frames of all kinds, and sees whether it lives and answers as it may. */
import { resolve } from "node:path";
import type { Command } from "../command.js";
import { needFastCheck } from "../laws/fast-check.js";
import { FAILURES, HOST_WORDS, REPORT_OPTION, RUN_WORDS, reportsOption, runWords } from "../laws/words.js";
import { text, whole } from "../values.js";

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
    ...RUN_WORDS,
    workers: { type: "string", value: "N", help: "how many hosts are fuzzed at once (default: 1)" },
    corpus: {
      type: "string",
      value: "DIR",
      help: "cases that reached something new: run first, and added to",
    },
    ...REPORT_OPTION,
    ...HOST_WORDS,
  },
  rest: "HOST...",
  async run(given, io) {
    const frames = whole(given, "frames", 1);
    const { seed, timeMs, shard, maxFailures, minCoverage } = runWords(given, {
      name: "frames",
      given: frames !== undefined,
    });
    const path = (name: string): string | undefined => {
      const value = text(given, name);
      return value === undefined ? undefined : resolve(io.cwd, value);
    };
    const words = {
      seed,
      frames: frames ?? (timeMs === undefined ? FRAMES : Number.MAX_SAFE_INTEGER),
      timeMs,
      shard,
      workers: whole(given, "workers", 1, 64) ?? 1,
      maxFindings: maxFailures ?? 10,
      minCoverage,
      corpus: path("corpus"),
      failures: path("failures") ?? resolve(io.cwd, FAILURES),
      out: path("out"),
      reports: reportsOption(given, io),
    };
    needFastCheck();
    const { fuzzByWords } = await import("../fuzz/run.js");
    return fuzzByWords(given, io, words);
  },
};
