/** Random histories of a session, each as a host could have lived it. */
import fc from "fast-check";
import { cursorAt, durable, ephemeral, type Params, type ViewEvent } from "./session.js";

/** What may happen next. What cannot happen at a point is skipped there. */
const STEPS = [
  ...[
    "startTurn",
    "startTurn",
    "startTurn",
    "userMessage",
    "userMessage",
    "openMessage",
    "openMessage",
    "openReasoning",
    "openTool",
    "openTool",
  ],
  ...["delta", "delta", "delta", "delta", "update", "close", "close", "unknownItem", "compaction"],
  ...["review", "ask", "ask", "updateApproval", "resolve", "question", "settle"],
  ...["state", "state", "state", "notice", "unknownEvent"],
  ...["endTurn", "retract", "decline", "launchFailure", "unqueue", "hint", "foreground"],
] as const;

/** One step, and the dice of it. */
export interface Step {
  readonly step: (typeof STEPS)[number];
  readonly pick: number;
  readonly text: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  step: fc.constantFrom(...STEPS),
  pick: fc.nat(1000),
  text: fc.string({ minLength: 1, maxLength: 4 }),
});

/** A history that begins with a compaction where it is asked for, and ends with nothing open. */
export function history(options: { readonly compacted?: boolean } = {}): fc.Arbitrary<ViewEvent[]> {
  return fc.array(step, { minLength: 5, maxLength: 80, size: "max" }).map((steps) => {
    const host = new Host();
    if (options.compacted) host.take({ step: "compaction", pick: 0, text: "c" });
    for (const one of steps) host.take(one);
    host.take({ step: "endTurn", pick: 0, text: "" });
    return host.events;
  });
}

interface OpenItem {
  item: Params & { readonly itemId: string; readonly revision: number };
  readonly streamed: Map<string, string>;
}

interface OpenRequest {
  readonly id: string;
  readonly open: OpenItem;
  asked: boolean;
}

/** A host that does one thing after the other. */
class Host {
  readonly events: ViewEvent[] = [];
  #durables = 0;
  #ephemerals = 0;
  #ids = 0;
  #turn: string | undefined;
  #userMessage: OpenItem["item"] | undefined;
  #open: OpenItem[] = [];
  #approvals: OpenRequest[] = [];
  #questions: OpenRequest[] = [];

