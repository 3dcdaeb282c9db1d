/** `mspkit laws run`: a host is held to the laws. */
import { type Command, UsageError } from "../command.js";
import { whole } from "../values.js";
import { needFastCheck } from "./fast-check.js";
import {
  chosenLaws,
  HOST_WORDS,
  REPORT_OPTION,
  RUN_WORDS,
  reportsOption,
  runsOption,
  runWords,
} from "./words.js";

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
    case: { type: "string", value: "N", help: "this case alone, of one law" },
    workers: { type: "string", value: "N", help: "how many laws are tried at once (default: 2)" },
    ...RUN_WORDS,
    ...REPORT_OPTION,
    prune: { type: "boolean", help: "remove kept cases that break nothing any more" },
    known: { type: "string", value: "FILE", help: "known failures, each with a reason and a last day" },
    ...HOST_WORDS,
  },
  rest: "HOST...",
  async run(given, io) {
    const runs = runsOption(given);
    const { timeMs, shard, seed, minCoverage, maxFailures } = runWords(given, {
      name: "runs",
      given: runs !== undefined,
    });
    const number = whole(given, "case", 0);
    const reports = reportsOption(given, io);
    const workers = whole(given, "workers", 1, 64) ?? 2;
    needFastCheck();
    const { catalog } = await import("../../laws/catalog.js");
    const laws = chosenLaws(given, catalog);
    if (laws.length === 0) throw new UsageError("no law is of that level and that name");
    if (
      number !== undefined &&
      (laws.length !== 1 || runs !== undefined || timeMs !== undefined || shard !== undefined)
    )
      throw new UsageError("--case goes with one --law, and with neither --runs, --shard nor nightly");
    const { runByWords } = await import("./session.js");
    return runByWords(given, io, {
      laws,
      all: catalog,
      seed,
      workers,
      reports,
      ...(runs === undefined ? {} : { runs }),
      ...(timeMs === undefined ? {} : { timeMs }),
      ...(shard === undefined ? {} : { shard }),
      ...(number === undefined ? {} : { case: number }),
      ...(maxFailures === undefined ? {} : { maxFailures }),
      ...(minCoverage === undefined ? {} : { minCoverage }),
    });
  },
};
