/** A user's own program as the agent: real processes. */
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TurnFailure } from "../../../src/host/agents/agent.js";
import { commandAgent } from "../../../src/host/agents/command-agent.js";
import { RecordedTurn } from "../../support/agent-tools.js";
import { scratchFolder } from "../../support/repo.js";
import { until } from "../../support/wire.js";
import { failure, gone, heard, last, run, shell } from "./program-turns.js";

describe("the program of a turn", () => {
  it("gets the prompt and says the message", async () => {
    const turn = run("process.stdin.pipe(process.stdout)", { prompt: "hello \u{1f600}\nthere" });
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.said).toEqual(["hello \u{1f600}\nthere"]);
    expect(turn.entries).toEqual([
      { host: "turn/started" },
      { host: "item/started", item: { itemId: "1", kind: "agentMessage", status: "inProgress", text: "" } },
      { host: "item/delta", item: "1", delta: "hello \u{1f600}\nthere" },
      {
        host: "item/completed",
        item: { itemId: "1", kind: "agentMessage", status: "completed", text: "hello \u{1f600}\nthere" },
      },
      { host: "turn/completed", terminal: "completed" },
    ]);
  });

  it("is heard as it speaks", async () => {
    const folder = scratchFolder();
    const go = join(folder, "go");
    const turn = run(
      `process.stdout.write("one");
       const wait = () => require("fs").existsSync(${JSON.stringify(go)}) ? console.log("two") : setTimeout(wait, 2);
       wait();`,
    );
    await until(() => heard(turn) === "one");
    expect(last(turn)).toBeUndefined();
    writeFileSync(go, "");
    await turn.end;
    expect(turn.said).toEqual(["onetwo\n"]);
  });

  it("knows its turn, and works in the session's folder", async () => {
    const folder = scratchFolder();
    const turn = run(
      `const { MSPKIT_SESSION_ID, MSPKIT_TURN_ID, MSPKIT_COMMAND_ID, MSPKIT_MODEL, MSPKIT_TOKEN, OWN } = process.env;
       console.log(JSON.stringify([process.cwd(), MSPKIT_SESSION_ID, MSPKIT_TURN_ID, MSPKIT_COMMAND_ID, MSPKIT_MODEL, MSPKIT_TOKEN, OWN]));`,
      {
        env: { ...process.env, MSPKIT_TOKEN: "secret", OWN: "own" },
        turn: { workspaceRoot: folder, sessionId: "s", turnId: "t", commandId: "c", modelId: "m" },
      },
    );
    await turn.end;
    expect(JSON.parse(turn.said[0] ?? "")).toEqual([
      realpathSync(folder),
      "s",
      "t",
      "c",
      "m",
      null, // the host's own secret
      "own",
    ]);
  });

  it("may say nothing", async () => {
    const turn = run("");
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.events).toEqual([]);
  });

  it("may cut its characters", async () => {
    const turn = run(
      `const bytes = Buffer.from("a\u00e9\u20ac\u{1f600}z");
       const next = (i) => i < bytes.length && process.stdout.write(bytes.subarray(i, i + 1), () => setTimeout(next, 5, i + 1));
       next(0);`,
    );
    await turn.end;
    expect(turn.said).toEqual(["a\u00e9\u20ac\u{1f600}z"]);
    expect(heard(turn)).toBe("a\u00e9\u20ac\u{1f600}z");
    for (const event of turn.events)
      if (event.type === "itemDelta") expect(event.delta).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
  });

  it("may say what is no UTF-8", async () => {
    const turn = run(`process.stdout.write(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x62, 0xe2, 0x82]))`);
    await turn.end;
    expect(turn.said).toEqual(["\ufeffa\ufffdb\ufffd"]);
  });

  it("need not read its prompt of 5 MB", async () => {
    const turn = run(`console.log("busy")`, { prompt: "x".repeat(5_000_000) });
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.said).toEqual(["busy\n"]);
    const closed = run(`process.stdin.destroy(); setTimeout(() => console.log("deaf"), 50)`, {
      prompt: "x".repeat(5_000_000),
    });
    expect(await closed.end).toEqual({ terminal: "completed" });
    expect(closed.said).toEqual(["deaf\n"]);
  });

  it("gets all of a prompt of 5 MB", async () => {
    const turn = shell("wc -c", { prompt: "x".repeat(5_000_000) });
    await turn.end;
    expect(turn.said[0]?.trim()).toBe("5000000");
  });

  it("fails the turn with its exit code and its last words", async () => {
    const lines: string[] = [];
    const turn = run(
      `console.log("partly"); console.error("first\\n\\nlast\\r\\n \\n"); process.exitCode = 3`,
      {
        onLog: (line) => lines.push(line),
      },
    );
    expect(await turn.end).toEqual(failure("the agent command ended with exit code 3: last"));
    expect(turn.said).toEqual(["partly\n"]);
    expect(lines).toEqual(["first", "last"]);
  });

  it("fails the turn when a signal ends it", async () => {
    const turn = shell("echo partly; kill -9 $$");
    expect(await turn.end).toEqual(failure("the agent command was ended by SIGKILL"));
    expect(turn.said).toEqual(["partly\n"]);
  });

  it("may write a long line to standard error: it is told in pieces", async () => {
    let told = 0;
    let longest = 0;
    const turn = run(`process.stderr.write("x".repeat(1_000_000))`, {
      onLog: (line) => {
        told += line.length;
        longest = Math.max(longest, line.length);
      },
    });
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(told).toBe(1_000_000);
    expect(longest).toBeLessThanOrEqual(8_192);
  });
});

