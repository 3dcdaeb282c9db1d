import { describe, expect, test } from "vitest";
import { catalog } from "../../../src/laws/catalog.js";
import { openDriver } from "../../../src/laws/driver/open.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { Stand } from "../../../src/laws/stand.js";
import { MSPKIT } from "../../support/conversation.js";

describe("mspkit serve over a file store", () => {
  test("x", async () => {
    const driver = await openDriver({ words: [process.execPath, MSPKIT, "serve", "--store", "file:{dir}"] , cwd: "/tmp"});
    console.log([...driver.abilities].filter((a) => !a.startsWith("serves")).join(" "), driver.prompts, driver.timeoutMs);
    for (const id of (process.env["LAWS"] ?? "dedupe-after-crash,ack-implies-durable,abandoned-settlement,queued-ack-survives,steer-stays,command-histories").split(",")) {
    const law = catalog.find((l) => l.id === id)!;
    const stand = new Stand(driver);
    const begun = performance.now();
    const run = await runLaw(law, stand, { seed: 1, cases: Array.from({ length: Number(process.env["N"] ?? 3) }, (_, i) => i), maxShrinks: 0 });
    console.log(JSON.stringify({ ...run, broken: run.broken && {...run.broken, history: run.broken.history.lines.map(l=>l.raw.slice(0,200))} }, null, run.broken ? 1 : 0), performance.now() - begun);
    await stand.clear();
    }
    await driver.close();
  }, 300000);
});
