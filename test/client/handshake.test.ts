/** How a client and a host come together, and what is said when they do not. */
import { describe, expect, it } from "vitest";
import { protocol } from "../../generated/msp/stable/tables.js";
import { type HandshakeOptions, judgeFingerprint, MspClient } from "../../src/client/index.js";
import { knownReleases, spawning } from "../../src/client/node.js";
import { type Answer, inProcess, Peer } from "../../src/wire/index.js";
import { CLIENT_INFO } from "../support/canned.js";

const releases = knownReleases();
const published = (release: string): string =>
  releases.releases.find((entry) => entry.release === release)?.published.stable ?? "";

function resultWith(fingerprint: string): object {
  return {
    schema: { version: 1, fingerprint },
    serverInfo: { name: "test", version: "0" },
    grantedCapabilities: [],
    experimentalApi: false,
  };
}

/** Connects to a host that answers `initialize` so. */
async function shake(answer: Answer, options: Partial<HandshakeOptions> = {}) {
  const [here, there] = inProcess();
  const asked: unknown[] = [];
  const notified: string[] = [];
  const host = new Peer(there);
  host.onRequest((method, params) => {
    asked.push(params);
    return method === "initialize" ? answer : { result: {} };
  });
  host.onNotification((method) => notified.push(method));
  const warnings: unknown[] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    connect: () => here,
    onWarning: (verdict) => warnings.push(verdict),
    ...options,
  });
  const connection = await client.connect();
  await connection.methods.usage.read();
  return { client, connection, params: asked[0], notified, warnings };
}

const OWN = { result: resultWith(protocol.fingerprints.stable) };

describe("a handshake", () => {
  it("sends no empty capabilities, and says initialized before anything else", async () => {
    const { params, notified, warnings, connection } = await shake(OWN);
    expect(params).toEqual({ clientInfo: CLIENT_INFO });
    expect(notified).toEqual(["initialized"]);
    expect(warnings).toEqual([]);
    expect(connection.fingerprint.kind).toBe("same");
    expect(connection.durability).toBe("durable");
  });

  it("asks for what it was told to ask for", async () => {
    const { params } = await shake(OWN, {
      experimental: true,
      requestedCapabilities: ["userShell"],
      optOutNotificationMethods: ["item/delta"],
      userInputDialogs: false,
    });
    expect(params).toEqual({
      clientInfo: CLIENT_INFO,
      capabilities: {
        experimentalApi: true,
        requestedCapabilities: ["userShell"],
        optOutNotificationMethods: ["item/delta"],
        userInputDialogs: false,
      },
    });
  });

  it("that the host refuses is a start error; the connection is closed", async () => {
    const refusal = { code: -32600, message: "no", data: { kind: "invalidRequest" } };
    await expect(shake({ error: refusal })).rejects.toMatchObject({
      kind: "hostStart",
      answeredInitialize: false,
      cause: { kind: "invalidRequest", code: -32600 },
    });
  });

  it.each([
    ["process.exit(4)", { code: 4, signal: null }],
    ["process.kill(process.pid, 'SIGKILL')", { code: null, signal: "SIGKILL" }],
  ])("with a host that ends at once says how, and what it said: %s", async (end, exit) => {
    const script = `console.error("the store is locked"); ${end}`;
    const client = new MspClient({
      clientInfo: CLIENT_INFO,
      connect: spawning({ command: process.execPath, args: ["-e", script] }),
    });
    await expect(client.connect()).rejects.toMatchObject({
      kind: "hostStart",
      exit,
      stderrTail: "the store is locked\n",
      answeredInitialize: false,
    });
  });

  it("with a program that is not there says so", async () => {
    const client = new MspClient({
      clientInfo: CLIENT_INFO,
      connect: spawning({ command: "/nowhere/host" }),
    });
    await expect(client.connect()).rejects.toMatchObject({ kind: "hostStart" });
    await expect(client.connect()).rejects.toThrow("/nowhere/host");
  });
});

describe("a host that serves another schema", () => {
  const other = { result: resultWith(published("1.4.12")) };

  it("is told of, refused or taken, as the policy says", async () => {
    const warned = await shake(other, { releases });
    expect(warned.warnings).toMatchObject([{ kind: "release", release: "1.4.12" }]);
    expect(warned.connection.fingerprint).toBe(warned.warnings[0]);
    expect((await shake(other, { releases, fingerprint: "ignore" })).warnings).toEqual([]);
    await expect(shake(other, { releases, fingerprint: "fail" })).rejects.toMatchObject({
      kind: "fingerprintMismatch",
      pinned: protocol.fingerprints.stable,
      served: published("1.4.12"),
    });
    await expect(shake(OWN, { fingerprint: "fail" })).resolves.toBeDefined();
  });
});

describe("a fingerprint", () => {
  it("of the owners for our release is our own", () => {
    expect(judgeFingerprint(published("1.4.13"), releases).kind).toBe("same");
    // Without the table nothing says so.
    expect(judgeFingerprint(published("1.4.13")).kind).toBe("unknown");
  });

  it("of a release is named as it, with the methods that differ where the table has its parts", () => {
    const verdict = judgeFingerprint(published("1.3.1"), releases);
    expect(verdict).toMatchObject({ kind: "release", release: "1.3.1" });
    const own = releases.releases.find(({ release }) => release === "1.4.13")?.stable?.parts["methods"] ?? {};
    const theirs =
      releases.releases.find(({ release }) => release === "1.3.1")?.stable?.parts["methods"] ?? {};
    const names = new Set([...Object.keys(own), ...Object.keys(theirs)]);
    expect(verdict.differences?.["methods"]).toEqual(
      [...names].filter((name) => own[name] !== theirs[name]).sort(),
    );
    expect(verdict.differences?.["methods"]?.length).toBeGreaterThan(5);
    expect(verdict.message).toContain("1.3.1");
  });

  it("of our own form is compared part by part as well", () => {
    const served = releases.releases.find(({ release }) => release === "1.4.12")?.stable?.fingerprint ?? "";
    const verdict = judgeFingerprint(served, releases);
    expect(verdict).toMatchObject({ kind: "release", release: "1.4.12" });
    expect(Object.keys(verdict.differences ?? {}).length).toBeGreaterThan(0);
  });

  it("of a release without parts is named, and no more is said", () => {
    const verdict = judgeFingerprint(published("1.4.14"), releases);
    expect(verdict).toMatchObject({ kind: "release", release: "1.4.14" });
    expect(verdict.differences).toBeUndefined();
  });

  it("of nobody is said to be unknown", () => {
    const served = `sha256:${"0".repeat(64)}`;
    expect(judgeFingerprint(served, releases)).toMatchObject({ kind: "unknown", served });
  });
});
