/** Every command that the host serves: a replay is answered as the first time and does nothing more; so is a conflict. */
import { afterAll, describe, expect, it } from "vitest";
import { caseRows } from "../../support/command-cases.js";
import { withheldByEphemeral } from "../../support/command-list.js";
import type { SceneHost } from "../../support/command-scene.js";
import { sceneHost, withPlace } from "../../support/command-scene.js";
import { fileSubject, memorySubject, sqliteSubject } from "../../support/store-subjects.js";
import { doneOnce, manyAtOnce, rejectedForGood, standsForNothingElse } from "./checks.js";

const subjects = [memorySubject, fileSubject(), sqliteSubject()];

describe.each(subjects)("on the store: $name", (subject) => {
  let over!: () => void;
  const untilOver = new Promise<void>((resolve) => (over = resolve));
  let made!: (of: SceneHost) => void;
  const scenes = new Promise<SceneHost>((resolve) => (made = resolve));
  const run = withPlace(subject, async (place) => {
    const of = sceneHost(await place.store());
    made(of);
    await untilOver;
    await of.host.close();
    return of.errors;
  });
  afterAll(async () => {
    over();
    expect(await run).toEqual([]);
  });
  const rows = caseRows.filter(
    ({ method }) => subject.name !== "memory" || !withheldByEphemeral.includes(method),
  );

  it.each(rows)("$name is done once, and replayed value for value", async (row) => {
    await doneOnce(await scenes, row);
  });

  it.each(rows)("$name: the id does not stand for anything else", async (row) => {
    await standsForNothingElse(await scenes, row);
  });

  it.each(rows)("$name: 32 at once are one", async (row) => {
    await manyAtOnce(await scenes, row);
  });

  it.each(rows.filter(({ of }) => of.rejection !== undefined))(
    "$name: what was rejected once is rejected for good",
    async (row) => {
      await rejectedForGood(await scenes, row);
    },
  );
});
