/** Owners: that one lives is known by its socket, and by nothing else. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/ledger/node.js";
import { makeOwner, ownerLives } from "../../../src/ledger/stores/owner.js";
import { scratchFolder } from "../../support/repo.js";
import { storeChild } from "../../support/store-child.js";

describe("an owner", () => {
  it("lives until it is closed, and never again", async () => {
    const folder = scratchFolder();
    const owner = await makeOwner(folder);
    expect(await ownerLives(folder, owner.token)).toBe(true);
    expect(await ownerLives(folder, "0123456789abcdef")).toBe(false);
    await owner.close();
    await owner.close();
    expect(await ownerLives(folder, owner.token)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")("lives where it cannot be told", async () => {
    const folder = scratchFolder();
    // Neither refused nor absent: something else is in the way.
    writeFileSync(join(folder, "file"), "");
    expect(await ownerLives(join(folder, "file"), "0123456789abcdef")).toBe(true);
    expect(await ownerLives(join(folder, "absent"), "0123456789abcdef")).toBe(false);
  });

  it.skipIf(process.platform === "win32")(
    "sweeps away what the dead have left, and nothing of the living",
    async () => {
      const folder = scratchFolder();
      const first = await makeOwner(folder);
      const url = `file:${join(scratchFolder(), "store")}`;
      const child = await storeChild(url);
      await child.store.open("sessions", "a", { expect: "any" });
      const owners = join(url.slice("file:".length), "owners");
      const [dead] = readdirSync(owners);
      await child.kill();
      expect(readdirSync(owners)).toEqual([dead]);
      // A clock says nothing: it looks as if it had been there just now.
      utimesSync(join(owners, dead!), new Date(), new Date());
      writeFileSync(join(owners, "0123456789abcdef.claim"), "");
      const next = await makeOwner(owners);
      expect(readdirSync(owners)).toEqual([`${next.token}.sock`]);
      expect(await ownerLives(folder, first.token)).toBe(true);
      await next.close();
      await first.close();
    },
  );

  it("works in a folder whose path is too long for a socket, and leaves no trace elsewhere", async () => {
    const folder = join(scratchFolder(), "long/".repeat(50), "x".repeat(200));
    mkdirSync(folder, { recursive: true });
    expect(Buffer.byteLength(folder)).toBeGreaterThan(400);
    const ours = (): string[] => readdirSync(tmpdir()).filter((name) => /^mspkit-[^-]+$/.test(name));
    const before = ours();
    const url = `file:${folder}`;
    const [one, two] = [openStore(url), openStore(url)];
    onTestFinished(() => Promise.all([one.close(), two.close()]).then(() => undefined));
    const log = await one.open("sessions", "a", { expect: "any" });
    await log.write(["1"]);
    await expect(two.open("sessions", "a", { expect: "any" })).rejects.toMatchObject({ kind: "inUse" });
    await log.close();
    expect((await two.open("sessions", "a", { expect: "any" })).entries).toEqual(["1"]);
    expect(ours().filter((name) => !before.includes(name))).toEqual([]);
  });

  it("answers a crowd that asks at once", async () => {
    const folder = scratchFolder();
    const owner = await makeOwner(folder);
    const answers = await Promise.all(Array.from({ length: 300 }, () => ownerLives(folder, owner.token)));
    expect(new Set(answers)).toEqual(new Set([true]));
    await owner.close();
  });

  it("does not keep its process", async () => {
    const child = await storeChild(`file:${join(scratchFolder(), "store")}`);
    await child.store.open("sessions", "a", { expect: "any" });
    const gone = new Promise((resolve) => child.process.once("exit", resolve));
    child.process.stdin.end();
    expect(await gone).toBe(0);
  });
});
