/** Command ids: every command needs one, a UUID of version 7; one that is refused leaves nothing behind. */
import { describe, expect, it } from "vitest";
import { mintCommandId } from "../../../src/client/index.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { caseRows, untilEffects } from "../../support/command-cases.js";
import { CommandScene, sceneHost } from "../../support/command-scene.js";

const rows = caseRows.filter(({ of }, i) => caseRows.findIndex((row) => row.of === of) === i);

/** Ids that are none, by what is wrong with them. */
const REFUSED: readonly (readonly [string, unknown])[] = [
  ["missing", undefined],
  ["empty", ""],
  ["null", null],
  ["a number", 7],
  ["no UUID", "turn-1"],
  ["version 4", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"],
  ["version 1", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
  ["another variant", "01890a5d-ac96-774b-7cce-b302099a8057"],
  ["without hyphens", "01890a5dac96774bbcceb302099a8057"],
  ["in braces", "{01890a5d-ac96-774b-bcce-b302099a8057}"],
  ["with white space", " 01890a5d-ac96-774b-bcce-b302099a8057"],
];

describe("command ids", () => {
  it.each(rows)("$name is refused without one, and leaves no record", async ({ method, of }) => {
    const host = sceneHost(memoryStore({ durability: "durable" }));
    const scene = await CommandScene.on(host);
    const params = await of.arrange(scene);
    await scene.told();
    const before = await of.effects(await scene.records(), scene);
    const received = async () => (await scene.records()).filter(({ type }) => type === "received").length;
    const [taken, own] = [await received(), (await scene.store.list("commands")).length];
    for (const [what, commandId] of REFUSED) {
      const outcome = await scene.client.ask(method, scene.params(method, params, commandId as string));
      expect(outcome, what).toMatchObject({ error: { code: -32602, data: { kind: "invalidParams" } } });
    }
    expect(await received()).toBe(taken);
    expect((await scene.store.list("commands")).length).toBe(own);
    expect(await of.effects(await scene.records(), scene)).toBe(before);
    await host.host.close();
    expect(host.errors).toEqual([]);
  });

  it.each(rows)(
    "$name: letter case makes no other id, and is echoed as it was sent",
    async ({ method, of }) => {
      const host = sceneHost(memoryStore({ durability: "durable" }));
      const scene = await CommandScene.on(host);
      const params = await of.arrange(scene);
      const before = await of.effects(await scene.records(), scene);
      const id = mintCommandId();
      const first = await scene.ask(method, params, id);
      await untilEffects(scene, of, before + 1);
      const again = await scene.ask(method, params, id.toUpperCase());
      const echoes = "result" in first && "commandId" in first.result;
      expect(again).toEqual(
        echoes && "result" in first ? { result: { ...first.result, commandId: id.toUpperCase() } } : first,
      );
      await scene.told();
      expect(await of.effects(await scene.records(), scene)).toBe(before + 1);
      await host.host.close();
    },
  );
});
