/**
 * The laws of what turns have open: items, approvals, questions to the user. Each is closed once, at the latest with its
 * turn; what goes on in the background, at the latest with its host.
 */
import type { Item } from "../../../generated/msp/experimental/types.js";
import type { EventParams } from "../../../src/host/session/records.js";
import { cursorOf, keyOf } from "../../../src/host/session/state.js";
import { ackOf, type Counts, commandIn, eventsOf, hold, outcomeOf, recordsOf, same } from "./law.js";
import { type Happened, SESSION_ID } from "./simulation.js";

interface Asked {
  readonly turnId: string;
  readonly itemId: string;
  sourceIndex: number;
  end: { readonly how: string; readonly cursor: string } | undefined;
}

/** The laws of items, approvals and questions. */
export class ItemLaws {
  readonly #counts: Counts;
  readonly #items = new Map<string, Item>();
  readonly #open = new Map<string, Item>();
  readonly #approvals = new Map<string, Asked>();
  readonly #inputs = new Map<string, Asked>();
  #ordinal = 0;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  happened(happened: Happened): void {
    const command = commandIn(happened);
    if (command?.method === "approval/decide") this.#decides(happened);
    else if (command?.method.startsWith("userInput/") === true) this.#settles(happened);
    else if (command?.method.startsWith("task/") === true) this.#tasks(happened);
    for (const { method, params } of recordsOf(happened, "event")) {
      this.#ordinal++;
      if (method === "item/started" || method === "item/updated" || method === "item/completed")
        this.#item(method, params.item);
      else if (method === "turn/completed") this.#over(params.turnId);
      else this.#asked(method, params as never);
    }
    if (happened.what === "recovered") {
      hold("a host that loads a session closes its items", this.#open.size === 0, [...this.#open]);
      this.#closed(undefined);
    }
  }

  #item(method: "item/started" | "item/updated" | "item/completed", item: Item): void {
    const { itemId, kind, revision, status } = item;
    const held = this.#items.get(itemId);
    hold("revisions grow", held === undefined ? revision >= 1 : revision > held.revision, { held, item });
    const retracts = kind === "userMessage" && method === "item/updated";
    if (method === "item/started") hold("an item begins once", held === undefined, { held, item });
    else if (held !== undefined && !retracts)
      hold("an item has one end", this.#open.has(itemId), { held, item });
    if (!retracts)
      same("an item is over when that is told", method === "item/completed", status !== "inProgress");
    same("an item stays what it is", [kind, item.turnId], [(held ?? item).kind, (held ?? item).turnId]);
    this.#items.set(itemId, item);
    if (status === "inProgress") this.#open.set(itemId, item);
    else this.#open.delete(itemId);
    this.#counts.met(`${method} ${kind}`);
    if (method === "item/completed" && item.background === true) this.#counts.met("an end in the background");
  }

  #over(turnId: string): void {
    for (const item of this.#open.values())
      if (item.turnId === turnId && item.background !== true && item.kind !== "compaction")
        hold("an item is closed before its turn", false, item);
    this.#closed(turnId);
  }