  take({ step, pick, text }: Step): void {
    const turnId = this.#turn;
    const open = this.#open[pick % Math.max(1, this.#open.length)];
    switch (step) {
      case "startTurn": {
        if (turnId !== undefined) return;
        this.#turn = this.#id("turn");
        this.#emit("turn/started", { turnId: this.#turn, commandId: this.#id("command") });
        return;
      }
      case "userMessage": {
        if (turnId === undefined) return;
        const item = { itemId: this.#id("item"), kind: "userMessage", turnId, revision: 1, text };
        this.#userMessage = { ...item, status: "completed" };
        this.#emit("item/completed", { item: this.#userMessage });
        return;
      }
      case "openMessage":
        this.#begin({ kind: "agentMessage", text: "" }, "ephemeral");
        return;
      case "openReasoning":
        this.#begin({ kind: "reasoning", summary: [] }, "ephemeral");
        return;
      case "openTool":
        this.#begin({ kind: "toolCall", tool: text, args: "{}" }, "durable");
        return;
      case "unknownItem": {
        const item = { itemId: this.#id("item"), kind: "hologram", revision: 1, status: "completed", text };
        this.#emit("item/completed", { item });
        return;
      }
      case "compaction": {
        const item = { itemId: this.#id("item"), kind: "compaction", revision: 1, status: "completed" };
        this.#emit("item/completed", { item });
        return;
      }
      case "delta":
        if (open) this.#stream(open, text, pick);
        return;
      case "update":
        if (open)
          this.#revise(open, { ...open.item, statusLine: text, ...this.#streamed(open, pick % 2 === 0) });
        return;
      case "close":
        if (open && !this.#isAwaited(open)) this.#close(open, pick);
        return;
      case "review":
      case "ask": {
        const held = this.#approvals.find((one) => !one.asked);
        if (step === "ask" && held !== undefined) {
          this.#ask(held);
          return;
        }
        if (open?.item["kind"] !== "toolCall" || this.#isAwaited(open)) return;
        const request: OpenRequest = { id: this.#id("approval"), open, asked: false };
        this.#approvals.push(request);
        if (step === "ask") this.#ask(request);
        else this.#emit("approval/reviewing", this.#approvalParams(request));
        return;
      }
      case "updateApproval": {
        const held = this.#approvals.find((one) => one.asked);
        if (held === undefined) return;
        const { id: approvalId } = held;
        const currentRequirementId = { approvalId, sourceIndex: pick };
        const change = { kind: "stageResolved" };
        this.#emit("approval/updated", { approvalId, change, currentRequirementId, availableChoices: [] });
        return;
      }
      case "resolve": {
        const held = this.#approvals.shift();
        if (held !== undefined) this.#resolve(held);
        return;
      }
      case "question": {
        if (open?.item["kind"] !== "toolCall" || this.#isAwaited(open)) return;
        const request: OpenRequest = { id: this.#id("question"), open, asked: true };
        this.#questions.push(request);
        const members = { userInputId: request.id, itemId: open.item.itemId, turnId, questions: [text] };
        // It may lack a source range, and is then in no page.
        const params = this.#emit("userInput/requested", members, pick % 2 === 0 ? "durable" : "ephemeral");
        this.#request("userInput/request", params);
        return;
      }
      case "settle": {
        const held = this.#questions.shift();
        if (held !== undefined) this.#settle(held);
        return;
      }
      case "state":
        this.#state(pick, text);
        return;
      case "notice":
        this.#emit("monitor/inboxItemAdmitted", { itemId: this.#id("inbox"), body: text });
        return;
      case "unknownEvent":
        this.#emit("session/auraChanged", { aura: text });
        return;
      case "endTurn":
        this.#endTurn("completed");
        return;
      case "retract": {
        const message = this.#userMessage;
        if (turnId === undefined || message === undefined) return;
        this.#endTurn("cancelled");
        this.#emit("turn/retracted", { turnId, commandId: turnId, outcome: "accepted" });
        this.#emit("item/updated", { item: { ...message, revision: 2, retracted: true } });
        return;
      }
      case "decline":
        if (turnId !== undefined)
          this.#emit("turn/retracted", { turnId, commandId: turnId, outcome: "declined" });
        return;
      case "launchFailure": {
        const failed = {
          terminal: "failed",
          error: { kind: "launchError", message: text, retryable: false },
        };
        this.#emit("turn/completed", { turnId: this.#id("turn"), ...failed });
        return;
      }
      case "unqueue":
        this.#emit("turn/unqueued", { turnId: this.#id("turn"), commandId: this.#id("command") });
        return;
      case "hint":
        if (turnId === undefined) return;
        if (pick % 2 === 0) this.#emit("turn/modelRetryScheduled", { turnId, attempt: pick });
        else this.#emit("turn/retryScheduled", { turnId, attempt: pick, reason: text });
        return;
      case "foreground":
        if (turnId !== undefined) this.#emit("turn/foregroundCompleted", { turnId, blockingAgents: [text] });
        return;
    }
  }

  #begin(members: Params, kind: "durable" | "ephemeral"): void {
    if (this.#turn === undefined) return;
    const item = {
      itemId: this.#id("item"),
      turnId: this.#turn,
      revision: 1,
      status: "inProgress",
      ...members,
    };
    this.#open.push({ item, streamed: new Map() });
    this.#emit("item/started", { item }, kind);
  }

  #stream(open: OpenItem, delta: string, pick: number): void {
    const fields: Readonly<Record<string, string>> = { reasoning: "summary.0", toolCall: "output" };
    const field = fields[String(open.item["kind"])] ?? "text";
    open.streamed.set(field, (open.streamed.get(field) ?? "") + delta);
    const named = field === "text" && pick % 2 === 0 ? {} : { field };
    this.#emit("item/delta", { itemId: open.item.itemId, delta, ...named }, "ephemeral");
  }

  /** What was streamed so far, as the full object says it; a tool's output stands there at its end only. */
  #streamed({ item, streamed }: OpenItem, ends: boolean): Params {
    if (item["kind"] === "reasoning") return { summary: [...streamed.values()] };
    if (item["kind"] === "agentMessage") return { text: streamed.get("text") ?? "" };
    return ends || item["visibleOutput"] !== undefined ? { visibleOutput: streamed.get("output") ?? "" } : {};
  }

  #revise(open: OpenItem, members: Params): void {
    open.item = { ...open.item, ...members, revision: open.item.revision + 1 };
    this.#emit("item/updated", { item: open.item });
  }

  #close(open: OpenItem, pick: number): void {
    this.#open = this.#open.filter((one) => one !== open);
    const status = ["completed", "failed", "cancelled", "postponed"][pick % 4];
    const revision = open.item.revision + 1;
    this.#emit("item/completed", { item: { ...open.item, ...this.#streamed(open, true), revision, status } });
  }

  #isAwaited(open: OpenItem): boolean {
    return [...this.#approvals, ...this.#questions].some((one) => one.open === open);
  }

  #ask(request: OpenRequest): void {
    request.asked = true;
    this.#request("approval/request", this.#emit("approval/requested", this.#approvalParams(request)));
  }

  #approvalParams({ id, open }: OpenRequest): Params {
    const currentRequirementId = { approvalId: id, sourceIndex: 0 };
    return { approvalId: id, itemId: open.item.itemId, toolName: "shell", currentRequirementId };
  }

  #resolve({ id, open }: OpenRequest): void {
    this.#emit("approval/resolved", { approvalId: id, itemId: open.item.itemId, decision: "approved" });
  }

  #settle({ id }: OpenRequest): void {
    this.#emit("userInput/settled", { userInputId: id, outcome: "answered", answers: [] });
  }

