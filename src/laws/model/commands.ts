/**
 * Whether a history fits the model of the command ledger: whether the requests of each command id can be put in an order
 * in which every answer is right, and in which what was answered before another was sent stands before it.
 *
 * The search is that of Wing and Gong in the form of Lowe: it goes through the history and keeps all states that the
 * host may be in, each with the requests that have taken effect in it and were not answered yet. A request whose answer
 * fits a state and does not change it can take effect at once; only those that change the state are tried in several
 * places, of which there are few: nothing, received, accepted, rejected.
 */
import { whyNot } from "./command-faults.js";
import { after, type CommandState, cameOf, outlives } from "./command-state.js";
import { commandKey, errorKind, type Fault, type History, type Operation } from "./history.js";
import { isCommand } from "./meanings.js";

/** What a check has cost. */
export interface Effort {
  /** Pairs of a state and a request that were looked at. */
  steps: number;
}

/** What a history breaks of what is promised of commands; one finding for each id. */
export function checkCommands(history: History, effort: Effort = { steps: 0 }): readonly Fault[] {
  const faults: Fault[] = [];
  const ends = endsOfLives(history);
  for (const operations of byKey(history).values()) {
    const violation = checkKey(operations, ends, history, effort);
    if (violation !== undefined) faults.push(violation);
  }
  faults.push(...forgottenSessions(history));
  return faults;
}

/** The requests of commands by the id that a host knows them under, and by its life where nothing outlives it. */
function byKey(history: History): ReadonlyMap<string, Operation[]> {
  const keys = new Map<string, Operation[]>();
  for (const operation of history.operations) {
    const { method, life } = operation;
    const key = isCommand(method) ? commandKey(operation) : undefined;
    if (key === undefined) continue;
    const whole = history.durable && outlives(method) ? key : `${key} ${life}`;
    const found = keys.get(whole);
    if (found === undefined) keys.set(whole, [operation]);
    else found.push(operation);
  }
  return keys;
}

/** When each life was over, as far as it was. */
function endsOfLives({ happenings }: History): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  for (const { what, life, moment } of happenings)
    if ((what === "crashed" || what === "stopped") && !ends.has(life)) ends.set(life, moment);
  return ends;
}

/** A state that the host may be in, and requests that were sent and are not in it yet. */
interface Configuration {
  readonly state: CommandState;
  readonly open: readonly Operation[];
}

type Event =
  | { readonly moment: number; readonly what: "sent" | "answered"; readonly of: Operation }
  | { readonly moment: number; readonly what: "over"; readonly life: number };

/** The events of one key in their order. The end of a life counts where a request of it was left without an answer. */
function eventsOf(operations: readonly Operation[], ends: ReadonlyMap<number, number>): Event[] {
  const events: Event[] = [];
  const over = new Set<number>();
  for (const of of operations) {
    events.push({ moment: of.sent, what: "sent", of });
    const isOpen = cameOf(of) === "partial";
    if (!isOpen) events.push({ moment: of.answered ?? of.sent, what: "answered", of });
    const end = ends.get(of.life);
    if (isOpen && end !== undefined && !over.has(of.life)) {
      over.add(of.life);
      events.push({ moment: end, what: "over", life: of.life });
    }
  }
  return events.sort((one, other) => one.moment - other.moment);
}

function checkKey(
  operations: readonly Operation[],
  ends: ReadonlyMap<number, number>,
  history: History,
  effort: Effort,
): Fault | undefined {
  let configurations: readonly Configuration[] = [{ state: { is: "unknown" }, open: [] }];
  for (const event of eventsOf(operations, ends)) {
    if (event.what === "sent")
      configurations = configurations.map(({ state, open }) => ({ state, open: [...open, event.of] }));
    else if (event.what === "over")
      // What was taken in by then is; the rest never will be.
      configurations = explored(configurations, effort).map(({ state, open }) => ({
        state,
        open: open.filter(({ life }) => life !== event.life),
      }));
    else {
      const reached = explored(configurations, effort).filter(({ open }) => !open.includes(event.of));
      if (reached.length === 0)
        return whyNot(
          event.of,
          configurations.map(({ state }) => state),
          operations,
          history,
        );
      configurations = reached;
    }
    configurations = distinct(configurations);
  }
  return undefined;
}

/** All configurations that can be reached by letting open requests take effect. */
function explored(configurations: readonly Configuration[], effort: Effort): readonly Configuration[] {
  const found = new Map<string, Configuration>();
  const waiting = [...configurations];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const calm = settledIn(next, effort);
    const name = nameOf(calm);
    if (found.has(name)) continue;
    found.set(name, calm);
    for (const operation of calm.open) {
      effort.steps++;
      const open = calm.open.filter((other) => other !== operation);
      for (const state of after(calm.state, operation)) waiting.push({ state, open });
    }
  }
  return [...found.values()];
}

/** A configuration in which the answered requests that change nothing have taken effect. */
function settledIn({ state, open }: Configuration, effort: Effort): Configuration {
  const rest = open.filter((operation) => {
    effort.steps++;
    if (cameOf(operation) === "partial") return state.is === "unknown";
    const [next] = after(state, operation);
    return !(next === state || (next?.is === "unknown" && state.is === "unknown"));
  });
  return { state, open: rest };
}

function distinct(configurations: readonly Configuration[]): readonly Configuration[] {
  return [...new Map(configurations.map((one) => [nameOf(one), one])).values()];
}

function nameOf({ state, open }: Configuration): string {
  const by = state.is === "unknown" ? "" : state.by.index;
  return `${state.is} ${by} ${open.map(({ index }) => index).join()}`;
}

/** On a durable host a session that was acked once is never unknown. */
function forgottenSessions(history: History): readonly Fault[] {
  if (!history.durable) return [];
  const acked = new Map<string, { readonly answered: number; readonly by: Operation }>();
  const faults: Fault[] = [];
  const named = new Set<string>();
  for (const operation of [...history.operations].sort((one, other) => one.sent - other.sent)) {
    const { params, outcome, answered, sent, method } = operation;
    for (const id of sessionsOf(operation)) {
      const known = acked.get(id);
      if (outcome !== undefined && "result" in outcome) {
        const at = answered ?? sent;
        if (isCommand(method) && (known === undefined || known.answered > at))
          acked.set(id, { answered: at, by: operation });
      } else if (
        params["sessionId"] === id &&
        errorKind(outcome) === NO_SESSION &&
        known !== undefined &&
        known.answered < sent &&
        !named.has(id)
      ) {
        named.add(id);
        faults.push({
          law: "ack-implies-durable",
          what: "a session in which a command was acked is not known any more",
          details: { sessionId: id, acked: known.by.params, asked: params, answer: outcome },
        });
      }
    }
  }
  return faults;
}

const NO_SESSION = "sessionNotFound";

/** The sessions that a request is about, or that its result shows. */
function sessionsOf({ method, params, outcome }: Operation): readonly string[] {
  const { sessionId } = params;
  const shown = outcome !== undefined && "result" in outcome ? outcome.result["session"] : undefined;
  const id =
    typeof shown === "object" && shown !== null && "sessionId" in shown ? shown.sessionId : undefined;
  const own = method === "session/start" && id === undefined ? undefined : sessionId;
  return [...new Set([own, id].filter((one) => typeof one === "string"))];
}