  #closed(turnId: string | undefined): void {
    for (const asked of [...this.#approvals.values(), ...this.#inputs.values()])
      if (turnId === undefined || asked.turnId === turnId)
        hold("what was asked is settled before the end of its turn", asked.end !== undefined, asked);
  }

  #asked(
    method: string,
    params: EventParams<"approval/requested"> & EventParams<"userInput/requested">,
  ): void {
    const { approvalId, userInputId, itemId, turnId } = params;
    switch (method) {
      case "approval/requested":
      case "userInput/requested": {
        const asked = method === "approval/requested" ? this.#approvals : this.#inputs;
        const id = keyOf(method === "approval/requested" ? approvalId : userInputId);
        hold("what is asked is asked once", !asked.has(id), params);
        hold("what is asked is about an open item", this.#open.has(itemId), params);
        asked.set(id, { turnId, itemId, sourceIndex: 0, end: undefined });
        this.#counts.met(method);
        return;
      }
      case "approval/updated": {
        const asked = this.#approvals.get(keyOf(approvalId));
        hold("a stage is decided while its approval is open", asked?.end === undefined, params);
        same(
          "stages come one after the other",
          params.currentRequirementId.sourceIndex,
          ++asked!.sourceIndex,
        );
        this.#counts.met(method);
        return;
      }
      case "approval/resolved":
        this.#end(this.#approvals, approvalId, (params as never as { decision: string }).decision);
        return;
      case "userInput/settled":
        this.#end(this.#inputs, userInputId, (params as never as { outcome: string }).outcome);
    }
  }

  #end(all: Map<string, Asked>, id: string, how: string): void {
    const asked = all.get(keyOf(id));
    hold("what is asked is settled once", asked !== undefined && asked.end === undefined, { id, how, asked });
    asked.end = { how, cursor: cursorOf(SESSION_ID, this.#ordinal) };
    this.#counts.met(`asked and ${how}`);
  }

  #decides(happened: Happened): void {
    const { payload, spelt } = commandIn(happened)!;
    const asked = this.#approvals.get(keyOf(String(payload["approvalId"])));
    const { sourceIndex } = payload["requirementId"] as { sourceIndex: number };
    const kind = kindOf(happened);
    if (asked === undefined) {
      same("an unknown approval is not found", kind, "approvalNotFound");
      return;
    }
    if (asked.end !== undefined) {
      same("an approval is decided once", kind, "approvalAlreadyResolved");
      const { resolution } = dataOf(happened);
      const { how: decision, cursor: viewCursor } = asked.end;
      const { resolvedBy: _, ...said } = resolution as { resolvedBy?: string };
      same("who decides too late is told how it was", said, { decision, viewCursor });
      return;
    }
    if (asked.sourceIndex !== sourceIndex) {
      same("a stage that is over cannot be decided", kind, "approvalRequirementStale");
      return;
    }
    const ack = ackOf(happened);
    if (ack === undefined) {
      same("only a bad choice is refused", kind, "approvalChoiceInvalid");
      return;
    }
    const ends = eventsOf(happened, "approval/resolved");
    const replies = happened.decision.effects.filter(({ type }) => type === "reply");
    const last = ack["terminal"] === true;
    same("a decision that is the last one resolves", ends.length, last ? 1 : 0);
    same("a decision that is the last one is told its agent", replies.length, last ? 1 : 0);
    same("a decision that is not, leads on", eventsOf(happened, "approval/updated").length, last ? 0 : 1);
    if (last) same("a resolution names its command", ends[0]!.decidedByCommandId, spelt);
  }

  #settles(happened: Happened): void {
    const { payload, spelt, method } = commandIn(happened)!;
    const asked = this.#inputs.get(keyOf(String(payload["userInputId"])));
    const kind = kindOf(happened);
    if (asked === undefined) {
      same("unknown questions are not found", kind, "userInputNotFound");
      return;
    }
    if (asked.end !== undefined) {
      same("questions are settled once", kind, "userInputAlreadySettled");
      const { settlement } = dataOf(happened);
      const { how: outcome, cursor: viewCursor } = asked.end;
      same("who answers too late is told how it was", settlement, { outcome, viewCursor });
      return;
    }
    if (outcomeOf(happened) !== "accepted") {
      same("only a bad answer is refused", kind, "userInputAnswerInvalid");
      return;
    }
    const [settled, ...more] = eventsOf(happened, "userInput/settled");
    same("an answer settles its questions", [settled?.decidedByCommandId, more.length], [spelt, 0]);
    const words = { answer: "answered", cancel: "cancelled", clarify: "clarified", interrupt: "interrupted" };
    same("an answer settles in its way", settled!.outcome, words[method.slice(10) as keyof typeof words]);
    const replies = happened.decision.effects.filter(({ type }) => type === "reply");
    same("an answer is told its agent, once", replies.length, 1);
  }

  #tasks(happened: Happened): void {
    const { method, payload } = commandIn(happened)!;
    const tasks = [...this.#open.values()].filter(({ kind }) => kind === "toolCall");
    const ends = eventsOf(happened, "item/completed").map(({ item }) => item.itemId);
    const updates = eventsOf(happened, "item/updated").map(({ item }) => item.itemId);
    if (method === "task/stopAll") {
      same(
        "stopAll ends every tool call",
        ends,
        tasks.map(({ itemId }) => itemId),
      );
      if (ends.length > 1) this.#counts.met("a stopAll of several");
      return;
    }
    const taskId = String(payload["taskId"]);
    const hits = tasks.some(({ itemId }) => itemId === taskId);
    same("a task is there as long as its item is open", outcomeOf(happened) === "accepted", hits);
    same("a task is stopped, and no other", ends, hits && method === "task/stop" ? [taskId] : []);
    same("a task is moved, and no other", updates, hits && method === "task/background" ? [taskId] : []);
  }
}

/** The kind of a refusal. */
function kindOf({ decision: { answer } }: Happened): string | undefined {
  return "refusal" in answer ? answer.refusal.kind : undefined;
}

/** What a refusal says beside its kind. */
function dataOf({ decision: { answer } }: Happened): Readonly<Record<string, unknown>> {
  return "refusal" in answer ? answer.refusal.data : {};
}
