/** What the mode of a session says before anybody is asked. */
import { expect, it } from "vitest";
import { TestClient, testHost } from "../support/host.js";

const turn = async (approvalMode: string) => {
  const { host } = testHost();
  const client = await TestClient.of(host);
  const sessionId = await client.start({ approvalMode });
  const { turnId } = await client.command("turn/start", {
    sessionId,
    input: [{ type: "text", text: "/approve" }],
  });
  return { host, client, sessionId, turnId: turnId as unknown as string };
};

const tool = (client: TestClient) =>
  client.all("item/completed").flatMap(({ item }) => {
    const { kind, status } = item as { kind: string; status: string };
    return kind === "toolCall" ? [status] : [];
  });

it.each([
  ["allowAll", "completed"],
  ["denyUnmatched", "rejected"],
])("%s asks nobody: the call ends as %s", async (mode, status) => {
  const { host, client, turnId } = await turn(mode);
  expect(await client.ended(turnId)).toMatchObject({ terminal: "completed" });
  expect(tool(client)).toEqual([status]);
  expect(client.all("approval/requested")).toEqual([]);
  expect(client.all("approval/request")).toEqual([]);
  await host.close();
});

it.each(["promptUnmatched", "onRequest"])("%s asks the user", async (mode) => {
  const { host, client } = await turn(mode);
  await client.until(({ method }) => method === "approval/request");
  await host.close();
});

it("counts from the next question on", async () => {
  const { host, client, sessionId } = await turn("denyUnmatched");
  await client.until(({ method }) => method === "turn/completed");
  await client.command("session/setApprovalMode", { sessionId, mode: "allowAll" });
  const { turnId } = await client.command("turn/start", {
    sessionId,
    input: [{ type: "text", text: "/approve" }],
  });
  await client.ended(turnId as unknown as string);
  expect(tool(client)).toEqual(["rejected", "completed"]);
  await host.close();
});
