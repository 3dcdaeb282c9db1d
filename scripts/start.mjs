// npm start: generates, as `mspkit generate` does, shows the embedded host at work in one conversation, in which an answer
// is lost and the command is sent again, and tries the laws on it for 15 seconds. The exit code is that of what failed
// first.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/bin/mspkit.cjs", import.meta.url));
const { status } = spawnSync(process.execPath, [program, "generate"], { stdio: "inherit" });
if (status === 0) {
  await converse();
  tryLaws();
} else process.exitCode = status ?? 3;

/** Holds the embedded host, in simulation, to the laws; other cases each time. */
function tryLaws() {
  const kept = mkdtempSync(join(tmpdir(), "mspkit-start-"));
  const words = ["laws", "run", "--embedded", "durable", "--profile", "nightly", "--time", "15s"];
  console.log(`\nmspkit ${words.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [program, ...words, "--failures", kept], {
    stdio: "inherit",
  });
  if (status === 4) console.log("15 seconds were too few on this machine to say something of every law");
  process.exitCode = status === 4 ? 0 : (status ?? 3);
  // What broke a law is worth keeping.
  if (status !== 1) rmSync(kept, { recursive: true, force: true });
}

/** Says something to a host over standard streams, loses the answer, says it again: one turn. */
async function converse() {
  const { MspClient } = await import("mspkit/client");
  const { spawnHost } = await import("mspkit/wire/node");
  const folder = mkdtempSync(join(tmpdir(), "mspkit-start-"));
  try {
    const host = spawnHost({
      command: process.execPath,
      args: [program, "serve", "--store", `file:${join(folder, "store")}`, "--workspace", folder],
    });
    const frames = [];
    const client = new MspClient({
      clientInfo: { name: "mspkit_start", version: "1.0.0" },
      connect: () => watched(host, frames),
    });
    await client.connect();
    const session = await client.startSession();
    const words = "Which apple trees need pruning?";
    const commandId = client.mintCommandId();
    console.log(`\nmspkit serve: one conversation, in which the client does not wait for its first answer\n`);

    const patience = new AbortController();
    const lost = session.send(words, { commandId, signal: patience.signal }).catch((error) => error.outcome);
    patience.abort();
    const outcome = await lost;
    const turn = await session.send(words, { commandId });
    const { params } = await turn.completed;
    await client.close();

    const sent = frames.filter(
      ({ frame }) => frame.params?.commandId === commandId && frame.id !== undefined,
    );
    const ids = sent.map(({ frame }) => frame.id);
    const acks = frames.filter(({ frame }) => frame.method === undefined && ids.includes(frame.id));
    const starts = frames.filter(({ frame }) => frame.method === "turn/started");
    for (const { to, text } of frames.filter((one) => [...sent, ...acks, ...starts].includes(one)))
      console.log(`${to} ${text}`);

    assert.equal(new Set(ids).size, 2);
    assert.deepEqual(sent[1].frame.params, sent[0].frame.params);
    assert.deepEqual(acks[1].frame.result, acks[0].frame.result);
    assert.equal(starts.length, 1);
    assert.equal(params.terminal, "completed");
    console.log(`
the first answer: ${outcome}, so the command is sent again under its id
one command id, two requests: ${commandId}, ${ids.join(" and ")}
two acks with the same values, one turn/started, and the turn is ${params.terminal}`);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A transport that keeps the frames of both sides. */
function watched(transport, frames) {
  const keep = (to, text) => {
    for (const line of text.split("\n").filter((one) => one !== ""))
      frames.push({ to, text: line, frame: JSON.parse(line) });
  };
  const write = (text) => {
    keep("->", text);
    return transport.write(text);
  };
  // A frame may come in pieces.
  let rest = "";
  const open = (receiver) =>
    transport.open({
      ...receiver,
      bytes: (chunk) => {
        rest += Buffer.from(chunk).toString();
        keep("<-", rest.slice(0, rest.lastIndexOf("\n") + 1));
        rest = rest.slice(rest.lastIndexOf("\n") + 1);
        receiver.bytes(chunk);
      },
    });
  return new Proxy(transport, {
    get(target, name) {
      if (name === "write") return write;
      if (name === "open") return open;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
