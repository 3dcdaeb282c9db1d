/** Fencing of the file store: how a holder learns that it lost its log, and how the laws see it where it does not. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkStore } from "../../../../src/laws/store/index.js";
import { fileStore } from "../../../../src/ledger/node.js";
import { type Files, nodeFiles } from "../../../../src/ledger/stores/file/files.js";
import { beforeLine, claimLine } from "../../../../src/ledger/stores/file/lines.js";
import { epochsOf, readLog, segmentPath } from "../../../../src/ledger/stores/file/segments.js";
import { filesWith } from "../../../support/faulty-files.js";
import { scratchFolder } from "../../../support/repo.js";
import { fileSubject } from "../../../support/store-subjects.js";

const any = { expect: "any" } as const;

describe("a holder of files", () => {
  it("that is taken over while it writes is told so, and what it wrote is there before the other's or nowhere", async () => {
    let kept = 0;
    let lost = 0;
    // The other takes the log before the write, between write and sync, or after the sync.
    for (const moment of ["append", "syncData", "exists"] as const) {
      const dir = scratchFolder();
      const other = fileStore(dir);
      let armed = false;
      let late = false;
      const taking = (real: (...args: never[]) => unknown) => {
        return (...args: never[]): unknown => {
          if (armed) {
            armed = false;
            late = true;
            // In the middle of the write, as another process would: a segment of the next epoch, that counts what is there.
            takeOver(dir);
          }
          return real(...args);
        };
      };
      const files = filesWith({});
      // However slow the disk is: a sync in place and one in a thread are the same moment.
      if (moment === "syncData") files.syncDataLater = taking(files.syncDataLater) as Files["syncDataLater"];
      Object.assign(files, { [moment]: taking(files[moment]) });
      const store = fileStore(dir, { files });
      const log = await store.open("sessions", "a", any);
      await log.write(["1"]);
      armed = true;
      await expect(async () => log.write(["2"])).rejects.toMatchObject({ kind: "fenced" });
      expect(late).toBe(true);
      const next = await other.open("sessions", "a", any);
      await next.write(["3"]);
      const found = await other.read("sessions", "a");
      expect([
        ["1", "3"],
        ["1", "2", "3"],
      ]).toContainEqual(found);
      if (found!.length === 3) kept++;
      else lost++;
      await store.close();
      await other.close();
    }
    expect([kept, lost]).toEqual([2, 1]);
  });

  it("is found out by the laws where it does not look for another after its sync", async () => {
    const sound = fileSubject();
    const blind = {
      name: "one that does not look",
      async makePlace() {
        const dir = join(scratchFolder(), "store");
        mkdirSync(dir);
        const files = filesWith({
          exists: (path) => !path.endsWith(".ndjson") && nodeFiles.exists(path),
        });
        return { store: async () => fileStore(dir, { files }), remove: async () => undefined };
      },
    };
    expect((await checkStore(sound, { only: ["fenced"] })).holds).toBe(true);
    expect((await checkStore(blind, { only: ["fenced"] })).laws[0]!.verdict).toBe("broken");
  });

  it("reads again where another has taken the log while it read", async () => {
    const dir = scratchFolder();
    const first = fileStore(dir);
    const log = await first.open("sessions", "a", any);
    await log.write(["1"]);
    let reads = 0;
    let writing: Promise<void> | undefined;
    const files = filesWith({
      read(path, ...rest) {
        // What the holder writes after it was fenced, between the look at the folder and the look into the file.
        if (path === segmentPath(join(dir, "sessions/a"), 1) && reads++ === 0) {
          takeOver(dir);
          writing = (async () => log.write(["2"]))();
        }
        return nodeFiles.read(path, ...rest);
      },
    });
    const reader = fileStore(dir, { files });
    expect(await reader.read("sessions", "a")).toEqual(["1"]);
    await expect(writing).rejects.toMatchObject({ kind: "fenced" });
    expect(reads).toBeGreaterThan(1);
    await reader.close();
    await first.close();
  });
});

/** Makes the next segment of the log `a`, as another process does, all at once. */
function takeOver(dir: string): void {
  const folder = join(dir, "sessions/a");
  const state = readLog(nodeFiles, folder, epochsOf(nodeFiles, folder));
  const epoch = state.newest!.epoch + 1;
  writeFileSync(
    segmentPath(folder, epoch),
    claimLine({ version: 1, epoch, owner: null }) + beforeLine(state.counts),
  );
}
