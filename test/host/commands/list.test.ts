/** No command is forgotten: the cases are those of the schema that the host serves, and of no others. */
import { describe, expect, it } from "vitest";
import { mintCommandId } from "../../../src/client/index.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { commandCases } from "../../support/command-cases.js";
import { commandMethods, withheldByEphemeral } from "../../support/command-list.js";
import { TestClient, testHost } from "../../support/host.js";

const METHOD_NOT_FOUND = -32601;

/** The commands that a host answers with anything but that it does not serve them. */
async function served(durability: "durable" | "ephemeral"): Promise<string[]> {
  const { host } = testHost({ store: memoryStore({ durability }) });
  const client = await TestClient.of(host, { experimentalApi: true });
  const found: string[] = [];
  for (const method of commandMethods) {
    const outcome = await client.ask(method, { commandId: mintCommandId() });
    if (!("error" in outcome) || outcome.error.code !== METHOD_NOT_FOUND) found.push(method);
  }
  await host.close();
  return found.sort();
}

describe("the cases", () => {
  it("are of every command that a durable host serves", async () => {
    expect(commandMethods).toHaveLength(53);
    expect(await served("durable")).toEqual(Object.keys(commandCases).sort());
  });

  it("are of every command that an ephemeral host serves, and of those that it withholds", async () => {
    const rest = Object.keys(commandCases).filter((method) => !withheldByEphemeral.includes(method as never));
    expect(await served("ephemeral")).toEqual(rest.sort());
    expect([...withheldByEphemeral].sort()).toEqual(["session/fork", "session/rename", "session/resume"]);
  });
});
