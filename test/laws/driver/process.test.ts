/** The lives of a host that is a program: how they end, and that nothing of them is left. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { LawClient } from "../../../src/laws/client.js";
import { commandPlace, type HostCommand } from "../../../src/laws/driver/command-place.js";
import { isDriverError, type RunningHost } from "../../../src/laws/driver/driver.js";
import { History } from "../../../src/laws/model/history.js";
import { ROOT, scratchFolder } from "../../support/repo.js";

const FIXTURES = join(ROOT, "test/fixtures/laws");
const onLinux = process.platform === "linux";

function command(fixture: string, more: readonly string[] = [], of: Partial<HostCommand> = {}): HostCommand {
  return {
    words: [process.execPath, join(FIXTURES, fixture), ...more],
    listen: undefined,
    cwd: FIXTURES,
    env: {},
    crash: "SIGKILL",
    durable: undefined,
    timeoutMs: 20_000,
    token: "",
    ...of,
  };
}

async function started(of: HostCommand): Promise<RunningHost> {
  return (await commandPlace(of)).start();
}

/** Its client, when it has answered the handshake, so that the host is known to run. */
async function client(host: RunningHost): Promise<LawClient> {
  const transport = await host.connect();
  const joined = new LawClient(transport, {
    history: new History(),
    connection: 0,
    life: 0,
    wake: () => undefined,
  });
  expect(await joined.initialize()).toHaveProperty("result");
  return joined;
}

function lives(pid: number): boolean {
  try {
    // The dead whose parent has not asked for them have no memory.
    return !onLinux || /^VmRSS/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** What an action fails with. */
async function failure(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a host that is a program", () => {
  test("is killed with what it started in its group", async () => {
    const file = join(scratchFolder(), "pid");
    const host = await started(command("leaves-a-child.mjs", [file]));
    await client(host);
    const pid = Number(readFileSync(file, "utf8"));
    expect(lives(pid)).toBe(true);
    await host.crash();
    expect(lives(pid)).toBe(false);
    expect(await host.ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  test.runIf(onLinux)(
    "is trouble where something of it lives on in another group, which is killed",
    async () => {
      const file = join(scratchFolder(), "pid");
      const host = await started(command("leaves-a-survivor.mjs", [file]));
      await client(host);
      const pid = Number(readFileSync(file, "utf8"));
      expect(lives(pid)).toBe(true);
      const error = await failure(() => host.crash());
      expect(isDriverError(error) && error.kind).toBe("survivor");
      expect((error as Error).message).toContain(`process ${pid} (`);
      for (let i = 0; lives(pid) && i < 1_000; i++) await after(10);
      expect(lives(pid)).toBe(false);
    },
  );

  test("is killed where it does not end when it is asked to", async () => {
    const host = await started(command("ignores-sigterm.mjs", [], { timeoutMs: 200 }));
    await client(host);
    expect(await host.stop()).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("ends in order where it hears that its input has ended", async () => {
    const host = await started(command("refuses-after-handshake.mjs"));
    await client(host);
    expect(await host.stop()).toEqual({ code: 0, signal: null });
  });

  test("dies after a while where that is planned", async () => {
    const host = await started(command("ignores-sigterm.mjs"));
    const joined = await client(host);
    host.plan({ write: 1, moment: "before", delayMs: 5 });
    expect(await host.ended).toEqual({ code: null, signal: "SIGKILL" });
    await joined.ended;
    await host.crash();
  });

  test("is killed by a command, which is told its process", async () => {
    const file = join(scratchFolder(), "killed");
    const script = `const { writeFileSync } = require("node:fs");
      process.kill(Number(process.argv[1]), "SIGKILL"); writeFileSync(process.argv[2], process.argv[1]);`;
    const crash = [process.execPath, "-e", script, "{pid}", file];
    const host = await started(command("ignores-sigterm.mjs", [], { crash }));
    await client(host);
    await host.crash();
    expect(await host.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(Number(readFileSync(file, "utf8"))).toBeGreaterThan(1);
  });

  test("is trouble where the command that kills it fails", async () => {
    const crash = [process.execPath, "-e", "console.error('no such container'); process.exit(3)"];
    const host = await started(command("ignores-sigterm.mjs", [], { crash }));
    await client(host);
    const error = await failure(() => host.crash());
    expect(isDriverError(error) && error.kind).toBe("survivor");
    expect((error as Error).message).toContain("ended with 3: no such container");
    expect(await host.ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("cannot be started where there is no such program", async () => {
    const error = await failure(() => started(command("", [], { words: ["no-such-program-of-any-host"] })));
    expect(isDriverError(error) && error.kind).toBe("cannotStart");
    expect((error as Error).message).toContain("no-such-program-of-any-host");
  });

  test("takes one connection over its standard streams", async () => {
    const host = await started(command("ignores-sigterm.mjs"));
    await client(host);
    const error = await failure(() => host.connect());
    expect(isDriverError(error) && error.kind).toBe("noConnection");
    await host.crash();
  });

  test.runIf(onLinux)("tells how much memory its group uses, and nothing when it is dead", async () => {
    const host = await started(command("ignores-sigterm.mjs"));
    await client(host);
    expect(host.memoryBytes?.()).toBeGreaterThan(1_000_000);
    await host.crash();
    expect(host.memoryBytes?.()).toBeUndefined();
  });

  test("has a fresh folder for each place, which is copied and taken away", async () => {
    const words = [process.execPath, join(FIXTURES, "leaves-a-child.mjs"), "{dir}/pid"];
    const places = [
      await commandPlace(command("", [], { words })),
      await commandPlace(command("", [], { words })),
    ];
    const copies = scratchFolder();
    for (const [i, place] of places.entries()) {
      const host = await place.start();
      await client(host);
      await host.crash();
      expect(await place.copyTo?.(join(copies, String(i)))).toBe(true);
      expect(existsSync(join(copies, String(i), "pid"))).toBe(true);
      await place.remove();
    }
    const [one, two] = [0, 1].map((i) => readFileSync(join(copies, String(i), "pid"), "utf8"));
    expect(one).not.toBe(two);
  });

  test("has the store copied that its words name", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "db"), "a");
    writeFileSync(join(folder, "db-wal"), "b");
    const words = [process.execPath, "host.mjs", "--store=sqlite:db?sync=full"];
    const place = await commandPlace(command("", [], { words, cwd: folder }));
    const copy = join(folder, "copy");
    expect(await place.copyTo?.(copy)).toBe(true);
    expect(["db", "db-wal"].map((name) => readFileSync(join(copy, name), "utf8"))).toEqual(["a", "b"]);
    const none = await commandPlace(command("", [], { words: [process.execPath], cwd: folder }));
    expect(await none.copyTo?.(copy)).toBe(false);
  });
});
