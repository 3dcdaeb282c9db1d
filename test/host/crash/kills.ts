/**
 * Real hosts that are killed while clients keep them busy: `mspkit serve` over a store on the disk, one process after
 * the other, each ended with SIGKILL at a moment of chance. What follows is held to the laws of crashes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { mintCommandId } from "../../../src/client/index.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { Random } from "../../../src/laws/random.js";
import { openStore } from "../../../src/ledger/node.js";
import { isWireError } from "../../../src/wire/index.js";
import type { Sent, Survivors } from "../../support/crash-world.js";
import type { Outcome, TestClient } from "../../support/host.js";
import { countingAgent, ServeProcess } from "../../support/serve-process.js";
import { checkEffects, checkRepeat, checkReplay, isDurable, isKept, type Stand } from "./laws.js";

/** What a campaign really did. */
export interface Counts {
  kills: number;
  /** Kills with commands on their way, and how many commands these were. */
  killsInFlight: number;
  inFlight: number;
  sessions: number;
  /** New commands, and those of them that were answered. */
  sent: number;
  answered: number;
  /** Commands that were sent again and answered, by how they stood in the log that was found. */
  replayed: number;
  stands: Record<Stand["kind"], number>;
  /** Commands that were sent over two connections at the same moment. */
  doubled: number;
  /** Turns that the agent began; turns that died with their host. */
  turnsRun: number;
  turnsLost: number;
}

interface Session {
  readonly id: string;
  /** Everything that was sent, its own beginning first. */
  readonly sent: Sent[];
  /** Lives that it has been used in. */
  lives: number;
}

const CONNECTIONS = 3;
const IN_FLIGHT = 4;
/** Sessions that are in use at once, and for how many lives: what is replayed stays of a size. */
const SESSIONS = 4;
const LIVES = 8;
/** A life ends when so many new commands were answered at most, and so many milliseconds later at most. */
const ANSWERS = 60;
const LATER_MS = 8;

/** How hosts are killed. */
export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** Spoils something when a host is dead; for a test of the laws. */
  readonly afterKill?: () => void;
  /** How often the agent says that it ran; for a test of the laws. */
  readonly agentTimes?: number;
}

/**
 * Kills hosts, and lets the last one come to rest.
 * @param url the store, in or below `folder`
 * @returns what does not hold, and what was done
 */
export async function killHosts(
  url: string,
  folder: string,
  { kills, seed, afterKill = () => undefined, agentTimes = 1 }: KillOptions,
): Promise<{ readonly broken: readonly string[]; readonly counts: Counts }> {
  const agent = countingAgent(join(folder, "agent"), agentTimes);
  const words = ["--store", url, "--agent-command", agent.command, "--workspace", folder];
  const campaign = new Campaign(url, seed);
  for (let kill = 0; kill < kills; kill++) await campaign.life(words, afterKill);
  await campaign.rest(words, agent.file);
  return campaign;
}

class Campaign {
  readonly broken: string[] = [];
  readonly counts: Counts = {
    kills: 0,
    killsInFlight: 0,
    inFlight: 0,
    sessions: 0,
    sent: 0,
    answered: 0,
    replayed: 0,
    stands: { absent: 0, pending: 0, kept: 0, settled: 0 },
    doubled: 0,
    turnsRun: 0,
    turnsLost: 0,
  };
  readonly #url: string;
  readonly #random: Random;
  readonly #sessions: Session[] = [];
  #survivors: Survivors = { sessions: new Map(), commands: new Map() };
  #inFlight = 0;
  /** Answers that the host gives before it dies. */
  #untilDeath = 0;
  #enough = (): void => undefined;
  readonly #complain = (law: string, details: object) =>
    void this.broken.push(`${law}: ${JSON.stringify(details)}`);

  constructor(url: string, seed: number) {
    this.#url = url;
    this.#random = new Random(seed);
  }

