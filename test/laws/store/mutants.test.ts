/** Each law of a store is broken by a store with a flaw, and by none without. */
import { describe, expect, it } from "vitest";
import { checkStore, storeLaws } from "../../../src/laws/store/index.js";
import { notKept } from "../../support/store-subjects.js";
import { type Flaw, flawedSubject } from "./flawed-store.js";

/** A flaw for each law, and the law that must find it. */
const MUTANTS: readonly (readonly [law: string, flaw: Flaw])[] = [
  ["kept", "forgets the last of a large group"],
  ["kept", "keeps the entries in a pile"],
  ["verbatim", "writes the JSON anew"],
  ["read-now", "reads what is live"],
  ["read-now", "reads late"],
  ["expected", "makes what it looks for"],
  ["listed", "has one space"],
  ["listed", "lists without a time"],
  ["ids", "takes any id"],
  ["one-holder", "a claim is a set"],
  ["race", "looks, and then takes"],
  ["epochs", "counts its holders for an epoch"],
  ["fenced", "lets the fenced write"],
  ["fenced", "says nothing to the fenced"],
  ["closed", "ignores what is closed"],
  ["model", "a claim is a set"],
  ["failed", "goes on after a failure"],
  ["killed", "tells before it keeps"],
  ["killed", "holds for the dead"],
  ["killed-writing", "keeps half an entry"],
];

describe("the laws of a store", () => {
  it("are kept by a store without a flaw", async () => {
    expect(notKept(await checkStore(flawedSubject(undefined)))).toEqual({ unplugged: "notApplicable" });
  });

  it.each(MUTANTS)("%s finds a store that %s", async (law, flaw) => {
    const report = await checkStore(flawedSubject(flaw), { only: [law] });
    expect(report.laws.map(({ verdict }) => verdict)).toEqual(["broken"]);
    expect(report.holds).toBe(false);
    expect(report.laws[0]!.broken!.steps.length).toBeGreaterThan(0);
  });

  it("have a mutant each; that of the power cut is the file store without sync", () => {
    const withMutant = new Set([...MUTANTS.map(([law]) => law), "unplugged"]);
    expect([...withMutant].sort()).toEqual(storeLaws.map(({ id }) => id).sort());
  });

  it("show a claim that is a set in two steps", async () => {
    const report = await checkStore(flawedSubject("a claim is a set"), { only: ["model"] });
    const { steps } = report.laws[0]!.broken!;
    expect(steps).toHaveLength(2);
    expect(steps.every((step) => /^host \d opens (a|b|c) \(\w+\): ok$/.test(step))).toBe(true);
  });

  it("say that too little was exercised, and not that all is well", async () => {
    const sound = flawedSubject(undefined);
    const law = storeLaws.find(({ id }) => id === "epochs")!;
    const { least } = law;
    Object.assign(law, { least: { opens: 1_000 } });
    try {
      const report = await checkStore(sound, { only: ["epochs"] });
      expect(report.laws[0]!.verdict).toBe("inconclusive");
      expect(report.holds).toBe(false);
    } finally {
      Object.assign(law, { least });
    }
  });

  it("report an error that no law foresees as broken, and refuse a law that there is not", async () => {
    const sound = flawedSubject(undefined);
    const torn = {
      ...sound,
      makePlace: async () => ({
        ...(await sound.makePlace()),
        store: () => Promise.reject(new Error("no such place")),
      }),
    };
    const report = await checkStore(torn, { only: ["kept"] });
    expect(report.laws[0]).toMatchObject({ verdict: "broken", broken: { steps: [] } });
    await expect(checkStore(sound, { only: ["kept", "keptt"] })).rejects.toBeInstanceOf(TypeError);
  });
});
