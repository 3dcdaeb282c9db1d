/** `npm start`: generates, shows the embedded host at work, and tries the laws on it. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mspkit } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly commandId: string };
  readonly result?: unknown;
}

function start(
  cwd: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, "scripts/start.mjs")], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

it("says what it made, and prints the frames of a retry: two requests, one command, one turn", async () => {
  const { code, stdout, stderr } = await start(ROOT);
  // What the laws have to say beside their table is the command that tries the same cases again.
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^seed \d+\nagain: mspkit laws run .*\n$/),
  });
  expect(stdout).toMatch(/^nothing to write, \d+ ms$/m);
  const frames = (arrow: string): Frame[] =>
    stdout
      .split("\n")
      .filter((line) => line.startsWith(`${arrow} `))
      .map((line) => JSON.parse(line.slice(3)) as Frame);
  const sent = frames("->");
  const [first, second] = sent;
  expect(sent).toHaveLength(2);
  expect(second!.params).toEqual(first!.params);
  expect(second!.id).not.toBe(first!.id);
  const heard = frames("<-");
  const acks = [first, second].map((request) => heard.find(({ id }) => id === request!.id)?.result);
  expect(acks[0]).toMatchObject({ commandId: first!.params!.commandId, status: "accepted" });
  expect(acks[1]).toEqual(acks[0]);
  expect(heard.filter(({ method }) => method === "turn/started")).toHaveLength(1);
  const held = [...stdout.matchAll(/^holds +([a-z-]+)/gm)].map(([, law]) => law);
  expect(held).toContain("replay-identity");
  expect(stdout).toMatch(/^\d+ hold, 0 broken, /m);
});

it("stops where the generator stops, with its exit code", async () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, "mspkit.config.json"), "{");
  const { code, stdout } = await start(folder);
  expect(code).not.toBe(0);
  expect(code).toBe((await mspkit(["generate"], { cwd: folder })).code);
  expect(stdout).not.toContain("->");
});
