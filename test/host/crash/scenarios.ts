/** What clients do while their host dies: one scenario for each thing that a host promises something about. */
import type { Actor } from "../../support/crash-world.js";

const text = (words: string) => [{ type: "text", text: words }];

/** By name. Each ends when what it began has ended, as far as it waits for a client. */
export const SCENARIOS: Readonly<Record<string, (actor: Actor) => Promise<void>>> = {
  async "start a session"(actor) {
    const sessionId = "01890a5d-ac96-7000-8000-00000000abcd";
    await actor.start({ sessionId });
    // Another command for the same id is rejected for good.
    await actor.send("session/start", { sessionId });
    await actor.start();
  },

  async "a turn"(actor) {
    const id = await actor.start();
    await actor.client.ended(await actor.turn(id, "one\n/say two"));
    await actor.client.ended(await actor.turn(id, "/fail"));
    await actor.client.ended(await actor.turn(id, "/fail-launch"));
  },

  async "queued turns"(actor) {
    const id = await actor.start();
    const first = await actor.turn(id, "/hang");
    await actor.started(first);
    // Sent together, they are one write.
    const queued = await Promise.all(
      ["two", "three", "/fail-launch", "five"].map((words) => actor.turn(id, words)),
    );
    await actor.send("turn/interrupt", { sessionId: id, turnId: first });
    for (const turnId of queued) await actor.client.ended(turnId);
  },

  async "a turn that replaces another"(actor) {
    const id = await actor.start();
    await actor.started(await actor.turn(id, "/hang"));
    const waits = await actor.turn(id, "waits");
    const replaces = await actor.turn(id, "replaces", { ifBusy: "replace" });
    await actor.client.ended(replaces);
    await actor.client.ended(waits);
  },

  async steer(actor) {
    const id = await actor.start();
    const turnId = await actor.turn(id, "/hang");
    // Before it has started, and after.
    await actor.send("turn/steer", { sessionId: id, expectedTurnId: turnId, input: text("early") });
    await actor.started(turnId);
    await Promise.all([
      actor.send("turn/steer", { sessionId: id, expectedTurnId: turnId, input: text("late") }),
      actor.send("turn/start", { sessionId: id, ifBusy: "steer", input: text("later") }),
      actor.send("turn/steer", { sessionId: id, expectedTurnId: id, input: text("lost") }),
    ]);
    await actor.send("turn/interrupt", { sessionId: id, turnId });
    await actor.client.ended(turnId);
    await actor.send("turn/steer", { sessionId: id, expectedTurnId: turnId, input: text("too late") });
  },

  async unqueue(actor) {
    const id = await actor.start();
    const runs = await actor.turn(id, "/hang");
    await actor.started(runs);
    const [one, two] = [await actor.turn(id, "one"), await actor.turn(id, "two")];
    await actor.send("turn/unqueue", { sessionId: id, turnId: one });
    await actor.send("turn/interrupt", { sessionId: id, turnId: runs });
    await actor.client.ended(two);
    await actor.send("turn/unqueue", { sessionId: id, turnId: two });
  },

  async interrupt(actor) {
    const id = await actor.start();
    const first = await actor.turn(id, "/hang");
    // While it is being launched, and while it runs.
    await actor.send("turn/interrupt", { sessionId: id, turnId: first });
    await actor.client.ended(first);
    const second = await actor.turn(id, "/hang");
    await actor.started(second);
    await actor.send("turn/interrupt", { sessionId: id, turnId: second, retract: true });
    await actor.client.ended(second);
    await actor.send("turn/cancel", { sessionId: id, turnId: second });
  },

  async "a goal"(actor) {
    const id = await actor.start();
    await actor.send("goal/pause", { sessionId: id });
    await actor.send("goal/set", { sessionId: id, objective: "/hang" });
    const { turnId } = await actor.heard("turn/started");
    await actor.send("goal/edit", { sessionId: id, objective: "another" });
    await actor.send("goal/pause", { sessionId: id });
    await actor.send("turn/interrupt", { sessionId: id, turnId });
    await actor.client.ended(String(turnId));
    await actor.send("goal/resume", { sessionId: id });
    await actor.client.until(
      ({ method, params }) => method === "turn/completed" && params["turnId"] !== turnId,
    );
    await actor.send("goal/clear", { sessionId: id });
  },

  async "an approval"(actor) {
    const id = await actor.start();
    const turnId = await actor.turn(id, "/approve 2\n/approve");
    for (const choiceId of ["allow", "allow", "deny"]) {
      const asked = await actor.client.until(
        ({ method, params }) =>
          (method === "approval/requested" || method === "approval/updated") && !decided.has(params),
      );
      decided.add(asked.params);
      const { approvalId, currentRequirementId: requirementId } = asked.params;
      await actor.send("approval/decide", { sessionId: id, approvalId, choiceId, requirementId });
    }
    await actor.client.ended(turnId);
  },

  async "a question"(actor) {
    const id = await actor.start();
    for (const [method, more] of [
      ["userInput/answer", { answers: [{ questionId: "choice", selectedLabel: "first" }] }],
      ["userInput/cancel", { reason: "no" }],
      ["userInput/clarify", { clarification: { content: "which?", format: "text" } }],
      ["userInput/interrupt", {}],
    ] as const) {
      const turnId = await actor.turn(id, "/ask");
      const { params } = await actor.client.until(
        (seen) => seen.method === "userInput/requested" && seen.params["turnId"] === turnId,
      );
      await actor.send(method, { sessionId: id, userInputId: params["userInputId"], ...more });
      await actor.client.ended(turnId);
    }
  },

  async "a tool call"(actor) {
    const id = await actor.start();
    const turnId = await actor.turn(id, "/approve\n/approve\n/approve");
    for (const method of ["task/background", "task/stop", "task/stopAll"]) {
      const { params } = await actor.client.until(
        (seen) => seen.method === "approval/requested" && !decided.has(seen.params),
      );
      decided.add(params);
      const taskId = params["itemId"];
      await actor.send(method, { sessionId: id, ...(method === "task/stopAll" ? {} : { taskId }) });
      // A call in the background goes on waiting.
      if (method === "task/background") await actor.send("task/stop", { sessionId: id, taskId });
    }
    await actor.client.ended(turnId);
  },

  async compaction(actor) {
    const id = await actor.start();
    await actor.send("session/compact", { sessionId: id });
    for (const words of ["one", "two"]) await actor.client.ended(await actor.turn(id, words));
    await actor.send("session/compact", { sessionId: id });
    await actor.client.until(
      ({ method, params }) =>
        method === "item/completed" && (params["item"] as { kind: string }).kind === "compaction",
    );
  },

  async "names and settings"(actor) {
    const id = await actor.start();
    await actor.send("session/rename", { sessionId: id, name: "one" });
    await Promise.all([
      actor.send("session/rename", { sessionId: id, name: "two" }),
      actor.send("session/setReasoningEffort", { sessionId: id, reasoningEffort: "high" }),
      actor.send("session/setModel", { sessionId: id, model: { modelId: "echo-large" } }),
      actor.send("session/setApprovalMode", { sessionId: id, mode: "allowAll" }),
    ]);
    await actor.send("session/setReasoningEffort", { sessionId: id, reasoningEffort: "low" });
  },

  async fork(actor) {
    const id = await actor.start();
    const turnId = await actor.turn(id, "one");
    await actor.client.ended(turnId);
    await actor.client.ended(await actor.turn(id, "two"));
    await actor.send("session/fork", { sessionId: id });
    await actor.send("session/fork", { sessionId: id, cutPoint: { lastTurnId: turnId } });
  },

  async leave(actor) {
    const id = await actor.start();
    await actor.started(await actor.turn(id, "/hang"));
    await actor.turn(id, "waits");
    await actor.send("session/leave", { sessionId: id, stop: true });
    await actor.heard("session/leaveCompleted");
  },

  async "methods that a host author adds"(actor) {
    const id = await actor.start();
    await actor.send("skill/import", { sessionId: id, source: "claude" });
    await actor.send("skill/import", { sessionId: id, source: "codex" });
    await Promise.all([
      actor.send("skill/import", { sessionId: id, source: "claude", dryRun: true }),
      actor.send("session/rename", { sessionId: id, name: "meanwhile" }),
    ]);
    await actor.send("computerUseSetup/start", {});
  },

  async "the user's shell"(actor) {
    const id = await actor.start();
    // The words are the name under which the shell is counted.
    await actor.send("session/userShell", { sessionId: id, commandText: "one" });
    await actor.client.until(
      ({ method, params }) =>
        method === "item/completed" && (params["item"] as { kind: string }).kind === "userShell",
    );
    await actor.client.ended(await actor.turn(id, "", { input: [], userShell: { commandText: "two" } }));
  },
};

/** Requests that a scenario has decided about. */
const decided = new WeakSet<object>();