  get #inUse(): Session[] {
    return this.#sessions.filter(({ lives }) => lives < LIVES);
  }

  /** One host, from its start to its death. */
  async life(words: readonly string[], afterKill: () => void): Promise<void> {
    const host = await ServeProcess.start(words);
    const random = this.#random;
    const again = this.#inUse.reduce((sum, { sent }) => sum + sent.length, 0);
    // Some die while everything is sent again, the others while there is new work.
    this.#untilDeath = random.chance(0.3) ? random.int(0, again) : again + random.int(1, ANSWERS);
    const enough = new Promise<void>((resolve) => (this.#enough = resolve));
    if (this.#untilDeath === 0) this.#enough();
    const dies = enough.then(async () => {
      await after(random.int(0, LATER_MS));
      this.counts.kills++;
      if (this.#inFlight > 0) this.counts.killsInFlight++;
      this.counts.inFlight += this.#inFlight;
      return host.kill();
    });
    const work = this.#work(host).catch((error: unknown) => {
      this.#enough();
      if (!isWireError(error) && (error as { code?: string }).code === undefined) throw error;
    });
    try {
      await dies;
      await work;
    } finally {
      await host.kill();
    }
    afterKill();
    const inUse = this.#inUse;
    await this.#read(inUse);
    // What was told is there.
    for (const session of inUse) {
      for (const command of session.sent) if (command.outcome !== undefined) this.#checkTold(command);
      session.lives++;
    }
  }

  #checkTold(command: Sent): void {
    if (!isDurable(command.method) || !isKept(command.outcome!)) return;
    const { sessions, commands } = this.#survivors;
    const { commandId, sessionId } = command.params as { commandId: string; sessionId?: string };
    const log = command.method === "session/start" ? commands.get(commandId) : sessions.get(sessionId!);
    if (!log?.some((record) => record.type === "received" && record.id === commandId))
      this.#complain("what was answered is in the log", command);
  }

  /** Sends again what was sent, then something new for as long as the host lives. */
  async #work(host: ServeProcess): Promise<void> {
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => host.client()));
    const turns = new Map<string, Set<string>>();
    await Promise.all(
      this.#inUse.map((session, i) => this.#replay(session, clients[i % CONNECTIONS]!, turns)),
    );
    await Promise.all(
      clients.flatMap((client, i) =>
        Array.from({ length: IN_FLIGHT }, async () => {
          for (;;) await this.#something(client, clients[(i + 1) % CONNECTIONS]!, turns);
        }),
      ),
    );
  }

  /** Loads a session and sends all of it again. */
  async #replay({ id, sent }: Session, client: TestClient, turns?: Map<string, Set<string>>): Promise<void> {
    const survivors = this.#survivors;
    const [start, ...others] = sent;
    await this.#again(start!, survivors, client);
    await client.command("session/resume", { sessionId: id });
    for (const { method, params } of client.seen)
      if (method === "turn/started") known(turns, id).add(String(params["turnId"]));
    // As many at once as there are: a storm.
    await Promise.all(others.map((command) => this.#again(command, survivors, client)));
  }

  async #again(command: Sent, survivors: Survivors, client: TestClient): Promise<void> {
    const outcome = await this.#ask(client, command);
    if (!isDurable(command.method)) return;
    this.counts.replayed++;
    // A host that was killed between may have recovered what nobody was told of.
    this.counts.stands[checkReplay(command, survivors, outcome, true, this.#complain)]++;
    if (isKept(outcome)) command.outcome = outcome;
  }

  async #ask(client: TestClient, { method, params }: Sent): Promise<Outcome> {
    this.#inFlight++;
    try {
      const outcome = await client.ask(method, params);
      if (--this.#untilDeath === 0) this.#enough();
      return outcome;
    } finally {
      this.#inFlight--;
    }
  }

  /** Something new, sometimes over two connections at once. */
  async #something(client: TestClient, other: TestClient, turns: Map<string, Set<string>>): Promise<void> {
    const random = this.#random;
    const inUse = this.#inUse;
    if (inUse.length < SESSIONS) return this.#begin(client, turns);
    const begun = inUse.filter(({ sent }) => sent[0]!.outcome !== undefined);
    if (begun.length === 0) return after(1);
    const session = random.pick(begun);
    const command = this.#command(session.id, [...known(turns, session.id)]);
    session.sent.push(command);
    this.counts.sent++;
    const doubled = random.chance(0.1);
    const both = await Promise.all(
      [client, ...(doubled ? [other] : [])].map(async (of) => {
        const outcome = await this.#ask(of, command);
        command.outcome ??= isKept(outcome) ? outcome : undefined;
        return outcome;
      }),
    );
    this.counts.answered++;
    if (doubled) {
      this.counts.doubled++;
      checkRepeat(command, both[0]!, both[1]!, this.#complain);
    }
    if (command.method === "turn/start" && "result" in both[0]!)
      known(turns, session.id).add(String(both[0].result["turnId"]));
  }

  async #begin(client: TestClient, turns: Map<string, Set<string>>): Promise<void> {
    const id = mintCommandId();
    const start: Sent = {
      method: "session/start",
      params: { commandId: mintCommandId(), sessionId: id },
      outcome: undefined,
    };
    this.#sessions.push({ id, sent: [start], lives: 0 });
    this.counts.sessions++;
    this.counts.sent++;
    const outcome = await this.#ask(client, start);
    start.outcome = outcome;
    this.counts.answered++;
    known(turns, id);
  }

  #command(sessionId: string, turns: readonly string[]): Sent {
    const random = this.#random;
    const commandId = mintCommandId();
    const turnId = turns.length > 0 ? random.pick(turns) : commandId;
    const input = [{ type: "text", text: random.pick(["0", "0", "0.02"]) }];
    const make = (method: string, more: object): Sent => ({
      method,
      params: { commandId, sessionId, ...more },
      outcome: undefined,
    });
    switch (random.int(0, turns.length > 30 ? 7 : 9)) {
      case 0:
        return make("turn/unqueue", { turnId });
      case 1:
        return make("turn/interrupt", { turnId });
      case 2:
        return make("turn/steer", { expectedTurnId: turnId, input });
      case 3:
        return make("session/rename", { name: commandId });
      case 4:
        return make("session/setReasoningEffort", { reasoningEffort: random.pick(["low", "high"]) });
      case 5:
        return make("goal/set", { objective: "0" });
      case 6:
        return make("session/setApprovalMode", { mode: random.pick(["allowAll", "promptUnmatched"]) });
      case 7:
        return make("turn/start", { input, ifBusy: "steer" });
      case 8:
        return make("turn/start", { input, ifBusy: random.pick(["queue", "replace"]) });
      default:
        return make("turn/start", { input });
    }
  }

  /** The last host: everything is sent once more, comes to rest, and the whole is looked at. */
  async rest(words: readonly string[], agentFile: string): Promise<void> {
    await this.#read(this.#sessions);
    const host = await ServeProcess.start(words);
    try {
      await this.#lookAtAll(host, agentFile);
    } finally {
      await host.kill();
    }
  }

  async #lookAtAll(host: ServeProcess, agentFile: string): Promise<void> {
    const client = await host.client();
    for (const session of this.#sessions) await this.#replay(session, client);
    for (const { id } of this.#sessions) await this.#atRest(client, id);
    const final: [Sent, Outcome][] = [];
    for (const { id, sent } of this.#sessions) {
      await this.#checkView(client, id);
      for (const command of sent) {
        const outcome = await client.ask(command.method, command.params);
        if (!isDurable(command.method)) continue;
        if (command.outcome !== undefined) checkRepeat(command, command.outcome, outcome, this.#complain);
        final.push([command, outcome]);
      }
    }
    const code = await host.end();
    if (code !== 0) this.#complain("a host ends in order", { code, stderr: host.stderr });
    await this.#read(this.#sessions);
    const outside = new Map<string, number>();
    for (const id of readFileSync(agentFile, "utf8").split("\n").slice(0, -1))
      outside.set(`run ${id}`, (outside.get(`run ${id}`) ?? 0) + 1);
    checkEffects(final, this.#survivors, outside, this.#complain);
    this.counts.turnsRun = outside.size;
    for (const records of this.#survivors.sessions.values())
      for (const record of records)
        if (record.type === "event" && record.method === "turn/completed" && record.params.reason === "crash")
          this.counts.turnsLost++;
  }

  async #atRest(client: TestClient, sessionId: string): Promise<void> {
    for (;;) {
      const { history } = await client.command("session/read", { sessionId, excludeItems: false });
      const { state } = (
        history as unknown as { snapshot: { state: { activeTurn: unknown; queuedTurns: [] } } }
      ).snapshot;
      if (state.activeTurn === null && state.queuedTurns.length === 0) return;
      await after(20);
    }
  }

  async #checkView(client: TestClient, sessionId: string): Promise<void> {
    const cursors = new Set<string>();
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const params = { sessionId, limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const outcome = await client.ask("view/page", params);
      if (!("result" in outcome)) throw new Error(`a page is refused: ${JSON.stringify(outcome)}`);
      for (const { params } of outcome.result["events"] as { params: { viewCursor: string } }[]) {
        if (cursors.has(params.viewCursor)) this.#complain("cursors are unique", params);
        cursors.add(params.viewCursor);
      }
      cursor = outcome.result["nextCursor"] as string | null;
    }
  }

  /** Reads the logs of sessions, and those of the commands that began them. */
  async #read(of: readonly Session[]): Promise<void> {
    const store = openStore(this.#url);
    const parse = (entries: readonly string[] = []) =>
      entries.flatMap((entry) => JSON.parse(entry) as SessionRecord[]);
    const sessions = new Map<string, readonly SessionRecord[]>();
    const commands = new Map<string, readonly SessionRecord[]>();
    for (const { id, sent } of of) {
      sessions.set(id, parse(await store.read("sessions", id)));
      const { commandId } = sent[0]!.params;
      commands.set(commandId, parse(await store.read("commands", commandId)));
    }
    this.#survivors = { sessions, commands };
    await store.close();
  }
}

function known(turns: Map<string, Set<string>> | undefined, sessionId: string): Set<string> {
  const found = turns?.get(sessionId) ?? new Set<string>();
  turns?.set(sessionId, found);
  return found;
}
