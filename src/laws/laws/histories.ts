/**
 * The walk: commands of every kind in any order, over several connections, sent again, sent with another payload, at once,
 * with crashes and reconnects between them. What comes of it is judged by the models of commands and of turns alone.
 */
import fc from "fast-check";
import type { Sent } from "../client.js";
import type { Ability, CrashPoint } from "../driver/driver.js";
import { type AnyLaw, law } from "../law.js";
import type { JsonObject } from "../model/history.js";
import { type Trial, textInput } from "../trial.js";
import { crashPoints, turnParams } from "./crashes.js";
import { isEnd, viewOf } from "./session-view.js";

const COMMANDS = [
  "turn",
  "steer",
  "interrupt",
  "cancel",
  "unqueue",
  "rename",
  "effort",
  "goal/set",
  "goal/edit",
  "goal/pause",
  "goal/resume",
  "goal/clear",
] as const;
const PROMPTS = ["quick", "busy", "failing", "failingLaunch"] as const;
const IF_BUSY = [undefined, "queue", "steer", "replace"] as const;

type Command = (typeof COMMANDS)[number];

/** A step of a walk. Numbers choose among what there is by then. */
type Step =
  | { readonly kind: "command"; readonly command: Command; readonly pick: number; readonly how: number }
  | { readonly kind: "replay"; readonly pick: number }
  | { readonly kind: "conflict"; readonly pick: number }
  | { readonly kind: "burst"; readonly pick: number; readonly how: number }
  | { readonly kind: "crash"; readonly point: CrashPoint; readonly pick: number; readonly how: number }
  | { readonly kind: "restart" }
  | { readonly kind: "reconnect" }
  | { readonly kind: "quiet" };

interface WalkStep {
  readonly step: Step;
  /** Which connection does it. */
  readonly by: number;
  /** In which session. */
  readonly on: number;
  readonly wait: boolean;
}

interface Walk {
  readonly sessions: number;
  readonly steps: readonly WalkStep[];
}

const CONNECTIONS = 3;
const small = () => fc.integer({ min: 0, max: 7 });

function steps(): fc.Arbitrary<Step> {
  const kind = <K extends string>(...kinds: readonly K[]) => fc.constantFrom(...kinds);
  return fc.oneof(
    { withCrossShrink: true },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: kind("command"),
        command: kind(...COMMANDS),
        pick: small(),
        how: small(),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: kind("replay", "conflict"), pick: small() }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("burst"), pick: small(), how: small() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("quiet", "reconnect", "restart") }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: kind("crash"), point: crashPoints(4, 10), pick: small(), how: small() }),
    },
  );
}

const commandHistories = law<Walk>({
  id: "command-histories",
  level: "core",
  promise:
    "Whatever is asked, asked again and asked at once, over crashes and new connections: each command has one answer and one effect, and turns follow each other as they were admitted.",
  needs: ["quick", "busy"],
  least: { operations: 300, replays: 50, conflicts: 10, overlapping: 40 },
  runs: 60,
  cases: () =>
    fc.record({
      sessions: fc.integer({ min: 1, max: 2 }),
      steps: fc.array(
        fc.record({
          step: steps(),
          by: fc.integer({ min: 0, max: CONNECTIONS - 1 }),
          on: fc.integer({ min: 0, max: 1 }),
          wait: fc.boolean().map((not) => !not),
        }),
        { minLength: 1, maxLength: 16, size: "max" },
      ),
    }),
  run: async (trial, walk) => new Walker(trial).walk(walk),
});

/** A command that was sent, and can be sent again. */
interface Known {
  readonly method: string;
  readonly params: JsonObject;
}

