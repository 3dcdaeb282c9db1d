/** The hosts in Python and Go keep what they declare, and a fault in one of them is found. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mspkit } from "../support/cli.js";
import { DURABLE, exampleHosts, lawNamed, openExample, tryLaws } from "../support/example-hosts.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const EMITTER = join(ROOT, "examples/hosts/protocol.mjs");

describe("what the hosts know of the protocol", () => {
  it("is what the schema says now", async () => {
    const folder = scratchFolder();
    const words = ["generate", "--emitter", EMITTER, "--only", "schema", "--out", folder];
    expect(await mspkit(words)).toMatchObject({ code: 0 });
    const made = readFileSync(join(folder, "experimental/protocol.json"), "utf8");
    expect(JSON.parse(made)).toHaveProperty(["methods", "turn/start", "params"]);
    for (const host of exampleHosts)
      expect(readFileSync(join(host.folder, "protocol.json"), "utf8"), host.name).toBe(made);
  });

  it("is made as every emitter must make it", async () => {
    expect(await mspkit(["emitter", "check", EMITTER])).toMatchObject({ code: 0 });
  });
});

/** A few laws of each kind, whose cases are short; a campaign tries them all. */
const FEW = ["replay-identity", "conflict-payload", "turn-identity", "page-equals-push", "invalid-refused"];
const FEW_DURABLE = ["ack-implies-durable", "abandoned-settlement", "queued-ack-survives"];
const few = [...FEW, ...FEW_DURABLE].map(lawNamed);

for (const host of exampleHosts)
  describe.skipIf(host.missing !== undefined)(`the host in ${host.name}`, () => {
    it.each([
      ["with a log", DURABLE],
      ["in memory", []],
    ])("keeps some of the laws that it declares, %s", async (how, words) => {
      const driver = await openExample(host, words);
      expect(driver.answers.why).toBeUndefined();
      expect(driver.abilities).toContain(how === "in memory" ? "ephemeral" : "durable");
      const runs = await tryLaws(driver, few, () => 2);
      const broken = [...runs.values()].flatMap((run) => run.broken ?? []);
      expect(broken.map(({ law, of, what, details }) => ({ law, of, what, details }))).toEqual([]);
      const checks = [...runs.values()].reduce((sum, { counts }) => sum + (counts["checks"] ?? 0), 0);
      expect(runs.size).toBe(how === "in memory" ? FEW.length : few.length);
      expect(checks).toBeGreaterThanOrEqual(20);
    });

    it("has the faults that its table says, each with a law that there is", () => {
      expect(host.faults.length).toBeGreaterThanOrEqual(5);
      for (const { law } of host.faults) expect(lawNamed(law).id).toBe(law);
      const source = readFileSync(join(host.folder, host.name === "go" ? "faults.go" : "faults.py"), "utf8");
      const switches = [...source.matchAll(/^\s+"([a-z-]+)":/gm)].map(([, name]) => name);
      expect(host.faults.map(({ name }) => name).sort()).toEqual(switches.sort());
    });

    it("breaks the law that a fault breaks", async () => {
      const { name, law } = host.faults[1] as (typeof host.faults)[number];
      const driver = await openExample(host, [...DURABLE, "--fault", name]);
      const run = (await tryLaws(driver, [lawNamed(law)], () => 10)).get(law);
      expect(run?.broken).toMatchObject({ law, of: law });
    });

    it("refuses a fault that it does not know", () => {
      const [program = "", ...words] = host.words();
      const run = spawnSync(program, [...words, "--fault", "nothing"], { cwd: host.folder });
      expect(run.status).toBe(2);
    });

    it("takes a folder for itself alone", async () => {
      const folder = scratchFolder();
      const [program = "", ...words] = host.words();
      const all = [...words, "--log", folder];
      const first = spawn(program, all, { cwd: host.folder, stdio: ["pipe", "pipe", "ignore"] });
      const greeting = { jsonrpc: "2.0", id: 1, method: "initialize", params: { clientInfo: CLIENT } };
      first.stdin.write(`${JSON.stringify(greeting)}\n`);
      await new Promise((resolve) => first.stdout.once("data", resolve));
      expect(spawnSync(program, all, { cwd: host.folder, input: "" }).status).toBe(4);
      const ended = new Promise((resolve) => first.once("exit", resolve));
      first.stdin.end();
      expect(await ended).toBe(0);
      expect(spawnSync(program, all, { cwd: host.folder, input: "" }).status).toBe(0);
    });
  });

const CLIENT = { name: "test", version: "1" };

/** The steps that both hosts have: the others are refused by them as malformed. */
const STEPS = new Set(["say", "wait", "fail", "failLaunch", "hang", "malformed"]);

const READ_SCRIPTS = `
import json, sys
sys.path.insert(0, sys.argv[1])
from agent import parse
print(json.dumps([parse(prompt) for prompt in json.load(sys.stdin)]))
`;

describe.skipIf(exampleHosts[0]?.missing !== undefined)("the test agent in Python", () => {
  it("reads the scripts of the vectors as they are to be read", () => {
    interface Row {
      readonly prompt: string;
      readonly steps: readonly { readonly step: string; readonly text?: string; readonly ms?: number }[];
    }
    const rows = readFileSync(join(ROOT, "schema/msp/vectors/test-agent.ndjson"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row)
      .filter(({ steps }) => steps.every(({ step }) => STEPS.has(step)));
    expect(rows.length).toBeGreaterThanOrEqual(20);
    const input = JSON.stringify(rows.map(({ prompt }) => prompt));
    const folder = exampleHosts[0]?.folder ?? "";
    const run = spawnSync("python3", ["-c", READ_SCRIPTS, folder], { input, encoding: "utf8" });
    const read = JSON.parse(run.stdout) as readonly (readonly (readonly [string, unknown])[])[];
    const expected = rows.map(({ steps }) =>
      steps.map(({ step, text, ms }) => {
        if (step === "failLaunch") return ["fail-launch", null];
        return [step, step === "malformed" ? expect.any(String) : (text ?? ms ?? null)];
      }),
    );
    expect(read).toEqual(expected);
  });
});
