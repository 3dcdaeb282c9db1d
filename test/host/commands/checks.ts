/** What holds of every command: checks that throw where it does not. */
import { expect } from "vitest";
import { methods } from "../../../generated/msp/experimental/tables.js";
import { mintCommandId } from "../../../src/client/index.js";
import { type CaseRow, untilEffects } from "../../support/command-cases.js";
import { ALL_CAPABILITIES, CommandScene, type SceneHost } from "../../support/command-scene.js";
import { TestClient } from "../../support/host.js";

/** Carried out once, and answered the same at each replay: on another connection, and after other commands. */
export async function doneOnce(host: SceneHost, { method, of }: CaseRow): Promise<void> {
  const scene = await CommandScene.on(host);
  const other = await TestClient.of(scene.host, ALL_CAPABILITIES, "another");
  const params = await of.arrange(scene);
  const before = await of.effects(await scene.records(), scene);
  const id = mintCommandId();
  const first = await scene.ask(method, params, id);
  expect(first).toHaveProperty("result");
  await untilEffects(scene, of, before + 1);
  const own = await scene.recordsOfCommand(id);
  // Other commands come in between; where the session was given up they are refused.
  const between =
    method === "session/setReasoningEffort" ? "session/setApprovalMode" : "session/setReasoningEffort";
  await scene.ask(between, { reasoningEffort: "minimal", mode: "denyUnmatched" }, mintCommandId());
  expect(await scene.ask(method, params, id)).toEqual(first);
  expect(await scene.ask(method, params, id, other)).toEqual(first);
  expect(await scene.ask(method, { ...params, unknownMember: 1 }, id, other)).toEqual(
    methods[method].strict ? expect.objectContaining({ error: expect.anything() }) : first,
  );
  await scene.told();
  expect(await of.effects(await scene.records(), scene)).toBe(before + 1);
  // Turns that run may be settled meanwhile; nothing else is written of a command that was answered.
  const unsettled = (records: readonly { readonly type: string }[]) =>
    records.filter(({ type }) => type !== "settled");
  expect(unsettled(await scene.recordsOfCommand(id))).toEqual(unsettled(own));
  expect(own.filter(({ type }) => type === "received")).toHaveLength(
    methods[method].record === "durable" ? 1 : 0,
  );
  await Promise.all([scene.client.close(), other.close()]);
}

/** The id stands for no other payload and no other method; the first one is not touched. */
export async function standsForNothingElse(host: SceneHost, { method, of }: CaseRow): Promise<void> {
  const scene = await CommandScene.on(host);
  const params = await of.arrange(scene);
  const before = await of.effects(await scene.records(), scene);
  const id = mintCommandId();
  const first = await scene.ask(method, params, id);
  await untilEffects(scene, of, before + 1);
  const conflict = (pointer: string) => ({
    error: {
      code: -32030,
      message: expect.stringContaining("command_id_conflict"),
      // These and no more: nothing of what the first one said.
      data: {
        kind: "commandRejected",
        commandId: id,
        reason: "command_id_conflict",
        retryable: false,
        details: { pointer },
      },
    },
  });
  if (of.other !== undefined) {
    const { params: instead, pointer } = of.other(params);
    expect(await scene.ask(method, instead, id)).toEqual(conflict(pointer));
    expect(await scene.ask(method, instead, id)).toEqual(conflict(pointer));
  }
  if (method !== "session/start") {
    const another = method === "task/stopAll" ? "session/leave" : "task/stopAll";
    expect(await scene.ask(another, {}, id)).toEqual(conflict(""));
  }
  expect(await scene.ask(method, params, id)).toEqual(first);
  await scene.told();
  expect(await of.effects(await scene.records(), scene)).toBe(before + 1);
  await scene.client.close();
}

/** 32 at once over four connections are one. */
export async function manyAtOnce(host: SceneHost, { method, of }: CaseRow): Promise<void> {
  const scene = await CommandScene.on(host);
  const clients = [
    scene.client,
    ...(await Promise.all(["a", "b", "c"].map((name) => TestClient.of(scene.host, ALL_CAPABILITIES, name)))),
  ];
  const params = await of.arrange(scene);
  const before = await of.effects(await scene.records(), scene);
  const id = mintCommandId();
  const outcomes = await Promise.all(
    Array.from({ length: 32 }, (_, i) => scene.ask(method, params, id, clients[i % 4])),
  );
  expect(outcomes[0]).toHaveProperty("result");
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  await untilEffects(scene, of, before + 1);
  await scene.told();
  expect(await of.effects(await scene.records(), scene)).toBe(before + 1);
  const received = (await scene.recordsOfCommand(id)).filter(({ type }) => type === "received");
  expect(received).toHaveLength(methods[method].record === "durable" ? 1 : 0);
  await Promise.all(clients.map((client) => client.close()));
}

/** What was rejected is rejected again, also when it would be accepted by now. */
export async function rejectedForGood(host: SceneHost, { method, of }: CaseRow): Promise<void> {
  const scene = await CommandScene.on(host);
  const { rejection } = of;
  const params = await rejection!.arrange(scene);
  const id = mintCommandId();
  const first = await scene.ask(method, params, id);
  expect(first).toMatchObject({
    error: { code: -32030, data: { kind: "commandRejected", commandId: id, reason: rejection!.reason } },
  });
  const own = await scene.recordsOfCommand(id);
  await rejection!.change?.(scene, params);
  expect(await scene.ask(method, params, id)).toEqual(first);
  expect(await scene.recordsOfCommand(id)).toEqual(own);
  expect(own.map(({ type }) => type)).toEqual(
    methods[method].record === "durable" ? ["received", "settled"] : [],
  );
  if (rejection!.change !== undefined) {
    const fresh = await scene.ask(method, params, mintCommandId());
    expect(fresh).toHaveProperty("result");
  }
  await scene.client.close();
}
