/** What is found out of a host that is a command or an address, and that laws can be tried on it. */
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { answersAt } from "../../../src/laws/driver/address-place.js";
import { isDriverError } from "../../../src/laws/driver/driver.js";
import { type OpenedDriver, openDriver } from "../../../src/laws/driver/open.js";
import { HostProcess } from "../../../src/laws/driver/process.js";
import { SCRIPTED_PROMPTS } from "../../../src/laws/driver/prompts.js";
import { addressIn, firstLine } from "../../../src/laws/driver/websocket.js";
import { replayIdentity } from "../../../src/laws/laws/replay.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { Stand } from "../../../src/laws/stand.js";
import { MSPKIT } from "../../support/conversation.js";
import { ROOT, scratchFolder } from "../../support/repo.js";

const SERVE = [process.execPath, MSPKIT, "serve"];
const fixture = (name: string) => join(ROOT, "test/fixtures/laws", name);

/** A folder with the file of a host in it. */
function configured(config: object): string {
  const folder = scratchFolder();
  writeFileSync(join(folder, "mspkit.host.json"), JSON.stringify({ timeoutMs: 20_000, ...config }));
  return folder;
}

/** Tries a law that needs a turn on a driver; it must say something. */
async function replays(driver: OpenedDriver): Promise<void> {
  const stand = new Stand(driver);
  const run = await runLaw(replayIdentity, stand, { seed: 1, cases: [0, 1] });
  await stand.clear();
  expect(run.counts["replays"] ?? 0).toBeGreaterThan(0);
  expect(verdictOf({ ...replayIdentity, least: {} }, run)).toBe("holds");
}

/** Why a host cannot be opened. */
async function refusal(
  options: Parameters<typeof openDriver>[0],
): Promise<{ kind: string; message: string }> {
  try {
    await (await openDriver(options)).close();
  } catch (error) {
    if (isDriverError(error)) return { kind: error.kind, message: error.message };
    throw error;
  }
  return { kind: "none", message: "it was opened" };
}

describe("our own host", () => {
  test("is found to be durable, to listen, to bear a second one and to have the test agent", async () => {
    const folder = scratchFolder();
    const words = [...SERVE, "--store", "file:store"];
    const driver = await openDriver({ words, cwd: folder });
    for (const ability of ["durable", "crash", "connections", "twoHosts", "experimental", "echo"] as const)
      expect(driver.abilities, ability).toContain(ability);
    for (const prompt of Object.keys(SCRIPTED_PROMPTS)) expect(driver.abilities).toContain(prompt);
    expect(driver.abilities).toContain("serves:turn/start");
    expect(driver.abilities).not.toContain("ephemeral");
    expect(driver.prompts).toEqual(SCRIPTED_PROMPTS);
    // One folder, in the words as they are.
    expect(driver.maxPlaces).toBe(1);
    await replays(driver);
    const copy = join(folder, "copy");
    expect(await (await driver.place()).copyTo?.(copy)).toBe(true);
    expect(readdirSync(join(copy, "sessions")).length).toBeGreaterThan(0);
    await driver.close();
  });

  test("is found to be ephemeral in memory, and has as many places as are wanted", async () => {
    const driver = await openDriver({ words: [...SERVE, "--store", "memory"], cwd: scratchFolder() });
    expect(driver.abilities).toContain("ephemeral");
    expect(driver.abilities).not.toContain("durable");
    expect(driver.abilities).not.toContain("twoHosts");
    expect(driver.maxPlaces).toBe(Number.POSITIVE_INFINITY);
    await driver.close();
  });

  test("has one connection where its file does not say how it listens, and a folder for each place", async () => {
    const folder = configured({ start: [...SERVE, "--store", "sqlite:{dir}/db"] });
    const driver = await openDriver({ cwd: folder });
    expect(driver.abilities).toContain("durable");
    expect(driver.abilities).not.toContain("connections");
    expect(driver.maxPlaces).toBe(Number.POSITIVE_INFINITY);
    await replays(driver);
    await driver.close();
  });

  test("can not do what its file says that it cannot, and serves what it says", async () => {
    const folder = configured({
      start: [...SERVE, "--store", "file:{dir}/s"],
      listen: ["--listen", "ws://127.0.0.1:0"],
      prompts: { quick: "hello" },
      serves: ["turn/start"],
      cannot: ["twoHosts", "crash", "experimental"],
    });
    const driver = await openDriver({ cwd: folder });
    expect([...driver.abilities].sort()).toEqual(["connections", "durable", "quick", "serves:turn/start"]);
    await driver.close();
  });

  test("is driven at an address, where it lives on", async () => {
    const host = await HostProcess.start({
      words: [...SERVE, "--store", "memory", "--listen", "ws://127.0.0.1:0"],
      cwd: scratchFolder(),
      env: { ...process.env, MSPKIT_TOKEN: "of-this-test" },
      crash: "SIGKILL",
      stop: "SIGTERM",
      stopMs: 20_000,
    });
    const url = addressIn((await firstLine(host.transport)) ?? "") ?? "";
    const folder = configured({ url, token: "TOKEN_OF_THIS_TEST" });
    expect((await refusal({ cwd: folder })).message).toContain("TOKEN_OF_THIS_TEST");
    vi.stubEnv("TOKEN_OF_THIS_TEST", "of-this-test");
    const driver = await openDriver({ cwd: folder });
    expect(driver.abilities).toContain("connections");
    expect(driver.abilities).not.toContain("crash");
    await replays(driver);
    await driver.close();
    expect(await answersAt({ url, token: "of-this-test", openMs: 20_000 })).toBe(true);
    await host.crash();
    expect((await refusal({ cwd: folder })).kind).toBe("cannotStart");
    vi.unstubAllEnvs();
  });

  test("is started at an address where nobody answers, and is killed there by a command", async () => {
    const url = `ws://127.0.0.1:${await freePort()}`;
    const kill = "process.kill(Number(process.argv[1]), 'SIGKILL')";
    vi.stubEnv("MSPKIT_TOKEN", "of-this-test");
    const folder = configured({
      start: [...SERVE, "--store", "file:store", "--listen", url],
      crash: [process.execPath, "-e", kill, "{pid}"],
      url,
      token: "MSPKIT_TOKEN",
    });
    const driver = await openDriver({ cwd: folder });
    expect(driver.abilities).toContain("crash");
    expect(driver.abilities).toContain("durable");
    await replays(driver);
    await driver.close();
    expect(await answersAt({ url, token: "of-this-test", openMs: 20_000 })).toBe(false);
    vi.unstubAllEnvs();
  });
});

