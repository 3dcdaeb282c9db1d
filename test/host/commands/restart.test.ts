/**
 * Every command with a durable record, over the end of its host: what was answered is answered by the next host, and what
 * was open is told to be abandoned. Once with an orderly end, once with a store whose process is killed.
 */
import { describe, expect, it } from "vitest";
import { methods } from "../../../generated/msp/experimental/tables.js";
import { mintCommandId } from "../../../src/client/index.js";
import type { MortalStore, StorePlace } from "../../../src/laws/store/index.js";
import { type CaseRow, caseRows, untilEffects } from "../../support/command-cases.js";
import { ALL_CAPABILITIES, CommandScene, sceneHost, withPlace } from "../../support/command-scene.js";
import { type Outcome, TestClient } from "../../support/host.js";
import { crashableSubject, fileSubject, sqliteSubject } from "../../support/store-subjects.js";

interface Done {
  readonly row: CaseRow;
  readonly scene: CommandScene;
  readonly params: object;
  readonly id: string;
  readonly first: Outcome;
  readonly rejected: { readonly params: object; readonly id: string; readonly first: Outcome } | undefined;
}

// A resume deduplicates for the host's life: its effect dies with it.
const rows = caseRows.filter(
  ({ method }) => methods[method].record === "durable" && method !== "session/resume",
);

/** Each case in a session of its own, all on one host. */
async function allDone(store: MortalStore["store"]) {
  const of = sceneHost(store);
  const done: Done[] = [];
  for (const row of rows) {
    const scene = await CommandScene.on(of);
    const params = await row.of.arrange(scene);
    const before = await row.of.effects(await scene.records(), scene);
    const id = mintCommandId();
    const first = await scene.ask(row.method, params, id);
    expect(first, row.name).toHaveProperty("result");
    await untilEffects(scene, row.of, before + 1);
    await scene.told();
    let rejected: Done["rejected"];
    if (row.of.rejection !== undefined) {
      const other = await CommandScene.on(of);
      const refused = await row.of.rejection.arrange(other);
      const rejectedId = mintCommandId();
      const answer = await other.ask(row.method, refused, rejectedId);
      expect(answer, row.name).toHaveProperty("error.data.reason", row.of.rejection.reason);
      rejected = { params: other.params(row.method, refused, rejectedId), id: rejectedId, first: answer };
    }
    done.push({ row, scene, params: scene.params(row.method, params, id), id, first, rejected });
  }
  return { of, done };
}

/** Asks everything again of the next host; what was not as it should be, by case. */
async function again(place: StorePlace, done: readonly Done[], killed: boolean) {
  const store = await place.store();
  const { host, errors } = sceneHost(store, { approvalModeCeiling: "allowAll" });
  const client = await TestClient.of(host, ALL_CAPABILITIES);
  const wrong: Record<string, unknown> = {};
  let asked = 0;
  const ask = async (name: string, method: string, params: object, expected: object) => {
    const sessionId = (params as { sessionId?: string }).sessionId;
    if (sessionId !== undefined && method !== "session/start")
      await client.command("session/resume", { sessionId });
    const answers = [await client.ask(method, params), await client.ask(method, params)];
    asked++;
    for (const answer of answers)
      if (JSON.stringify(answer) !== JSON.stringify(expected)) wrong[name] = answer;
  };
  const count = async ({ of }: CaseRow, scene: CommandScene) =>
    of.effects(await scene.records(store), { store } as CommandScene);
  const sessionCount = (await store.list("sessions")).length;
  for (const { row, params, id, first, rejected, scene } of done) {
    const { name, method, of } = row;
    const before = await count(row, scene);
    if (killed && of.afterKill === "abandoned")
      await ask(name, method, params, {
        error: {
          code: -32030,
          message: `${method} command ${id} rejected: abandoned`,
          data: { kind: "commandRejected", retryable: false, commandId: id, reason: "abandoned" },
        },
      });
    else await ask(name, method, params, first);
    if (rejected !== undefined) await ask(`${name}, rejected`, method, rejected.params, rejected.first);
    // What is shown as an effect of the replay would be one too many; turns that waited run now, and are not the replay's.
    const after = await count(row, scene);
    if (after !== before && of.label === undefined) wrong[`${name}, effects`] = { before, after };
  }
  const made = (await store.list("sessions")).length - sessionCount;
  if (made !== 0) wrong["sessions made"] = made;
  await host.close();
  return { wrong, errors, asked };
}

describe.each([fileSubject(), sqliteSubject(), crashableSubject])("on the store: $name", (subject) => {
  it("is answered by the next host as by one that ended in order", () =>
    withPlace(subject, async (place) => {
      const { of, done } = await allDone(await place.store());
      await of.host.close();
      expect(of.errors).toEqual([]);
      const { wrong, errors, asked } = await again(place, done, false);
      expect(wrong).toEqual({});
      expect(errors).toEqual([]);
      expect(asked).toBe(rows.length + rows.filter(({ of: { rejection } }) => rejection).length);
    }));

  it("is answered by the next host where the store of the last one was killed", () =>
    withPlace(subject, async (place) => {
      const { store, kill } = await place.mortal!();
      const { done } = await allDone(store);
      await kill();
      const { wrong, errors } = await again(place, done, true);
      expect(wrong).toEqual({});
      expect(errors).toEqual([]);
    }));
});

describe("the check itself", () => {
  it("fails where the next host remembers nothing", () =>
    withPlace(crashableSubject, (first) =>
      withPlace(crashableSubject, async (second) => {
        const { of, done } = await allDone(await first.store());
        await of.host.close();
        const starts = done.filter(({ row }) => row.method === "session/start");
        const { wrong } = await again(second, starts, false);
        expect(Object.keys(wrong)).toEqual([
          "session/start",
          "session/start, rejected",
          "session/start, effects",
          "sessions made",
        ]);
      }),
    ));
});
