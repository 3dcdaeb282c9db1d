/** Pins: what they say of the schema of today, and how they are changed. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownReleases } from "../../src/releases/known.js";
import { loadManifest, loadTranscripts, pinsOf, repin } from "../../src/transcripts/index.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import { manifestOf, OWN_TRANSCRIPTS, transcriptOf, writeTranscript } from "../support/transcripts.js";

const sha = (digit: string): string => `sha256:${digit.repeat(64)}`;
const CURRENT = sha("c");
const RELEASES = [
  { release: "1", published: { stable: sha("1") }, stable: { fingerprint: sha("a"), parts: {} } },
  { release: "2", published: { stable: sha("2") }, stable: { fingerprint: CURRENT, parts: {} } },
  { release: "3", published: { stable: sha("3") } },
];

describe("a pin", () => {
  it.each([
    ["our own of today", CURRENT, "same", "2"],
    ["the published one of the release that is ours of today", sha("2"), "same", "2"],
    ["the published one of another release", sha("1"), "different", "1"],
    ["our own of another release", sha("a"), "different", "1"],
    ["the published one of a release whose bundle nobody has", sha("3"), "different", "3"],
    ["of nothing that is known", sha("f"), "unknown", undefined],
  ])("%s", (_, fingerprint, state, release) => {
    const [pin] = pinsOf([transcriptOf([], { fingerprint })], CURRENT, RELEASES);
    expect(pin).toEqual({
      transcript: "up",
      fingerprint,
      state,
      ...(release === undefined ? {} : { release }),
    });
  });

  it("of today needs no release", () => {
    expect(pinsOf([transcriptOf([], { fingerprint: CURRENT })], CURRENT, [])).toMatchObject([
      { state: "same" },
    ]);
  });

  it("of each of the project's recordings is the one of today", () => {
    const model = readFileSync(join(ROOT, "generated/msp/stable/model.json"), "utf8");
    const { protocol } = JSON.parse(model) as { protocol: { fingerprints: { stable: string } } };
    const releases = knownReleases().releases;
    const pins = pinsOf(loadTranscripts(OWN_TRANSCRIPTS), protocol.fingerprints.stable, releases);
    expect(pins.filter(({ state }) => state !== "same")).toEqual([]);
    expect(pins.length).toBeGreaterThan(19);
  });
});

describe("repinning", () => {
  it("changes the fingerprint and no other byte", () => {
    const folder = writeTranscript(scratchFolder(), transcriptOf(['> {"fingerprint":1}']));
    const file = join(folder, "manifest.json");
    const odd = (pin: string): string =>
      `${JSON.stringify(manifestOf("up", { note: { fingerprint: "é" } }))
        .replace(sha("0"), pin)
        .replaceAll(",", " ,\r\n\t")}\n\n`;
    writeFileSync(file, odd(sha("0")));
    const transcript = readFileSync(join(folder, "transcript.ndjson"));
    repin(folder, CURRENT);
    expect(readFileSync(file, "utf8")).toBe(odd(CURRENT));
    expect(loadManifest(folder).fingerprint).toBe(CURRENT);
    expect(readFileSync(join(folder, "transcript.ndjson"))).toEqual(transcript);
    expect(readdirSync(folder).sort()).toEqual(["manifest.json", "transcript.ndjson"]);
  });

  it("refuses a manifest without one", () => {
    const folder = writeTranscript(scratchFolder(), transcriptOf([]));
    writeFileSync(join(folder, "manifest.json"), '{"a":{"fingerprint":"x"}}');
    expect(() => repin(folder, CURRENT)).toThrow(expect.objectContaining({ kind: "badManifest" }));
    expect(() => repin(join(folder, "nope"), CURRENT)).toThrow(
      expect.objectContaining({ kind: "unreadable" }),
    );
  });
});
