/** `mspkit laws run`: a host is held to the laws. */
import { randomInt } from "node:crypto";
import { type Command, UsageError } from "../command.js";
import { needFastCheck } from "./fast-check.js";
import {
  chosenLaws,
  duration,
  HOST_WORDS,
  REPORT_OPTION,
  reportsOption,
  runsOption,
  shardOption,
  text,
  whole,
} from "./words.js";

/** How long a nightly run takes where nothing is said; milliseconds. */
const NIGHTLY_MS = 600_000;

export const runCommand: Command = {
  summary: "Try the laws on a host.",
  operands: "",
  maxOperands: 0,
  options: {
    law: { type: "string", value: "ID", repeatable: true, help: "this law; more than once, or with commas" },
    level: {
      type: "string",
      value: "LEVEL",
      help: "laws of this level: core, durable, connections or ephemeral",
    },
    profile: {
      type: "string",
      value: "pr|nightly",
      help: "pr: seed 1 and each law's own number of cases; nightly: a new seed, until the time is over (default: pr)",
    },
    runs: { type: "string", value: "N|N%", help: "so many cases of each law, or so much of its own number" },
    seed: { type: "string", value: "N", help: "chooses the cases (default: 1, nightly: a new one)" },
    time: { type: "string", value: "TIME", help: "how long a nightly run takes: 90s, 5m, 2h (default: 10m)" },
    case: { type: "string", value: "N", help: "this case alone, of one law" },
    shard: { type: "string", value: "I/N", help: "the I-th of N parts of the cases" },
    workers: { type: "string", value: "N", help: "how many laws are tried at once (default: 2)" },
    "max-failures": { type: "string", value: "N", help: "stop after so many broken laws" },
    ...REPORT_OPTION,
    out: { type: "string", value: "DIR", help: "what is left of broken laws: transcripts, stderr, store" },
    failures: {
      type: "string",
      value: "DIR",
      help: "where cases that broke are kept, to be tried first (default: .mspkit/failures)",
    },
    prune: { type: "boolean", help: "remove kept cases that break nothing any more" },
    known: { type: "string", value: "FILE", help: "known failures, each with a reason and a last day" },
    "min-coverage": { type: "string", value: "PERCENT", help: "less coverage of the schema breaks the run" },
    ...HOST_WORDS,
  },
  rest: "HOST...",
  async run(given, io) {
    const profile = text(given, "profile") ?? "pr";
    if (profile !== "pr" && profile !== "nightly")
      throw new UsageError(`--profile takes pr or nightly, not "${profile}"`);
    const nightly = profile === "nightly";
    const runs = runsOption(given);
    const time = duration(given, "time");
    const shard = shardOption(given);
    const number = whole(given, "case", 0);
    if (time !== undefined && !nightly) throw new UsageError("--time goes with --profile nightly");
    if (nightly && runs !== undefined)
      throw new UsageError("--profile nightly goes by time: --runs excludes it");
    if (nightly && shard !== undefined)
      throw new UsageError("--shard parts a number of cases: it needs --runs or the profile pr, not a time");
    const reports = reportsOption(given, io);
    const minCoverage = whole(given, "min-coverage", 0, 100);
    const seed = whole(given, "seed", 0) ?? (nightly ? randomInt(2 ** 31) : 1);
    const workers = whole(given, "workers", 1, 64) ?? 2;
    const maxFailures = whole(given, "max-failures", 1);
    needFastCheck();
    const { catalog } = await import("../../laws/catalog.js");
    const laws = chosenLaws(given, catalog);
    if (laws.length === 0) throw new UsageError("no law is of that level and that name");
    if (number !== undefined && (laws.length !== 1 || runs !== undefined || nightly || shard !== undefined))
      throw new UsageError("--case goes with one --law, and with neither --runs, --shard nor nightly");
    const { runByWords } = await import("./session.js");
    return runByWords(given, io, {
      laws,
      all: catalog,
      seed,
      workers,
      reports,
      ...(runs === undefined ? {} : { runs }),
      ...(nightly ? { timeMs: time ?? NIGHTLY_MS } : {}),
      ...(shard === undefined ? {} : { shard }),
      ...(number === undefined ? {} : { case: number }),
      ...(maxFailures === undefined ? {} : { maxFailures }),
      ...(minCoverage === undefined ? {} : { minCoverage }),
    });
  },
};
