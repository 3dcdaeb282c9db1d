// Contenders that stay alive: each in a process of its own, so that neither heaps nor inline caches mix, and asked
// in turn, so that what slows the machine down slows all of them.
import { fork } from "node:child_process";
import { join } from "node:path";
import { BENCH } from "./places.mjs";

/**
 * Starts contenders, lets each warm up, and samples them in alternating rounds.
 * @param contenders by name: the module under bench/, the argument of its default export, samples to warm up
 * @returns by name, what each sample answered
 */
export async function sampleInTurns(contenders, { rounds }) {
  const running = [];
  try {
    for (const [name, { module, argument, warmUps }] of Object.entries(contenders)) {
      const contender = start(module, argument);
      running.push({ name, contender, samples: [] });
      for (let i = 0; i < warmUps; i++) await contender.sample();
    }
    for (let round = 0; round < rounds; round++) {
      for (const { contender, samples } of running) samples.push(await contender.sample());
    }
    return Object.fromEntries(running.map(({ name, samples }) => [name, samples]));
  } finally {
    for (const { contender } of running) contender.stop();
  }
}

function start(module, argument) {
  const child = fork(join(BENCH, "lib/contender.mjs"), [join(BENCH, module), JSON.stringify(argument)]);
  return {
    sample: () =>
      new Promise((resolve, reject) => {
        const ended = (code) => reject(new Error(`the contender ${module} ended with code ${code}`));
        child.once("exit", ended);
        child.once("message", (answer) => {
          child.off("exit", ended);
          resolve(answer);
        });
        child.send("sample");
      }),
    stop: () => child.kill(),
  };
}
