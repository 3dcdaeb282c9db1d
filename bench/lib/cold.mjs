// Fresh processes: how long each takes, how much memory it comes to, or what it prints.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BENCH, ROOT } from "./places.mjs";

/** Runs `node WORDS` to its end; a code other than 0 is an error of the measurement. */
export function node(words, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`node ${words.join(" ")} ended with code ${status}\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Wall time of each command in ms, in alternating rounds after one round to warm the file cache.
 * @param commands by name: the words after `node`, and what has to happen before each run
 */
export function timeInTurns(commands, rounds) {
  const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, { words, before }] of Object.entries(commands)) {
      before?.();
      const start = performance.now();
      node(words);
      if (round >= 0) samples[name].push(performance.now() - start);
    }
  }
  return samples;
}

/** What each command prints, as JSON, in alternating rounds; one record of lists for each. */
export function askInTurns(commands, rounds) {
  const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, {}]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, { words }] of Object.entries(commands)) {
      const answer = JSON.parse(node(words));
      if (round < 0) continue;
      for (const [key, value] of Object.entries(answer)) (samples[name][key] ??= []).push(value);
    }
  }
  return samples;
}

/** Peak resident memory of a command in MiB, over several runs of their own: the probe costs a little time. */
export function peakMemory({ words, before }, runs, scratch) {
  const file = join(scratch, "peak");
  return Array.from({ length: runs }, () => {
    before?.();
    node(["--require", join(BENCH, "lib/peak.cjs"), ...words], { BENCH_PEAK_FILE: file });
    const kib = Number(readFileSync(file, "utf8"));
    rmSync(file);
    return kib / 1024;
  });
}