describe("a host that does not answer as a host would", () => {
  test.each(["refuses-everything", "closes-at-once", "prints-garbage", "accepts-everything"])(
    "is opened all the same, with what is declared: %s",
    async (name) => {
      const start = [process.execPath, fixture(`${name}.mjs`)];
      const driver = await openDriver({ cwd: configured({ start, durable: "d", prompts: "test-agent" }) });
      for (const ability of ["durable", "crash", "echo", "busy"] as const)
        expect(driver.abilities, ability).toContain(ability);
      await driver.close();
    },
  );

  test("is opened with the least where nothing is declared", async () => {
    const start = [process.execPath, fixture("never-answers.mjs")];
    const driver = await openDriver({ cwd: configured({ start, timeoutMs: 300 }) });
    expect([...driver.abilities]).toEqual(["crash"]);
    expect(driver.answers.why).toBe("initialize was not answered");
    await driver.close();
  });

  test("is not taken for one that listens, nor for the test agent", async () => {
    const words = [process.execPath, fixture("acks-everything.mjs")];
    const driver = await openDriver({ words, cwd: scratchFolder() });
    expect(driver.abilities).not.toContain("connections");
    expect(driver.abilities).not.toContain("echo");
    expect(driver.prompts).toEqual({});
    await driver.close();
  });
});

describe("what names no host is refused", () => {
  test("where there is no such program, no file, or a wrong one", async () => {
    const cwd = scratchFolder();
    expect((await refusal({ words: ["no-such-program-of-any-host"], cwd })).kind).toBe("cannotStart");
    expect((await refusal({ cwd })).message).toContain("there is no mspkit.host.json");
    expect((await refusal({ config: "other.json", cwd })).message).toContain(join(cwd, "other.json"));
    expect(await refusal({ words: [], cwd })).toEqual({
      kind: "badConfig",
      message: "the host's command has no words",
    });
    expect((await refusal({ cwd: configured({}) })).message).toContain("says neither start nor url");
    expect((await refusal({ cwd: configured({ start: ["x"], cwd: "none" }) })).message).toContain("none");
    expect((await refusal({ url: "http://127.0.0.1:1", cwd })).kind).toBe("badConfig");
  });

  test("and leaves no folder behind", async () => {
    const before = foldersOfHosts();
    await refusal({ words: ["no-such-program-of-any-host", "{dir}"], cwd: scratchFolder() });
    expect(foldersOfHosts().filter((name) => !before.includes(name))).toEqual([]);
  });
});

function foldersOfHosts(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("mspkit-host-"));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