describe("a program that cannot be run", () => {
  const launchError = async (turn: RecordedTurn): Promise<unknown> =>
    turn.end.then(
      () => undefined,
      (error: TurnFailure) => error.info.kind,
    );

  it("fails the launch", async () => {
    const folder = scratchFolder();
    for (const command of ["mspkit-no-such-program", join(folder, "none"), folder, "./none"]) {
      const turn = run("", {}, [command]);
      expect(await launchError(turn)).toBe("launchError");
      expect(turn.entries).toHaveLength(1);
    }
  });

  it("fails the launch where its folder is not there", async () => {
    const turn = run("", { turn: { workspaceRoot: join(scratchFolder(), "none") } });
    expect(await launchError(turn)).toBe("launchError");
  });

  it("fails the turn where it is gone between launch and start", async () => {
    const folder = scratchFolder();
    const path = join(folder, "agent");
    writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
    const agent = commandAgent([path]);
    const turn = new RecordedTurn(
      {
        ...agent,
        launch: async (given) => {
          await agent.launch?.(given);
          rmSync(path);
        },
      },
      "",
    );
    expect(await turn.end).toEqual(failure(expect.stringContaining(path)));
  });
});

describe("a program that says too much", () => {
  it("is ended, and the turn fails", async () => {
    const turn = run(
      `process.stdout.write(process.pid + "\\n"); setInterval(() => process.stdout.write("y\\n".repeat(1000)), 1)`,
      { maxOutputBytes: 50_000 },
    );
    expect(await turn.end).toEqual(failure(expect.stringContaining("50000")));
    expect(Buffer.byteLength(JSON.stringify(heard(turn)))).toBeLessThanOrEqual(50_002);
    expect(last(turn)).toMatchObject({ status: "failed", cutOff: true, text: heard(turn) });
    await until(() => gone(Number.parseInt(heard(turn), 10)));
  });

  it("counts what the text is as JSON: 1,000 bytes of NUL are 6,000", async () => {
    const nuls = `process.stdout.write("\\0".repeat(1000))`;
    expect(await run(nuls, { maxOutputBytes: 6_000 }).end).toEqual({ terminal: "completed" });
    expect(await run(nuls, { maxOutputBytes: 5_999 }).end).toEqual(failure(expect.stringContaining("5999")));
  });

  it("waits for who listens", async () => {
    const folder = scratchFolder();
    const count = join(folder, "count");
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const turn = run(
      `const fs = require("fs");
       for (let i = 1; i <= 400; i++) { fs.writeSync(1, Buffer.alloc(65536, 97)); fs.writeFileSync(${JSON.stringify(count)}, String(i)); }`,
      { maxOutputBytes: 50_000_000, onEmit: () => gate },
    );
    const written = (): number => (existsSync(count) ? Number(readFileSync(count, "utf8")) : 0);
    await until(() => written() > 0);
    // Until it is seen to stand still. One that is not held up writes all 400 meanwhile.
    for (let still = 0, seen = 0; still < 50; still = written() === seen ? still + 1 : 0) {
      seen = written();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(written()).toBeLessThan(50);
    open();
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(heard(turn)).toHaveLength(400 * 65_536);
  });
});

describe("a command agent", () => {
  it("reads its command line, and offers a model of its name", async () => {
    const agent = commandAgent(`'${process.execPath}' -e 'console.log("a  b")'`);
    expect(agent.models).toEqual([{ modelId: "node", providerId: "command", displayName: "node" }]);
    const turn = new RecordedTurn(agent, "");
    await turn.end;
    expect(turn.said).toEqual(["a  b\n"]);
  });

  it("runs many turns at once", async () => {
    const agent = commandAgent(["cat"]);
    const turns = Array.from({ length: 12 }, (_, i) => new RecordedTurn(agent, `turn ${i}`));
    await Promise.all(turns.map((turn) => turn.end));
    expect(turns.map(({ said }) => said[0])).toEqual(turns.map((_, i) => `turn ${i}`));
  });
});
