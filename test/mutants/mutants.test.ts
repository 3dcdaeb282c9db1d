/** What mutants are made of, and how their run tells that one escaped. That laws find them: `npm run mutants`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import { ROOT } from "../support/repo.js";
import { hostModule } from "./bundle.js";
import { mutants } from "./catalog.js";
import { isPatchError, type Patch, patched } from "./mutant.js";
import { runTask } from "./run-one.js";
import { type Found, MOST_FRAMES, whyEscaped } from "./try-mutant.js";

let folder: string;
beforeAll(() => {
  mkdirSync(join(ROOT, ".setup"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".setup", "mutants-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a mutant", () => {
  it.each(mutants)("can be made: $id", ({ patches, programPatches = [] }) => {
    for (const all of [patches, programPatches])
      for (const file of new Set(all.map((patch) => patch.file))) {
        const text = readFileSync(join(ROOT, file), "utf8");
        expect(patched(file, text, all)).not.toBe(text);
      }
  });

  it("has an id and a fault of its own, and a law that there is", () => {
    const laws = catalog.map(({ id }) => id);
    expect(mutants.filter(({ law }) => !laws.includes(law)).map(({ id, law }) => `${id}: ${law}`)).toEqual(
      [],
    );
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(new Set(mutants.map(({ fault }) => fault)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(30);
    expect(mutants.filter(({ process }) => process === true)).toHaveLength(10);
    expect(mutants.filter(({ patches }) => patches.length === 0)).toEqual([]);
  });
});

describe("the patches of a mutant", () => {
  const kindOf = async (patch: Patch): Promise<string> => {
    try {
      await hostModule(ROOT, [patch], mkdtempSync(join(folder, "wrong-")));
    } catch (error) {
      return isPatchError(error) ? error.message : `another error: ${String(error)}`;
    }
    return "none";
  };

  it("fail where their text is gone, stands there twice, or is in a file that the host has not", async () => {
    const file = "src/host/answers.ts";
    expect(await kindOf({ file, find: "no such text", replace: "" })).toContain("0 times");
    expect(await kindOf({ file, find: "export function", replace: "" })).toMatch(/[2-9] times/);
    expect(await kindOf({ file: "src/cli/bin.ts", find: "void", replace: "" })).toContain(
      "is not in the bundle",
    );
  });

  it("are put in one after the other, each for its file, as they stand", () => {
    const patch = (from: string, find: string, replace: string): Patch => ({ file: from, find, replace });
    const patches = [patch("a", "one", "$& two"), patch("b", "one", "three"), patch("a", "two", "four")];
    expect(patched("a", "one", patches)).toBe("$& four");
  });
});

describe("the run of a mutant", () => {
  const found: Found = { verdict: "broken", broken: "one-end", frames: 3, cases: 1, ms: 1 };

  it("says that it escaped where its law is silent, another speaks, or the counterexample is large", () => {
    expect(whyEscaped("one-end", found)).toBeUndefined();
    expect(whyEscaped("one-end", { verdict: "holds", cases: 9, ms: 1 })).toContain("holds");
    expect(whyEscaped("queue-order", found)).toContain("one-end is broken instead of queue-order");
    expect(whyEscaped("one-end", { ...found, frames: MOST_FRAMES })).toBeUndefined();
    expect(whyEscaped("one-end", { ...found, frames: MOST_FRAMES + 1 })).toContain("13 frames");
  });

  it("finds a fault where there is one, none where there is none, and says so where a law misses it", async () => {
    const mutant = mutants.find(({ id }) => id === "new-turn-on-replay")!;
    const task = { mode: "simulation", law: "replay-identity", needs: "durable", seed: 1 } as const;
    const caught = await runTask(ROOT, folder, { ...task, mutant });
    expect(caught).toMatchObject({ verdict: "broken", broken: "replay-identity", frames: 3 });
    expect(caught.escaped).toBeUndefined();
    const sound = await runTask(ROOT, folder, task);
    expect(sound).toMatchObject({ verdict: "holds" });
    expect(sound.escaped).toBeUndefined();
    const dead = [{ file: "src/host/host-connection.ts", find: 'this.#state = "initialized";', replace: "" }];
    expect((await runTask(ROOT, folder, { ...task, mutant: { ...mutant, patches: dead } })).escaped).toMatch(
      /^it does not live/,
    );
    const blind = { ...mutant, patches: [] };
    expect((await runTask(ROOT, folder, { ...task, mutant: blind })).escaped).toContain("holds");
  });
});
