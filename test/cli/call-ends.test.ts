/** `mspkit call`: wrong words, hosts that cannot be used or do wrong, and how long it listens. */
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { call, ID, listening, order, START, said, stub, TURN } from "../support/call.js";
import { mspkit } from "../support/cli.js";
import { Conversation, MSPKIT } from "../support/conversation.js";
import { scratchFolder } from "../support/repo.js";

describe("wrong words exit 2, and nothing is started", () => {
  const cases: [string, string[], string][] = [
    ["no method", stub(), "needs a method"],
    ["no host", ["session/list"], "needs a host"],
    ["nothing behind --", ["session/list", "--"], "needs a host"],
    ["a host without --", ["session/list", "{}", "muse"], 'unexpected "muse"'],
    ["two hosts", ["session/list", "--url", "ws://127.0.0.1:1", ...stub()], "contradict"],
    ["a url that is none", ["session/list", "--url", "127.0.0.1:80"], "WebSocket"],
    ["a url of HTTP", ["session/list", "--url", "http://127.0.0.1"], "ws://"],
    ["the handshake", ["initialize", ...stub()], "initialize cannot be called"],
    ["a slip in the method", ["session/lst", ...stub()], 'did you mean "session/list"'],
    ["a notification", ["turn/started", ...stub()], "is a notification"],
    ["a request of the host", ["approval/request", ...stub()], "is a request of the host"],
    ["an inherited name", ["toString", ...stub()], "no method"],
    ["params that are no JSON", ["session/list", "{limit:3}", ...stub()], "is not JSON"],
    ["a file without @", ["session/list", "package.json", ...stub()], "a file is @package.json"],
    ["an empty file name", ["session/list", "@", ...stub()], "name of a file"],
    ["a query with an id", ["session/list", "--command-id", ID, ...stub()], "is a query"],
    [
      "two ids",
      ["turn/start", JSON.stringify({ ...TURN, commandId: "a" }), "--command-id", ID, ...stub()],
      "another commandId",
    ],
    ["an id for a list", ["turn/start", "[]", "--command-id", ID, ...stub()], "object"],
    ["a repeat of none", [...START, "--repeat", "0", ...stub()], "--repeat"],
    ["a wait in words", [...START, "--wait", "long", ...stub()], "--wait"],
    ["a timeout of none", [...START, "--timeout", "0", ...stub()], "--timeout"],
    ["a slip in --until", [...START, "--until", "turn/complete", ...stub()], 'did you mean "turn/completed"'],
    ["an empty --until", [...START, "--until", "", ...stub()], "--until needs"],
    ["a name with a space", ["session/list", "--client-name", "a b", ...stub()], "--client-name"],
    ["two surfaces", ["session/list", "--surface", "stable", "--experimental", ...stub()], "contradict"],
    ["a slip in an option", ["session/list", "--untill", "x", ...stub()], 'did you mean "--until"'],
  ];
  test.each(cases)("%s", async (_, words, expected) => {
    const run = await call(...words);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^mspkit: .*\n$/);
    expect(run.stderr).toContain(expected);
  });
});

describe("a host that cannot be used exits 3", () => {
  test.each([
    ["is not there", ["--", "no-such-host"], /no-such-host: cannot be started: .*ENOENT/],
    ["ends at once", ["--", process.execPath, "-e", "process.exit(5)"], /; it ended with 5/],
    ["refuses", stub("refuses"), /could not be used: not today/],
    ["does not listen", ["--url", "ws://127.0.0.1:1"], /cannot be reached: .*ECONNREFUSED/],
    ["says hello with nothing in it", stub("bad-hello"), /answer to initialize is not valid/],
    ["says hello with half of it", stub("half-hello"), /answer to initialize is not valid/],
    ["says nothing", [...["--timeout", "1000"], ...stub("mute-at-first")], /initialize within 1000 ms/],
    ["dies of the call", stub("dies"), /outcome is unknown/],
    [
      "dies while it is listened to",
      [...["--wait", "60000"], ...stub("dies-later")],
      /ended with 7\n.*ended while/,
    ],
    [
      "leaves before --until",
      [...["--until", "turn/completed"], ...stub("leaves-later")],
      /ended before turn\/completed/,
    ],
  ])("one that %s", async (_, words, expected) => {
    const run = await call("session/list", ...words);
    expect(run.code).toBe(3);
    expect(said(run)).toMatch(expected);
    expect(said(run)).not.toContain("error of the tool");
  });

  test("and so does a socket that takes the connection and no WebSocket", async () => {
    const server = createServer(() => undefined);
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const run = await call("session/list", "--timeout", "500", "--url", `ws://127.0.0.1:${port}`);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("cannot be reached");
  });

  test("and so do params that cannot be read, but no JSON in them is a finding", async () => {
    const cwd = scratchFolder();
    const missing = await mspkit(["call", "session/list", "@nope.json", ...stub()], { cwd });
    expect(missing).toEqual({ code: 3, stdout: "", stderr: "mspkit: nope.json: does not exist\n" });
    const broken = await mspkit(["call", "session/list", "-", ...stub()], { input: '{\n  "limit": }' });
    expect(broken).toMatchObject({ code: 1, stdout: "" });
    expect(broken.stderr).toMatch(/^<stdin>:2:12: .* \(json\)\n$/);
  });
});

