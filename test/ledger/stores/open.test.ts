/** Stores by their addresses. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultStoreUrl, openStore, StoreUrlError } from "../../../src/ledger/node.js";
import { scratchFolder } from "../../support/repo.js";

describe("the address of a store", () => {
  it.each([
    ["memory", "memory", "ephemeral"],
    ["file:/a/b", `file:${resolve("/a/b")}`, "durable"],
    ["file:a?sync=data", `file:${resolve("a")}`, "durable"],
    ["file:/a?sync=none", `file:${resolve("/a")}?sync=none`, "durable"],
    ["file:///a", `file:${resolve("/a")}`, "durable"],
    ["sqlite:/a.db", `sqlite:${resolve("/a.db")}`, "durable"],
    ["sqlite:/a.db?synchronous=normal", `sqlite:${resolve("/a.db")}?synchronous=normal`, "durable"],
  ])("%s opens the store %s", async (given, url, durability) => {
    const store = openStore(given);
    expect([store.url, store.durability]).toEqual([url, durability]);
    await store.close();
  });

  it("leads back to a folder with any name", async () => {
    const dir = join(scratchFolder(), "50% off? #1 %3F");
    const store = openStore(`file:${dir.replaceAll("%", "%25").replaceAll("?", "%3F")}`);
    await (await store.open("sessions", "a", { expect: "new" })).write(["1"]);
    await store.close();
    const again = openStore(store.url);
    expect(await again.read("sessions", "a")).toEqual(["1"]);
    expect((await again.open("sessions", "a", { expect: "any" })).location).toBe(join(dir, "sessions/a"));
    await again.close();
  });

  it.each([
    "",
    "postgres://localhost/a",
    "constructor:a",
    "FILE:a",
    "file",
    "file:",
    "memory:a",
    "file:/a?sync=full",
    "file:/a?fast=1",
    "sqlite:/a?synchronous=",
    "/a/b",
  ])("%j opens none, and says so by its kind", (url) => {
    const error = (() => {
      try {
        return openStore(url);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(StoreUrlError);
    expect(error).toMatchObject({ kind: "storeUrl", url });
  });

  it("is below the state folder of the user where none is given", () => {
    expect(defaultStoreUrl({ XDG_STATE_HOME: "/state" })).toBe("file:/state/mspkit");
    const own = `file:${join(homedir(), ".local/state/mspkit")}`;
    expect(defaultStoreUrl({})).toBe(own);
    expect(defaultStoreUrl({ XDG_STATE_HOME: "" })).toBe(own);
    expect(defaultStoreUrl({ XDG_STATE_HOME: "state" })).toBe(own);
  });
});
