/** The grammar of the test agent, held by its vectors. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Agent, AgentTools, UserInputReply } from "../../../src/host/agents/agent.js";
import { DIRECTIVES, LONGEST_WAIT_MS, parseScript, SCRIPT_VERSION } from "../../../src/host/agents/script.js";
import { scriptedAgent } from "../../../src/host/agents/scripted.js";
import { type Entry, ManualClock, RecordedTurn } from "../../support/agent-tools.js";
import { ROOT } from "../../support/repo.js";

interface Row {
  readonly version: number;
  readonly name: string;
  readonly prompt: string;
  readonly steps: readonly Entry[];
  readonly play?: readonly Entry[];
}

const rows = readFileSync(join(ROOT, "schema/msp/vectors/test-agent.ndjson"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const plays = rows.filter((row) => row.play !== undefined);

/** What a line of a play says that a client does. */
interface Act {
  readonly client: string;
  readonly text?: string;
  readonly item?: string;
  readonly choiceId?: string;
  readonly feedback?: string;
  readonly answers?: UserInputReply["answers"];
  readonly clarification?: UserInputReply["clarification"];
}

const ACTS: Readonly<Record<string, (turn: RecordedTurn, act: Act) => void>> = {
  "turn/interrupt": (turn) => turn.interrupt(),
  "turn/steer": (turn, { text = "" }) => turn.steer(text),
  "task/stop": (turn, { item = "" }) => turn.task("stop", item),
  "task/background": (turn, { item = "" }) => turn.task("background", item),
  "approval/decide": (turn, { choiceId = "", feedback }) => turn.decide(choiceId, feedback),
  "userInput/answer": (turn, { answers = [] }) => turn.settle({ outcome: "answered", answers }),
  "userInput/clarify": (turn, { clarification = null }) =>
    turn.settle({ outcome: "clarified", clarification }),
  "userInput/cancel": (turn) => turn.settle({ outcome: "cancelled" }),
};

/** What happens when the clients and the clock of a row do what it says. */
async function played({ prompt, play = [] }: Row, mutant: Mutant = {}): Promise<readonly Entry[]> {
  const clock = new ManualClock();
  const agent = mutated(scriptedAgent({ sleep: clock.sleep }), mutant);
  const turn = new RecordedTurn(agent, prompt, { clock });
  await turn.settled();
  for (const entry of play) {
    if ("host" in entry) continue;
    turn.entries.push(entry);
    if (typeof entry["passes"] === "number") clock.advance(entry["passes"]);
    else ACTS[String(entry["client"])]?.(turn, entry as Entry & Act);
    await turn.settled();
  }
  return turn.entries;
}

/** What an agent hears and says instead of what it should. */
interface Mutant {
  readonly launch?: Agent["launch"];
  readonly tools?: (tools: AgentTools) => Partial<AgentTools>;
}

function mutated(agent: Agent, { launch = agent.launch, tools = () => ({}) }: Mutant): Agent {
  return {
    ...(launch === undefined ? {} : { launch }),
    run: (turn, given) =>
      agent.run(
        turn,
        // Bound: what is got through the prototype has private members.
        new Proxy(given, {
          get(target, name): unknown {
            const member: unknown =
              Reflect.get({ ...tools(given) }, name) ?? Reflect.get(target, name, target);
            return typeof member === "function" ? member.bind(target) : member;
          },
        }),
      ),
  };
}

/** Agents that are nearly right, each with the rows of which at least one must tell. */
const MUTANTS: Readonly<Record<string, Mutant>> = {
  "hears no interrupt": { tools: () => ({ signal: new AbortController().signal }) },
  "hears no steer": { tools: () => ({ onSteer: () => undefined }) },
  "hears nothing of its tasks": { tools: () => ({ onTask: () => undefined }) },
  "launches all": { launch: () => undefined },
  "says no piece of a text": {
    tools: (given) => ({
      emit: (event) => (event.type === "itemDelta" ? undefined : given.emit(event)),
    }),
  },
  "completes whatever was rejected": {
    tools: (given) => ({
      emit: (event) =>
        given.emit(
          event.type === "itemCompleted" ? { ...event, item: { ...event.item, status: "completed" } } : event,
        ),
    }),
  },
};

describe("the script of a prompt", () => {
  it.each(rows.map((row) => [row.name, row] as const))("%s", (_name, { prompt, steps, version }) => {
    expect(version).toBe(SCRIPT_VERSION);
    expect(parseScript(prompt)).toEqual(steps);
  });

  it("has a row that reads and one that refuses for every directive", () => {
    const named = (lines: readonly string[]): string[] => [
      ...new Set(lines.flatMap((line) => /^\/([a-z-]+)/.exec(line)?.[1] ?? [])),
    ];
    const malformed = rows.flatMap(({ steps }) => steps.filter(({ step }) => step === "malformed"));
    const names = Object.keys(DIRECTIVES).sort();
    const read = rows.filter(({ steps }) => steps[0]?.["step"] !== "malformed");
    expect(named(read.flatMap(({ prompt }) => prompt.split("\n")))).toEqual(expect.arrayContaining(names));
    expect(named(malformed.map(({ text }) => String(text)))).toEqual(expect.arrayContaining(["wait", "say"]));
    for (const name of names.filter((name) => name !== "say"))
      expect(parseScript(`/${name} x y z`)).toEqual([{ step: "malformed", line: 1, text: `/${name} x y z` }]);
    expect(rows.length).toBeGreaterThan(70);
  });

  it("names no wait that a timer of this process cannot hold", () => {
    expect(LONGEST_WAIT_MS).toBe(2 ** 31 - 1);
  });

  it("is read in one pass: a million lines", () => {
    expect(parseScript("/say x\n".repeat(1_000_000))).toHaveLength(1_000_000);
    expect(parseScript("x\n".repeat(1_000_000))).toHaveLength(1);
  });
});

describe("the play of a prompt", () => {
  it.each(plays.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    expect(await played(row)).toEqual(row.play);
  });

  it("is played for every kind of step", () => {
    const steps = new Set(plays.flatMap((row) => row.steps.map(({ step }) => step)));
    expect([...steps].sort()).toEqual(
      ["approve", "ask", "deaf", "fail", "failLaunch", "hang", "malformed", "say", "tool", "wait"].sort(),
    );
    expect(plays.length).toBeGreaterThan(35);
  });

  it.each(Object.entries(MUTANTS))("catches an agent that %s", async (_name, mutant) => {
    let caught = 0;
    for (const row of plays) if (!isDeepStrictEqual(await played(row, mutant), row.play)) caught++;
    expect(caught).toBeGreaterThan(0);
    expect(caught).toBeLessThan(plays.length);
  });
});