  #endTurn(terminal: string): void {
    for (const one of this.#approvals.splice(0)) this.#resolve(one);
    for (const one of this.#questions.splice(0)) this.#settle(one);
    for (const one of this.#open) this.#close(one, 0);
    if (this.#turn !== undefined) this.#emit("turn/completed", { turnId: this.#turn, terminal });
    this.#turn = undefined;
    this.#userMessage = undefined;
  }

  #state(pick: number, text: string): void {
    const nothing = pick % 4 === 0;
    const count = pick % 7;
    const events: readonly (readonly [string, Params])[] = [
      ["approvalModeChanged", { mode: text, source: "startup", commandId: text, clientName: "c" }],
      [
        "branchChanged",
        nothing ? { branch: null, workspaceRoot: "/" } : { branch: text, workspaceRoot: "/", vcs: "git" },
      ],
      ["contextUsage", { pressure: "normal", usedTokens: count, ...(nothing ? {} : { windowTokens: 9 }) }],
      ["modelChanged", { modelId: text, providerId: null, source: "user" }],
      ["goalChanged", { goal: nothing ? null : { objective: text, status: "active" } }],
      ["nameChanged", { name: text, nameOrigin: "chosen" }],
      ["reasoningEffortChanged", { reasoningEffort: text, source: "user" }],
      ["todoListChanged", { items: [], revision: count, sourceTool: text }],
      [
        "tokenUsage",
        { cumulative: { promptTokens: count, outputTokens: 1, totalTokens: count + 1 }, turnId: "t" },
      ],
    ];
    const [name, members] = events[pick % events.length] ?? ["unreached", {}];
    this.#emit(`session/${name}`, members);
  }

  #emit(method: string, members: Params, kind: "durable" | "ephemeral" = "durable"): Params {
    if (kind === "durable") this.#ephemerals = 0;
    const n = kind === "durable" ? ++this.#durables : `${this.#durables}.${++this.#ephemerals}`;
    const params = kind === "durable" ? durable(n, members) : ephemeral(n, members);
    this.events.push({ method, params, kind, cursor: cursorAt(n) });
    return params;
  }

  #request(method: string, params: Params): void {
    this.events.push({ method, params, kind: "request", cursor: String(params["viewCursor"]) });
  }

  #id(of: string): string {
    return `${of}-${++this.#ids}`;
  }
}