describe("what a host does wrong is a finding, and exits 1", () => {
  test.each([
    ["a result", "wrong-result", ["result"], /^result of session\/list: \/sessions must be array \(type\)$/m],
    ["the data of an error", "wrong-error", ["error"], /^error data of session\/list: \/reason .*\(type\)$/m],
    [
      "a notification",
      "wrong-notification",
      ["notification turn/started", "result"],
      /^params of turn\/started: \/sessionId must be string \(type\)$/m,
    ],
    ["a line that is no frame", "garbage", ["result"], /no message: notJson: garbage/],
    ["an answer that is none", "unreadable", [], /no message: malformedAnswer/],
  ])("%s", async (_, way, printed, expected) => {
    const run = await call("session/list", ...stub(way));
    expect(run.code).toBe(1);
    expect(order(run)).toEqual(printed);
    expect(said(run)).toMatch(expected);
  });

  test("also where the params were not looked at", async () => {
    expect((await call("session/list", "--no-validate", ...stub("wrong-result"))).code).toBe(1);
  });
});

describe("how long it listens", () => {
  test("no longer than to the answer", async () => {
    expect(order(await call(...START, ...stub("never-completes")))).toEqual([
      "notification turn/started",
      "result",
    ]);
  });

  test("--until a notification that has come before the answer is no wait", async () => {
    const run = await call(...START, "--until", "turn/started", ...stub("never-completes"));
    expect(run.code).toBe(0);
  });

  test("--until one that does not come exits 4", async () => {
    const words = ["--until", "turn/completed", "--timeout", "3000"];
    const run = await call(...START, ...words, ...(await listening("never-completes")));
    expect(run.code).toBe(4);
    expect(order(run)).toEqual(["notification turn/started", "result"]);
    expect(said(run)).toContain("turn/completed did not come within 3000 ms");
  });

  test("--until is not waited for where the call was refused", async () => {
    const run = await call("goal/clear", '{"sessionId":"s"}', "--until", "session/goalChanged", ...stub());
    expect(run.code).toBe(1);
    expect(said(run)).not.toContain("goalChanged");
  });

  test("--wait ends early, and well, with a host that ends in order", async () => {
    const run = await call("session/list", "--wait", "60000", ...stub("leaves-later"));
    expect(run.code).toBe(0);
  });

  test("no answer in time exits 4, since nobody knows what came of it", async () => {
    const run = await call("session/list", "--timeout", "3000", ...(await listening("mute")));
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(said(run)).toContain("no answer within 3000 ms; whether it was carried out is not known");
  });
});

describe.skipIf(process.platform === "win32")("SIGINT closes in order", () => {
  const talk = (...words: string[]): Conversation => new Conversation([MSPKIT, "call", ...words]);

  test("while it listens: what was found stands", async () => {
    const conversation = talk("session/list", "--wait", "100000", ...stub());
    expect(await conversation.hears(1)).toBe(true);
    conversation.child.kill("SIGINT");
    const { code, stderr } = await conversation.ended;
    expect(code).toBe(0);
    // The host ended by itself, at the end of its input.
    expect(stderr).not.toContain("the host ended with");
  });

  test("before --until came, or an answer: nothing is known", async () => {
    const until = talk(...START, "--until", "turn/completed", ...stub("never-completes"));
    expect(await until.hears(2)).toBe(true);
    until.child.kill("SIGINT");
    expect(await until.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("interrupted") });

    const answer = talk("session/list", ...stub("mute"));
    expect(await answer.tells("host: initialized")).toBe(true);
    answer.child.kill("SIGINT");
    expect(await answer.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("interrupted") });
  });

  test("a second one ends a host that does not", async () => {
    const stubborn = talk("session/list", ...stub("stubborn"));
    expect(await stubborn.tells("host: initialized")).toBe(true);
    stubborn.child.kill("SIGINT");
    expect(await stubborn.tells("interrupted")).toBe(true);
    stubborn.child.kill("SIGINT");
    expect(await stubborn.ended).toMatchObject({ code: 4, stderr: expect.stringContaining("SIGKILL") });
  });
});
