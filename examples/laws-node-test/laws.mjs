// The laws of a host as tests of node:test: one for each law, skipped where the host has not what the law needs.
//   node --test examples/laws-node-test/laws.mjs
import { test } from "node:test";
import { embeddedDriver, laws } from "mspkit/laws";

const driver = await embeddedDriver({ durability: "ephemeral" });

for (const law of laws) {
  const missing = law.needs.filter((ability) => !driver.abilities.has(ability));
  const skip = missing.length > 0 ? `not applicable: needs ${missing.join(", ")}` : false;
  test(`${law.id}: ${law.promise}`, { skip }, async (t) => {
    const { cases, counts } = await law.check(driver);
    t.diagnostic(`${cases} cases: ${JSON.stringify(counts)}`);
  });
}
