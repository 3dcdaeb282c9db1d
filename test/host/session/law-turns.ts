/**
 * The laws of turns: each that was promised has one end, steers and stops reach the turn that they name, the queue is
 * launched in order, one turn runs at a time.
 */
import { keyOf } from "../../../src/host/session/state.js";
import { ackOf, type Counts, commandIn, eventsOf, hold, reasonOf, recordsOf, same, sameId } from "./law.js";
import { type Happened, MOST_QUEUED, type Simulation } from "./simulation.js";

interface Turn {
  readonly turnId: string;
  readonly commandId: string;
  readonly queued: boolean;
  phase: "queued" | "launching" | "started" | "ended";
  how: string | undefined;
  stopping: boolean;
  retract: boolean;
  messages: number;
}

/** The laws of turns. */
export class TurnLaws {
  readonly #counts: Counts;
  readonly #turns = new Map<string, Turn>();
  readonly #steers = new Map<string, { readonly turnId: string; shown: number }>();
  #active: Turn | undefined;
  #queue: Turn[] = [];
  #leaving = false;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  happened(happened: Happened): void {
    const command = commandIn(happened);
    if (command === undefined) this.#noCommand(happened);
    else {
      if (ackOf(happened) === undefined) this.#addedNothing(happened);
      this.#mayStop(happened, command.method);
      switch (command.method) {
        case "turn/start":
          this.#start(happened, command.payload["ifBusy"]);
          break;
        case "turn/steer":
          this.#steer(happened, String(command.payload["expectedTurnId"]));
          break;
        case "turn/interrupt":
        case "turn/cancel":
          this.#stop(happened, command.payload["turnId"] as string | undefined);
          break;
        case "turn/unqueue":
          this.#unqueue(happened, String(command.payload["turnId"]));
          break;
        case "session/leave":
          this.#leaving = true;
          break;
      }
    }
    for (const record of happened.decision.records) this.#record(record, happened);
    if (happened.what === "recovered") this.#leaving = false;
    hold("the queue goes on", this.#active !== undefined || this.#queue.length === 0 || this.#leaving, {
      queue: this.#queue,
    });
  }

  /** The state says what the model says. */
  settled({ state }: Simulation): void {
    same("one turn runs, and the state knows which", state.active?.turnId, this.#active?.turnId);
    same(
      "the queue is in the order of its acks",
      state.queue.map(({ turnId }) => turnId),
      this.#queue.map(({ turnId }) => turnId),
    );
    if (this.#queue.length > 1) this.#counts.met("a queue of several");
  }

  /** Nothing more comes. */
  finished(): void {
    for (const turn of this.#turns.values()) hold("each turn has an end", turn.phase === "ended", turn);
    for (const [commandId, steer] of this.#steers)
      hold("each steer that was accepted is shown", steer.shown === 1, { commandId, steer });
  }

  #noCommand(happened: Happened): void {
    hold("only clients begin turns", recordsOf(happened, "turn").length === 0, happened);
    hold("only clients stop turns", recordsOf(happened, "stopping").length === 0, happened);
  }

  #addedNothing({ decision: { records, effects, answer } }: Happened): void {
    const refused = "refusal" in answer;
    hold("a rejected command adds no effect", effects.length === 0, effects);
    hold(
      "a rejected command adds no event",
      refused ? records.length === 0 : records.every(({ type }) => type === "received" || type === "settled"),
      records,
    );
  }

  /** Which commands may stop a turn, and that it is the one that runs. */
  #mayStop(happened: Happened, method: string): void {
    const stops = recordsOf(happened, "stopping");
    const stopped = happened.decision.effects.filter(({ type }) => type === "stop");
    if (stops.length === 0 && stopped.length === 0) return;
    const stopping: readonly string[] = [
      "turn/interrupt",
      "turn/cancel",
      "turn/start",
      "userInput/interrupt",
      "session/leave",
    ];
    hold("no other command stops a turn", stopping.includes(method), happened);
    const { turnId } = this.#active ?? { turnId: "" };
    hold("only the turn that runs is stopped", stops.length === 1 && stops[0]!.turnId === turnId, happened);
    same("only the turn that runs is stopped", stopped, [{ type: "stop", turnId }]);
  }

  #start(happened: Happened, ifBusy: unknown): void {
    const command = commandIn(happened)!;
    const ack = ackOf(happened);
    const made = recordsOf(happened, "turn");
    const { records, answer, effects } = happened.decision;
    const active = this.#active;
    if (ifBusy === "steer" && active !== undefined && !active.stopping) {
      this.#counts.met("a start that steers");
      same("a start that steers is acked with the turn that runs", ack?.["turnId"], active.turnId);
      same("a start that steers is acked as such", ack?.["disposition"], "steered");
      hold("a start that steers begins no turn", made.length === 0, records);
      this.#steered(happened, active);
      return;
    }
    const busy = active !== undefined || this.#queue.length > 0;
    if (busy && this.#queue.length >= MOST_QUEUED) {
      this.#counts.met("a start while the queue is full");
      hold(
        "a full queue takes no turn",
        "refusal" in answer && answer.refusal.kind === "backpressured",
        answer,
      );
      same("a full queue says its capacity", answer.refusal.data["capacity"], MOST_QUEUED);
      return;
    }
    same("an ack of a start", ack, {
      commandId: command.spelt,
      status: "accepted",
      turnId: command.spelt,
      startedNewTurn: !busy,
      disposition: busy ? "queued" : "started",
    });
    const place = busy ? (ifBusy === "replace" ? "first" : "last") : "now";
    const found = made.map(({ turnId, place }) => ({ turnId, place }));
    same("a start that is acked makes its turn, in its place", found, [{ turnId: command.spelt, place }]);
    this.#counts.met(`a start: ${place}`);
    const launches = effects.filter(({ type }) => type === "launch");
    same("a start launches its turn where nothing runs", launches.length, busy ? 0 : 1);
    const stops = ifBusy === "replace" && active !== undefined && !active.stopping;
    same(
      "a start that replaces stops what runs, no other does",
      recordsOf(happened, "stopping").length,
      +stops,
    );
  }

  #steer(happened: Happened, expected: string): void {
    const active = this.#active;
    const { answer } = happened.decision;
    if (active !== undefined && !active.stopping && sameId(active.turnId, expected)) {
      same("a steer is acked with its turn", ackOf(happened)?.["turnId"], active.turnId);
      this.#steered(happened, active);
      return;
    }
    same("a steer that misses is rejected", reasonOf(answer), "turn_not_running");
    const data = "rejection" in answer ? answer.rejection.data : undefined;
    const running = active === undefined ? undefined : { details: { turnId: active.turnId } };
    same("a steer that misses is told what runs", data, running);
    if (active !== undefined && this.#turns.get(keyOf(expected))?.phase === "ended")
      this.#counts.met("a steer of a turn that is over, while the next one runs");
  }

  #steered(happened: Happened, { turnId }: Turn): void {
    const { spelt } = commandIn(happened)!;
    const handed = happened.decision.effects.flatMap((effect) =>
      effect.type === "steer" ? [[effect.turnId, effect.steer.commandId]] : [],
    );
    same("a steer is handed to its turn, once", handed, [[turnId, spelt]]);
    this.#steers.set(spelt, { turnId, shown: 0 });
  }

  #stop(happened: Happened, target: string | undefined): void {
    const active = this.#active;
    if (active !== undefined && (target === undefined || sameId(active.turnId, target))) {
      same("a stop is acked with the turn that runs", ackOf(happened)?.["turnId"], active.turnId);
      return;
    }
    const known = target === undefined ? undefined : this.#turns.get(keyOf(target));
    const reason = known?.phase === "ended" ? "already_terminal" : "missing_run";
    same("a stop that misses is rejected", reasonOf(happened.decision.answer), reason);
    if (active !== undefined && known?.phase === "ended")
      this.#counts.met("a stop of a turn that is over, while the next one runs");
    if (active !== undefined && known?.phase === "queued") this.#counts.met("a stop of a turn that waits");
  }

  #unqueue(happened: Happened, target: string): void {
    const turn = this.#turns.get(keyOf(target));
    const gone = eventsOf(happened, "turn/unqueued");
    hold("unqueue never becomes cancel", happened.decision.effects.length === 0, happened);
    if (turn?.phase === "queued") {
      const { turnId, commandId } = turn;
      same("unqueue is acked with its turn", ackOf(happened)?.["turnId"], turnId);
      same("unqueue takes its turn back", gone, [{ turnId, commandId }]);
      return;
    }
    const started = turn !== undefined && turn.how !== "unqueued";
    const reason = started ? "turn_already_started" : "missing_run";
    same("unqueue that comes too late is rejected", reasonOf(happened.decision.answer), reason);
    if (turn !== undefined && turn === this.#active) this.#counts.met("an unqueue of the turn that runs");
  }

  #record(record: Happened["decision"]["records"][number], happened: Happened): void {
    switch (record.type) {
      case "turn": {
        const { turnId, commandId, place } = record;
        hold("a turn is promised once", !this.#turns.has(keyOf(turnId)), record);
        const phase = place === "now" ? "launching" : "queued";
        const rest = { how: undefined, stopping: false, retract: false, messages: 0 };
        const turn: Turn = { turnId, commandId, queued: place !== "now", phase, ...rest };
        this.#turns.set(keyOf(turnId), turn);
        if (place === "now") {
          hold("one turn runs at a time", this.#active === undefined, record);
          this.#active = turn;
        } else if (place === "first") this.#queue.unshift(turn);
        else this.#queue.push(turn);
        return;
      }
      case "launching": {
        hold("one turn runs at a time", this.#active === undefined, record);
        const turn = this.#queue.shift();
        hold("the queue is launched in order", turn?.turnId === record.turnId, { record, turn });
        turn.phase = "launching";
        this.#active = turn;
        this.#counts.met("a launch from the queue");
        return;
      }
      case "requeued": {
        const turn = this.#active;
        const fits = turn?.turnId === record.turnId && turn.queued && turn.phase === "launching";
        hold("only what waited and has not started goes back", fits && happened.what === "recovered", record);
        turn.phase = "queued";
        this.#queue.unshift(turn);
        this.#active = undefined;
        this.#counts.met("a turn that went back to the queue");
        return;
      }
      case "stopping":
        if (this.#active === undefined) return;
        this.#active.stopping = true;
        this.#active.retract ||= record.retract;
        return;
      case "event":
        this.#event(record, happened);
    }
  }

  #event(
    { method, params }: Extract<Happened["decision"]["records"][number], { type: "event" }>,
    happened: Happened,
  ) {
    switch (method) {
      case "turn/started": {
        const turn = this.#turns.get(keyOf(params.turnId));
        const fits = turn?.phase === "launching" && turn === this.#active;
        hold("a turn starts once, and not after its end", fits, params);
        same("a turn starts for its command", params.commandId, turn.commandId);
        turn.phase = "started";
        return;
      }
      case "turn/completed":
        this.#completed(params, happened.what === "recovered");
        return;
      case "turn/unqueued": {
        const turn = this.#turns.get(keyOf(params.turnId));
        hold("a turn has one end", turn?.phase === "queued", params);
        turn.phase = "ended";
        turn.how = "unqueued";
        this.#queue = this.#queue.filter((other) => other !== turn);
        this.#counts.met("an end: unqueued");
        return;
      }
      case "turn/retracted": {
        const turn = this.#turns.get(keyOf(params.turnId));
        hold("only what was asked for is retracted", turn?.retract === true, params);
        this.#counts.met(`a retraction: ${params.outcome}`);
        return;
      }
      case "item/completed": {
        const { item } = params;
        if (item.kind !== "userMessage") return;
        const turn = this.#turns.get(keyOf(String(item.turnId)));
        hold("a message is one of a turn that has not ended", turn?.phase !== "ended", item);
        if (item.steered === true) {
          const steer = this.#steers.get(String(item.commandId));
          same("a steer never reaches another turn", item.turnId, steer?.turnId);
          hold("a steer is shown once", ++steer!.shown === 1, item);
          this.#counts.met("a steer that is shown");
        } else {
          hold("a turn shows its message once", ++turn!.messages === 1 && turn?.phase === "started", item);
          same("a turn shows its own message", item.commandId, turn?.commandId);
        }
      }
    }
  }

  #completed(
    params: {
      readonly turnId: string;
      readonly terminal: string;
      readonly error?: { readonly kind: string };
    },
    recovers: boolean,
  ): void {
    const { turnId, terminal, error } = params;
    const turn = this.#turns.get(keyOf(turnId));
    hold(
      "a turn has one end",
      turn !== undefined && turn.phase !== "ended" && turn.phase !== "queued",
      params,
    );
    hold("a turn ends that runs", turn === this.#active, params);
    const launchError = error?.kind === "launchError";
    if (recovers) same("a crash is told as one", [terminal, error], ["failed", undefined]);
    else {
      same(
        "a turn is cancelled where it was to stop, and only there",
        terminal === "cancelled",
        turn.stopping,
      );
      same("an error is there where a turn failed", error !== undefined, terminal === "failed");
      const fits = turn.stopping || launchError === (turn.phase === "launching");
      hold("a turn that ended without having started failed to launch", fits, params);
    }
    this.#counts.met(`an end: ${recovers ? "crash" : launchError ? "launchError" : terminal}`);
    turn.phase = "ended";
    turn.how = terminal;
    this.#active = undefined;
  }
}
