/** How the program of a turn ends: by an interrupt, by itself, with the agent. Real processes. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandAgent } from "../../../src/host/agents/command-agent.js";
import { RecordedTurn } from "../../support/agent-tools.js";
import { scratchFolder } from "../../support/repo.js";
import { turn as nextTurn, until } from "../../support/wire.js";
import { endAfterTest, failure, gone, heard, last, run, shell } from "./program-turns.js";

describe("an interrupt", () => {
  it("ends the program, and keeps what it said", async () => {
    const turn = run(`console.log(process.pid); setInterval(() => {}, 1000)`);
    await until(() => heard(turn).endsWith("\n"));
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(last(turn)).toMatchObject({ status: "cancelled", cutOff: true, text: heard(turn) });
    expect(turn.entries.at(-1)).toEqual({ host: "turn/completed", terminal: "cancelled" });
    expect(gone(Number(heard(turn)))).toBe(true);
  });

  it("ends one that ignores SIGTERM", async () => {
    const turn = run(
      `process.on("SIGTERM", () => console.log("no")); console.log(process.pid); setInterval(() => {}, 1000)`,
      { killTimeoutMs: 100 },
    );
    await until(() => heard(turn).endsWith("\n"));
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(gone(Number.parseInt(heard(turn), 10))).toBe(true);
  });

  it("lets one that heeds SIGTERM put its things in order", async () => {
    const folder = scratchFolder();
    const mark = join(folder, "mark");
    const turn = run(
      `process.on("SIGTERM", () => setTimeout(() => { require("fs").writeFileSync(${JSON.stringify(mark)}, "tidy"); process.exit(0); }, 20));
       console.log("ready"); setInterval(() => {}, 1000)`,
      { killTimeoutMs: 60_000 },
    );
    await until(() => heard(turn).endsWith("\n"));
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(readFileSync(mark, "utf8")).toBe("tidy");
  });

  it("ends what the program started, also what ignores SIGTERM", async () => {
    const turn = shell(`sh -c 'trap "" TERM; echo $$; while :; do sleep 1; done' & wait`);
    await until(() => heard(turn).endsWith("\n"));
    turn.interrupt();
    await turn.end;
    await until(() => gone(Number(heard(turn))));
  });

  it("ends one that nobody listens to", async () => {
    const turn = run(`console.log(process.pid); for (;;) require("fs").writeSync(1, "x".repeat(65536))`, {
      onEmit: (event) =>
        event.type === "itemDelta"
          ? new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve()))
          : undefined,
    });
    await until(() => heard(turn).includes("\n"));
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(gone(Number.parseInt(heard(turn), 10))).toBe(true);
  });

  it("before the start starts nothing", async () => {
    const folder = scratchFolder();
    const turn = shell(`touch ${join(folder, "ran")}`);
    turn.interrupt();
    expect(await turn.end).toBeUndefined();
    expect(existsSync(join(folder, "ran"))).toBe(false);
    // Not even tries to.
    const { run: runAgent } = commandAgent([join(folder, "none")]);
    const missing = new RecordedTurn({ run: runAgent }, "");
    missing.interrupt();
    expect(await missing.end).toBeUndefined();
  });

  it("is not needed where the host takes nothing more", async () => {
    const turn = run(`console.log(process.pid); setInterval(() => {}, 1000)`, {
      onEmit: (event) => {
        if (event.type === "itemDelta") throw new Error("no room");
      },
    });
    await expect(turn.end).rejects.toThrow("no room");
    expect(gone(Number(heard(turn)))).toBe(true);
  });
});

describe("the end of a program", () => {
  it("is the end of its turn, whoever holds its output", async () => {
    const turn = shell("sleep 1000 & echo $!", { leftoverMs: 50 });
    expect(await turn.end).toEqual({ terminal: "completed" });
    const pid = Number(turn.said[0]);
    endAfterTest(pid);
    expect(gone(pid)).toBe(false); // it was left alone
  });

  it("is waited for when its output has ended", async () => {
    const folder = scratchFolder();
    const go = join(folder, "go");
    const turn = shell(`echo said; exec >&-; while [ ! -e ${go} ]; do sleep 0.01; done; exit 4`);
    await until(() => heard(turn) === "said\n");
    for (let i = 0; i < 20; i++) await nextTurn();
    expect(last(turn)).toBeUndefined();
    writeFileSync(go, "");
    expect(await turn.end).toEqual(failure("the agent command ended with exit code 4"));
  });

  it("loses nothing that was written before it, however slow the listener", async () => {
    const file = join(scratchFolder(), "pid");
    const turn = run(
      `process.stdout.write("x".repeat(1_000_000));
       const left = require("child_process").spawn("sleep", ["1000"], { stdio: "inherit", detached: true });
       require("fs").writeFileSync(${JSON.stringify(file)}, String(left.pid));
       left.unref();`,
      { leftoverMs: 0, onEmit: () => new Promise((resolve) => setTimeout(resolve, 5)) },
    );
    expect(await turn.end).toEqual({ terminal: "completed" });
    endAfterTest(Number(readFileSync(file, "utf8")));
    expect(heard(turn)).toHaveLength(1_000_000);
  });

  it("does not cut off what others say soon after it", async () => {
    const turn = shell("(for i in a b c; do sleep 0.1; echo $i; done) & echo first", { leftoverMs: 60_000 });
    expect(await turn.end).toEqual({ terminal: "completed" });
    expect(turn.said).toEqual(["first\na\nb\nc\n"]);
    const failing = shell("(exec >&-; sleep 0.2; echo why >&2) & exit 3", { leftoverMs: 60_000 });
    expect(await failing.end).toEqual(failure("the agent command ended with exit code 3: why"));
  });

  it("comes with the end of the agent", async () => {
    const agent = commandAgent([
      process.execPath,
      "-e",
      "console.log(process.pid); setInterval(() => {}, 1000)",
    ]);
    const turn = new RecordedTurn(agent, "");
    await until(() => heard(turn).endsWith("\n"));
    await agent.close?.();
    expect(gone(Number(heard(turn)))).toBe(true);
    expect(await turn.end).toEqual(failure("the agent command was ended by SIGTERM"));
  });
});
