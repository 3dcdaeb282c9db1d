/** A client whose host is lost with a command unanswered, and what it does at the next one. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type HostExit,
  MspClient,
  type PendingRetirement,
  type Session,
  type TurnInput,
} from "../../src/client/index.js";
import { loadTranscript, serveInProcess, serveTransport } from "../../src/transcripts/index.js";
import { inProcess, type Transport } from "../../src/wire/index.js";
import { CLIENT_INFO } from "../support/canned.js";
import { ROOT } from "../support/repo.js";

const golden = (scenario: string) => loadTranscript(join(ROOT, "schema/msp/transcripts", scenario));
const COMPLETE = { kind: "serveFixtureComplete" };
const WORDS = "Then weigh them.";

/** A client whose first host plays `first`, and is gone when `die` is called, and whose second plays `second`. */
async function lost(first: string, second: string, exit?: Promise<HostExit>) {
  const [near, far] = inProcess();
  void serveTransport(golden(first), far, { rewriteCommandIds: true });
  const { transport, report } = serveInProcess(golden(second), { rewriteCommandIds: true });
  const transports: Transport[] = [exit === undefined ? near : Object.assign(near, { exit }), transport];
  const errors: unknown[] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    connect: () => transports.shift()!,
    session: { onError: (error) => errors.push(error) },
  });
  await client.connect();
  const session = await client.startSession({ workspaceRoot: "/home/user/orchard" });
  const retired: PendingRetirement<TurnInput>[] = [];
  session.on((event) => {
    if (event.kind === "retired") retired.push(event.retirement);
  });
  await (await session.send("Count the crates.")).completed;
  const unanswered = session.send(WORDS).catch((error: unknown) => error);
  const [entry] = session.pending.list();
  await far.close();
  expect(await unanswered).toMatchObject({ outcome: "outcomeUnknown" });
  return { client, session, retired, errors, report, commandId: entry?.commandId ?? "" };
}

/** The end of the turn that a message of the view belongs to. */
async function endOf(session: Session, commandId: string) {
  const shown = () => [...session.view.items.values()].find(({ item }) => item.commandId === commandId)?.item;
  while (shown() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  return session.turn(shown()?.turnId ?? "").completed;
}

describe("a client whose host is lost", () => {
  it("hands the words back when the host has abandoned the command", async () => {
    const { client, session, retired, report, commandId } = await lost("host-lost", "host-back-abandoned");
    await client.connect();
    expect(retired.at(-1)).toMatchObject({
      kind: "abandoned",
      commandId,
      input: { input: [{ text: WORDS }] },
      restoreToComposer: true,
    });
    expect(session.pending.size).toBe(0);
    await client.close();
    expect(await report).toMatchObject(COMPLETE);
  });

  it("goes on after it, also when the old process is slow to end", async () => {
    let ends = (_: HostExit): void => undefined;
    const exit = new Promise<HostExit>((resolve) => (ends = resolve));
    const { client, session, report, commandId } = await lost("host-lost", "host-back", exit);
    const events: string[] = [];
    session.on(({ kind }) => {
      if (kind === "disconnected" || kind === "rejoined") events.push(kind);
    });
    const connected = client.connect();
    setTimeout(() => ends({ code: 1, signal: null }), 50);
    await connected;
    expect(await endOf(session, commandId)).toMatchObject({ kind: "completed", started: true });
    await exit;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events).toEqual(["disconnected", "rejoined"]);
    // Nothing waits for a host that is gone.
    await client.close();
    expect(await report).toMatchObject(COMPLETE);
  });
});

describe("a command that is sent again although its message is on the view", () => {
  it("is not in flight for ever", async () => {
    const { transport, report } = serveInProcess(golden("replayed-command"), { rewriteCommandIds: true });
    const client = new MspClient({ clientInfo: CLIENT_INFO, connect: () => transport });
    await client.connect();
    const session = await client.startSession({ workspaceRoot: "/home/user/orchard" });
    const words = "Order two bags of bone meal.";
    const { commandId = "", completed } = await session.send(words);
    while (session.pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await session.send(words, { commandId });
    expect(session.pending.size).toBe(0);
    await completed;
    await session.send(words, { commandId });
    expect(session.pending.size).toBe(0);
    await client.close();
    expect(await report).toMatchObject(COMPLETE);
  });
});
