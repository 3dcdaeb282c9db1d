/** What is found out of a host that is a command. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDriver } from "../../../src/laws/driver/open.js";
import { replayIdentity } from "../../../src/laws/laws/replay.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { Stand } from "../../../src/laws/stand.js";
import { MSPKIT } from "../../support/conversation.js";
import { scratchFolder } from "../../support/repo.js";

describe("our own host, by its command", () => {
  test("is found to be durable, to listen and to have the test agent", async () => {
    const folder = scratchFolder();
    const words = [process.execPath, MSPKIT, "serve", "--store", `file:${join(folder, "store")}`];
    const t = performance.now();
    const driver = await openDriver({ words, cwd: folder });
    console.log(performance.now() - t, [...driver.abilities].sort(), driver.answers.why);
    const stand = new Stand(driver);
    const run = await runLaw(replayIdentity, stand, { seed: 1, cases: [0, 1, 2] });
    console.log(run, readdirSync(folder));
    expect(verdictOf({ ...replayIdentity, least: {} }, run)).toBe("holds");
    console.log("ran", performance.now() - t);
    await stand.clear();
    console.log("cleared", performance.now() - t);
    await driver.close();
    console.log("closed", performance.now() - t);
  });
});
