/**
 * For every command of the workspace bundle params with which it changes something, and what has to be there before. A
 * command that is missing here fails the tests that are made from the bundle.
 */
import type { JsonObject } from "../../src/commands/app.js";

/** Asks the application for a command or a query; fails where it is rejected. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

/** Params of a command in a workspace, once what it needs is there. */
export type Scene = (ask: Ask) => Promise<JsonObject>;

const definition = (when: JsonObject = { op: "and", conditions: [] }): JsonObject => ({
  on: "apple.fell",
  when,
  steps: [{ do: "call", function: "refuse", arguments: {} }],
  maxAttempts: 1,
});

async function rule(ask: Ask): Promise<string> {
  await ask("rule/install", { ruleId: "r1", definition: definition() });
  return "r1";
}

/** A run that has failed. */
async function failedRun(ask: Ask): Promise<string> {
  await rule(ask);
  const { runIds } = await ask("event/publish", { type: "apple.fell" });
  const [runId] = runIds as readonly string[];
  for (;;) {
    const { run } = await ask("run/read", { runId: runId as string });
    if ((run as JsonObject)["status"] === "failed") return runId as string;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A run that waits for a minute. */
async function longRun(ask: Ask): Promise<string> {
  const steps = [{ do: "wait", ms: 60_000 }];
  await ask("rule/install", { ruleId: "slow", definition: { ...definition(), on: "snow.fell", steps } });
  const { runIds } = await ask("event/publish", { type: "snow.fell" });
  return (runIds as readonly string[])[0] as string;
}

/** The scenes, by their methods. */
export const scenes: Readonly<Record<string, Scene>> = {
  "event/publish": async () => ({ type: "apple.fell", data: { row: 3 } }),
  "feedback/give": async (ask) => ({ runId: await failedRun(ask), score: 1, comment: "ripe" }),
  "rule/archive": async (ask) => ({ ruleId: await rule(ask) }),
  "rule/install": async () => ({ ruleId: "r2", definition: definition() }),
  "rule/replay": async (ask) => {
    await ask("event/publish", { type: "apple.fell" });
    return { ruleId: await rule(ask) };
  },
  "rule/update": async (ask) => ({
    ruleId: await rule(ask),
    definition: definition({ op: "not", condition: { op: "or", conditions: [] } }),
  }),
  "run/cancel": async (ask) => ({ runId: await longRun(ask) }),
  "run/retry": async (ask) => ({ runId: await failedRun(ask) }),
  "run/skip": async (ask) => ({ runId: await failedRun(ask) }),
};

/** All that is in a workspace, but for what runs change by themselves. */
export async function contents(ask: Ask): Promise<JsonObject> {
  const { events } = await ask("event/list", {});
  const { rules } = await ask("rule/list", {});
  const { runs } = await ask("run/list", {});
  const { feedback } = await ask("feedback/list", {});
  const attempts = (runs as readonly JsonObject[]).map(({ runId, attempt }) => ({ runId, attempt }));
  return { events, rules, attempts, feedback } as unknown as JsonObject;
}

/** How much there is of all that, down to versions and attempts: what two workspaces have in common that had the same commands. */
export function sizes({ events, rules, attempts, feedback }: JsonObject): JsonObject {
  const numbers = (rows: unknown, name: string) => (rows as JsonObject[]).map((row) => row[name] as number);
  return {
    events: numbers(events, "position"),
    versions: numbers(rules, "version"),
    states: numbers(rules, "state"),
    attempts: numbers(attempts, "attempt"),
    feedback: (feedback as JsonObject[]).length,
  };
}
