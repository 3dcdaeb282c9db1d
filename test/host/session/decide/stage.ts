/** A session of which each decision is looked at by itself: its records are folded at once. */

import type { TurnEnd } from "../../../../src/host/agents/agent.js";
import type { CommandName } from "../../../../src/host/payloads.js";
import { ended, started } from "../../../../src/host/session/decide/lifecycle.js";
import { decide } from "../../../../src/host/session/decide.js";
import { type Context, type Decision, Draft } from "../../../../src/host/session/decision.js";
import type { CommandAnswer, SessionRecord, ViewEvent } from "../../../../src/host/session/records.js";
import { SessionState } from "../../../../src/host/session/state.js";
import { commandOf, idMaker, SESSION_ID } from "../simulation.js";

/** When everything happens, unless a test says another time. */
export const NOW = Date.UTC(2026, 0, 1);

/** NOW as the protocol writes it. */
export const TIME = "2026-01-01T00:00:00.000Z";

/** As the protocol writes it, 1,500 ms later. */
export const LATER = "2026-01-01T00:00:01.500Z";

/** The input of every turn. */
export const INPUT = [
  { type: "text", text: "Prune" },
  { type: "image", mediaType: "image/png", base64Data: "AAAA" },
  { type: "text", text: " it" },
];

/** A session with its state, to which one thing after the other happens. */
export class Stage {
  state = new SessionState();
  /** All that was decided. */
  readonly log: SessionRecord[] = [];
  now = NOW;
  /** What differs from a host that allows everything. */
  context: Partial<Context> = {};
  readonly #ids = idMaker("8000");
  readonly #mintId = idMaker("9000");

  constructor(members: { readonly modelId?: string | null } = {}) {
    const session = {
      sessionId: SESSION_ID,
      status: "idle" as const,
      turnCount: 0,
      path: "",
      createdAt: TIME,
      updatedAt: TIME,
      workspaceRoot: null,
      providerId: "here",
      modelId: members.modelId === undefined ? "small" : members.modelId,
      forkedFrom: null,
      activeTurnId: null,
    };
    this.apply([
      { type: "session", session, workspaceRoots: ["/old"], commandId: "first", history: [], at: NOW },
    ]);
  }

  /** Folds records, as they are read from a log. */
  apply(records: readonly SessionRecord[]): void {
    for (const record of JSON.parse(JSON.stringify(records)) as SessionRecord[]) {
      this.log.push(record);
      this.state.apply(record, this.log.length);
    }
  }

  /** What a command comes to; it has an id of its own. */
  command(method: CommandName, params: object, id = this.#ids()): Decision & { readonly id: string } {
    const decision = decide(this.state, commandOf(method, id, params), this.#context());
    this.apply(decision.records);
    return { ...decision, id };
  }

  /** What something else comes to. */
  happens(decider: (draft: Draft) => Decision): Decision {
    const decision = decider(new Draft(this.state, this.#context()));
    this.apply(decision.records);
    return decision;
  }

  /** A turn that a client starts. */
  start(params: object = {}, id?: string): string {
    return this.command("turn/start", { input: INPUT, ...params }, id).id;
  }

  /** A turn that runs. */
  run(params: object = {}): string {
    const turnId = this.start(params);
    this.happens((draft) => started(draft, turnId));
    return turnId;
  }

  #context(): Context {
    return {
      now: this.now,
      mintId: this.#mintId,
      models: undefined,
      maxQueuedTurns: 2,
      approvalModes: [],
      canCompact: true,
      leaving: false,
      streaming: [],
      outputs: new Map(),
      ...this.context,
    };
  }
}

/** The events of a decision, as method and params. */
export function eventsOf({ records }: Decision): readonly (readonly [ViewEvent["method"], object])[] {
  return records.flatMap((record) =>
    record.type === "event" ? [[record.method, record.params] as const] : [],
  );
}

/** The records that are no events and not those of the command itself. */
export function othersOf({ records }: Decision): readonly SessionRecord[] {
  return records.filter(({ type }) => type !== "event" && type !== "received");
}

/** The launch of a turn has come to something. */
export function start(stage: Stage, turnId: string): Decision {
  return stage.happens((draft) => started(draft, turnId));
}

/** The agent of a turn is done. */
export function end(stage: Stage, turnId: string, how?: TurnEnd): Decision {
  return stage.happens((draft) => ended(draft, turnId, how));
}

/** The record of a command that has its outcome. */
export function settled(id: string, outcome: "accepted" | "rejected", answer?: CommandAnswer): SessionRecord {
  return { type: "settled", id, outcome, ...(answer === undefined ? {} : { answer }), at: NOW };
}

/** The record of a turn that is launched from the queue. */
export function launching(turnId: string): SessionRecord {
  return { type: "launching", turnId, at: NOW };
}