class Walker {
  readonly #trial: Trial;
  readonly #connections: number;
  readonly #mortal: boolean;
  readonly #resumes: boolean;
  readonly #sessions: string[] = [];
  /** Sessions that the host that lives has loaded. */
  readonly #loaded = new Set<string>();
  readonly #known: Known[] = [];
  #flying: Sent[] = [];
  #words = 0;

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#connections = trial.can("connections") ? CONNECTIONS : 1;
    this.#resumes = trial.can("serves:session/resume");
    this.#mortal = this.#resumes && trial.can("durable") && trial.can("crash");
  }

  async walk({ sessions, steps: all }: Walk): Promise<void> {
    const trial = this.#trial;
    for (let i = 0; i < sessions; i++) {
      const sessionId = await trial.session();
      this.#sessions.push(sessionId);
      this.#loaded.add(sessionId);
    }
    trial.count("sessions", sessions);
    for (const each of all) await this.#step(each);
    for (const sent of this.#flying) await trial.answer(sent);
    for (const sessionId of this.#sessions) await this.#settle(sessionId);
    const { operations } = trial.history;
    trial.count("operations", operations.length);
    trial.count("partial", operations.filter(({ outcome }) => outcome === undefined).length);
    trial.count("overlapping", overlapping(operations));
    trial.history.settled = trial.can("serves:view/page");
  }

  async #step({ step, by: wish, on, wait }: WalkStep): Promise<void> {
    const trial = this.#trial;
    const by = wish % this.#connections;
    const sessionId = this.#sessions[on % this.#sessions.length] as string;
    switch (step.kind) {
      case "quiet":
        return trial.quiet();
      case "restart":
        if (!this.#mortal) return;
        await trial.restart();
        return this.#died();
      case "crash": {
        if (!this.#mortal) return;
        await this.#load(sessionId, by);
        const made = this.#make("turn", sessionId, step.pick, step.how) as Known;
        this.#known.push(made);
        await trial.crashDuring(step.point, async () => {
          await this.#send(made, by, false);
          await trial.quiet();
        });
        trial.count("crashes");
        return this.#died();
      }
      case "reconnect":
        return this.#reconnect(by);
      default:
    }
    await this.#load(sessionId, by);
    if (step.kind === "replay" || step.kind === "conflict") {
      const known = this.#known[step.pick % this.#known.length];
      if (known === undefined) return;
      await this.#load(String(known.params["sessionId"]), by);
      const other = step.kind === "conflict" ? this.#otherwise(known) : undefined;
      trial.count(other === undefined ? "replays" : "conflicts");
      return this.#send(other ?? known, by, wait);
    }
    const command = step.kind === "command" ? step.command : "turn";
    const made = this.#make(command, sessionId, step.pick, step.how);
    if (made === undefined || !this.#served(made.method)) return;
    this.#known.push(made);
    if (step.kind === "command") return this.#send(made, by, wait);
    for (let i = 0; i < 3; i++) await this.#send(made, (by + i) % this.#connections, false);
    trial.count("replays", 2);
  }

  #died(): void {
    this.#flying = [];
    this.#loaded.clear();
  }

  #served(method: string): boolean {
    return method === "turn/start" || this.#trial.can(`serves:${method}` as Ability);
  }

  async #send({ method, params }: Known, by: number, wait: boolean): Promise<void> {
    const sent = await this.#trial.send(method, params, { by });
    if (wait) await this.#trial.answer(sent);
    else this.#flying.push(sent);
  }

  /** Loads a session on the host that lives. */
  async #load(sessionId: string, by: number): Promise<void> {
    if (this.#loaded.has(sessionId)) return;
    this.#loaded.add(sessionId);
    await this.#trial.resume(sessionId, {}, by);
  }

  async #reconnect(by: number): Promise<void> {
    const trial = this.#trial;
    // Without several connections that is a new life.
    if (!this.#resumes || (this.#connections === 1 && !this.#mortal)) return;
    const { connection } = await trial.client(by);
    if (this.#connections === 1) this.#loaded.clear();
    this.#flying = this.#flying.filter(({ operation }) => operation.connection !== connection);
    await trial.reconnect(by);
    trial.count("reconnects");
    for (const sessionId of this.#sessions)
      if (this.#loaded.has(sessionId)) await trial.resume(sessionId, {}, by);
  }

  /** A command of a kind; undefined where there is nothing that it could be for. */
  #make(kind: Command, sessionId: string, pick: number, how: number): Known | undefined {
    const trial = this.#trial;
    const base = { sessionId, commandId: trial.mint() };
    const word = `word ${++this.#words}`;
    switch (kind) {
      case "turn": {
        const prompt = trial.prompts[PROMPTS[how % PROMPTS.length] ?? "quick"] ?? trial.prompts.quick;
        const ifBusy = IF_BUSY[pick % IF_BUSY.length];
        const more = ifBusy === undefined ? {} : { ifBusy };
        return { method: "turn/start", params: { ...turnParams(trial, sessionId, prompt), ...more } };
      }
      case "rename":
        return { method: "session/rename", params: { ...base, name: word } };
      case "effort":
        return {
          method: "session/setReasoningEffort",
          params: { ...base, reasoningEffort: pick % 2 === 0 ? "low" : "high" },
        };
      case "goal/set":
        return { method: kind, params: { ...base, objective: trial.prompts.quick } };
      case "goal/edit":
        return { method: kind, params: { ...base, objective: word } };
      case "goal/pause":
      case "goal/resume":
      case "goal/clear":
        return { method: kind, params: base };
      default:
    }
    const turnId = this.#turnOf(sessionId, pick);
    if (turnId === undefined) return undefined;
    if (kind === "steer")
      return {
        method: "turn/steer",
        params: { ...base, expectedTurnId: turnId, input: textInput(word) },
      };
    return { method: `turn/${kind}`, params: { ...base, turnId } };
  }

  /** The same command with another payload; undefined for those that have nothing that could be another. */
  #otherwise({ method, params }: Known): Known | undefined {
    const word = `other ${++this.#words}`;
    if (method === "turn/start" || method === "turn/steer")
      return { method, params: { ...params, input: textInput(word) } };
    if (method === "session/rename") return { method, params: { ...params, name: word } };
    if (method === "goal/set" || method === "goal/edit")
      return { method, params: { ...params, objective: word } };
    return undefined;
  }

  /** A turn of a session: what runs first, as far as it was heard, then those that were acked, the latest first. */
  #turnOf(sessionId: string, pick: number): string | undefined {
    const { told, operations } = this.#trial.history;
    const turns = new Set<string>();
    const running = new Set<string>();
    for (const { method, params } of told) {
      if (params["sessionId"] !== sessionId) continue;
      if (method === "turn/started") running.add(String(params["turnId"]));
      if (isEnd(method)) running.delete(String(params["turnId"]));
    }
    for (const turnId of running) turns.add(turnId);
    for (const { params, outcome } of [...operations].reverse()) {
      if (params["sessionId"] !== sessionId || outcome === undefined || !("result" in outcome)) continue;
      const { turnId } = outcome.result;
      if (typeof turnId === "string") turns.add(turnId);
    }
    return [...turns][pick % Math.max(1, turns.size)];
  }

  /** Ends what runs in a session, until nothing does. */
  async #settle(sessionId: string): Promise<void> {
    const trial = this.#trial;
    await this.#load(sessionId, 0);
    if (this.#known.some(({ method }) => method.startsWith("goal/")))
      await trial.ask("goal/clear", { sessionId, commandId: trial.mint() });
    // Each round ends a turn, of which there are no more than commands.
    for (let round = 0; round <= this.#known.length; round++) {
      await trial.quiet();
      const running = new Set<string>();
      for (const { method, params } of (await viewOf(trial, sessionId)).events) {
        if (method === "turn/started") running.add(String(params["turnId"]));
        if (isEnd(method)) running.delete(String(params["turnId"]));
      }
      if (running.size === 0) return;
      for (const turnId of running)
        await trial.ask("turn/interrupt", { sessionId, turnId, commandId: trial.mint() });
    }
  }
}

/** How many operations were sent while another one had no answer yet. */
function overlapping(operations: Trial["history"]["operations"]): number {
  let latest = 0;
  let times = 0;
  for (const { sent, answered } of operations) {
    if (sent < latest) times++;
    latest = Math.max(latest, answered ?? Number.POSITIVE_INFINITY);
  }
  return times;
}

/** See the top of the file. */
export const historyLaws: readonly AnyLaw[] = [commandHistories];
