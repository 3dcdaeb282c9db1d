// Know which schema a host serves: this client's own, that of another release, or one that nobody here knows.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { knownReleases, spawning } from "mspkit/client/node";
import * as recipe from "../recipe.mjs";

const { clientInfo, errorOf, holds } = recipe;
const SCENARIO = "handshake-bare";
const releases = knownReleases();

/** A host that serves another schema: the recorded one with another fingerprint. */
function hostWith(fingerprint) {
  const recorded = recipe.recorded(SCENARIO);
  const lines = recorded.lines.map((line) => ({
    ...line,
    raw: line.raw.replace(/sha256:[0-9a-f]{64}/, fingerprint),
  }));
  return recipe.hostInProcess({ ...recorded, lines });
}

console.log("# Its own schema");
{
  const client = new MspClient({
    clientInfo,
    connect: spawning(recipe.hostOf(SCENARIO)),
    fingerprint: "fail",
    releases,
  });
  const { fingerprint } = await client.connect();
  await holds("a host with this client's schema is taken under any policy", () =>
    assert.equal(fingerprint.kind, "same"),
  );
  await recipe.hostIsContent(client);
}

console.log("# Another release");
{
  const old = releases.releases.find(({ release }) => release === "1.4.12");
  const { transport, report } = hostWith(old.published.stable);
  const warnings = [];
  const client = new MspClient({
    clientInfo,
    connect: () => transport,
    releases,
    onWarning: (verdict) => warnings.push(verdict),
  });
  const { fingerprint } = await client.connect();
  await holds("a host of another release is named, with the methods that differ", () => {
    assert.equal(fingerprint.kind, "release");
    assert.equal(fingerprint.release, "1.4.12");
    assert.ok(fingerprint.differences.methods.includes("session/resume"));
    assert.ok(!fingerprint.differences.methods.includes("turn/start"));
  });
  await holds("by default that is a warning, and the client goes on", () =>
    assert.deepEqual(warnings, [fingerprint]),
  );
  await recipe.reportIsContent(client, report);
}
{
  const { fingerprint } = releases.releases.find(({ release }) => release === "1.4.12").stable;
  const { transport, report } = hostWith(fingerprint);
  const client = new MspClient({ clientInfo, connect: () => transport, releases, fingerprint: "ignore" });
  const connection = await client.connect();
  await holds("a fingerprint in this package's own form is recognised as well", () =>
    assert.equal(connection.fingerprint.release, "1.4.12"),
  );
  await recipe.reportIsContent(client, report);
}

console.log("# A schema that is not known");
{
  const served = `sha256:${"0".repeat(64)}`;
  const { transport } = hostWith(served);
  const client = new MspClient({ clientInfo, connect: () => transport, releases, fingerprint: "fail" });
  const error = await errorOf(client.connect());
  await holds("under the policy `fail` the host is refused, and both fingerprints are told", () => {
    assert.equal(error.kind, "fingerprintMismatch");
    assert.equal(error.served, served);
    assert.match(error.pinned, /^sha256:/);
    assert.equal(client.connection, undefined);
  });
}
