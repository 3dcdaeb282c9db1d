/** What `authenticate` says, and what it says that it may not; and whom wrong tokens lock out. */
import { describe, expect, it } from "vitest";
import { type Authenticate, byTokens, tokenRow } from "../../src/doors/index.js";
import { connectWebSocket } from "../../src/wire/node.js";
import { counted, mcpClient, openDoors, post, request, tokenOf } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell", commandId: "one" };
const RIGHT = tokenOf("orchard", "ann");
const circle: { round?: unknown } = {};
circle.round = circle;

/** The statuses that an `authenticate` gets at all doors, and what it was told of errors. */
async function statuses(authenticate: () => unknown) {
  const errors: unknown[] = [];
  const { app, carriedOut } = counted(appOf());
  const at = await openDoors(app, {
    authenticate: authenticate as Authenticate,
    onError: (error) => void errors.push(error),
  });
  const rest = await post(`${at.url}/v1/event/publish`, PUBLISH);
  const webSocket = await connectWebSocket(at.webSocketUrl).then(
    () => "open",
    (error: unknown) => /\b(401|403|500)\b/.exec(String(error))?.[1],
  );
  const mcp = await mcpClient(at).then(
    () => "open",
    (error: unknown) => String((error as { code?: number }).code),
  );
  expect(carriedOut).toEqual([]);
  return { told: [String(rest.status), webSocket, mcp], errors };
}

describe("an authenticate that knows nobody", () => {
  it.each([
    ["null", () => null],
    ["null later", async () => null],
    ["undefined later", async () => undefined],
  ])("and says so by %s is believed", async (_how, authenticate) => {
    expect(await statuses(authenticate)).toEqual({ told: ["401", "401", "401"], errors: [] });
  });
});

describe("an authenticate that says who it is", () => {
  const made = [
    ["without a tenant", { participant: "ann" }],
    ["without a participant", { tenant: "orchard" }],
    ["by a number for a tenant", { tenant: 5, participant: "ann" }],
    ["by an empty tenant", { tenant: "", participant: "ann" }],
    ["by an empty participant", { tenant: "orchard", participant: "" }],
    ["until no time", { tenant: "orchard", participant: "ann", expiresAtMs: Number.NaN }],
    ["until a text", { tenant: "orchard", participant: "ann", expiresAtMs: "2027-01-01" }],
    ["by a text", "ann"],
    ["by yes", true],
    ["by a rejection without a message", { reason: "forbidden" }],
    ["by a rejection with a circle", { reason: "forbidden", message: "m", retryable: false, data: circle }],
    ["by a rejection with half a letter", { reason: "forbidden\udc00", message: "m", retryable: false }],
  ] as const;
  it.each(made)("%s lets nobody in, and that is told to whoever serves", async (_how, given) => {
    for (const authenticate of [() => given, async () => given]) {
      const { told, errors } = await statuses(authenticate);
      expect(told).toEqual(["500", "500", "500"]);
      expect(errors).toHaveLength(3);
    }
  });

  it("later, by what is only like a promise, is understood", async () => {
    // biome-ignore lint/suspicious/noThenProperty: it is what is tested
    const authenticate = () => ({ then: (done: (given: undefined) => void) => done(undefined) });
    expect(await statuses(authenticate)).toEqual({ told: ["401", "401", "401"], errors: [] });
  });
});

describe("an address that shows wrong tokens", () => {
  const OTHER = "never.shown.before.this";
  const rows = byTokens([
    tokenRow(RIGHT, { tenant: "orchard", participant: "ann" }),
    tokenRow(OTHER, { tenant: "orchard", participant: "bob" }),
  ]);

  it.each([
    ["a table", rows],
    ["a function of one's own", async (shown: Parameters<Authenticate>[0]) => rows(shown)],
  ] as const)("does not lock out who came before from there: %s", async (_what, authenticate) => {
    const at = await openDoors(appOf(), { authenticate });
    const ask = async (token: string) => (await request(`${at.url}/openapi.json`, { token })).status;
    expect(await ask(RIGHT)).toBe(200);
    const answers: number[] = [];
    for (let i = 0; i < 70; i++) answers.push(await ask(`wrong-token-number-${i}`));
    // Some are filled up while they are sent.
    expect(answers.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
    expect(await ask(RIGHT)).toBe(200);
    expect((await post(`${at.url}/v1/event/publish`, PUBLISH)).status).toBe(200);
    // Others are not told whether they are right.
    let last = [0, 0];
    for (let i = 0; i < 20 && last[0] !== 429; i++)
      last = [await ask(`one-more-wrong-token-${i}`), await ask(OTHER)];
    expect(last).toEqual([429, 429]);
  });

  it("locks out whose token was right before and is not any more", async () => {
    let expiresAtMs = Number.MAX_SAFE_INTEGER;
    const at = await openDoors(appOf(), {
      limits: { failuresPerMinute: 1 },
      authenticate: ({ token }) =>
        token === RIGHT ? { tenant: "orchard", participant: "ann", expiresAtMs } : undefined,
    });
    const ask = async (token: string) => (await request(`${at.url}/openapi.json`, { token })).status;
    expect(await ask(RIGHT)).toBe(200);
    expect([await ask("0".repeat(20)), await ask("0".repeat(20))]).toEqual([401, 429]);
    expect(await ask(RIGHT)).toBe(200);
    expiresAtMs = 1;
    expect([await ask(RIGHT), await ask(RIGHT)]).toEqual([401, 429]);
  });
});
