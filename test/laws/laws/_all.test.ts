import { test } from "vitest";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { Stand } from "../../../src/laws/stand.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
test("all", async () => {
  const files = (process.env.FILES ?? "replay").split(",");
  for (const durability of (process.env.DUR ?? "durable").split(",") as ("durable"|"ephemeral")[]) {
  const driver = await embeddedDriver({ durability });
  for (const file of files) {
    const module = await import(/* @vite-ignore */ `/work/main/src/laws/laws/${file}.ts`);
    const laws = Object.values(module).find((value) => Array.isArray(value)) as any[];
    for (const law of laws) {
      const stand = new Stand(driver);
      const at = performance.now();
      const run = await runLaw(law, stand, { seed: Number(process.env.SEED ?? 1), cases: Array.from({ length: Number(process.env.RUNS ?? law.runs) }, (_, i) => i) });
      console.log(durability, law.id, verdictOf(law, run), Math.round(performance.now() - at), "ms", JSON.stringify({ ...run, counts: run.counts, broken: undefined }));
      if (run.broken) { console.log(JSON.stringify({ ...run.broken, history: undefined }, null, 1)); for (const l of run.broken.history.lines) console.log(l.dir === "client" ? ">" : "<", l.raw.slice(0, 500)); }
      await stand.clear();
    }
  }}
}, 300000);
