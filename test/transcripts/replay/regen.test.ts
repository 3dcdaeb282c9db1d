/** A transcript is rewritten with what a host said, where that is equal or the manifest says why it may differ. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, type Transcript } from "../../../src/transcripts/index.js";
import { isJustified, regenerate } from "../../../src/transcripts/replay/regen.js";
import { madeElsewhere, replayAgainst } from "../../support/replay.js";
import { scratchFolder } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, writeTranscript } from "../../support/transcripts.js";

const REASONS = { cite: "a decision", rationale: "it was wrong", trackingIssue: "https://example.org/1" };

/** A golden session in a folder of its own. */
function copy(changes: object = {}): Transcript {
  const golden = loadTranscript(join(OWN_TRANSCRIPTS, "approval-round-trip"));
  const manifest = { ...golden.manifest, provenance: "hand-authored" as const, ...changes };
  return loadTranscript(writeTranscript(scratchFolder(), { ...golden, manifest }));
}

const bytesOf = ({ folder }: Transcript): string[] =>
  ["transcript.ndjson", "manifest.json"].map((name) => readFileSync(join(folder, name), "utf8"));

describe("a transcript whose replay is equal", () => {
  it("gets the host's bytes, which replay in turn, and its provenance", () => {
    const transcript = copy();
    const [, manifest] = bytesOf(transcript);
    const { report, player } = replayAgainst(transcript, madeElsewhere(transcript).lines);
    expect(report.kind).toBe("replayComplete");
    expect(regenerate(transcript, player.passed, true)).toEqual({ frames: true, provenance: true });
    const again = loadTranscript(transcript.folder);
    expect(again.lines.map(({ dir, raw }) => ({ dir, raw }))).toEqual(player.passed);
    expect(again.lines).not.toEqual(transcript.lines);
    expect(replayAgainst(again, again.lines).report.kind).toBe("replayComplete");
    expect(bytesOf(again)[1]).toBe(manifest?.replace('"hand-authored"', '"host-generated"'));
  });

  it("stays where every byte is the same", () => {
    const transcript = copy({ provenance: "host-generated" });
    const file = join(transcript.folder, "transcript.ndjson");
    // Spelt otherwise, but the same frames.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('{"dir":', '{ "dir":'));
    const before = bytesOf(transcript);
    const { player } = replayAgainst(transcript, transcript.lines);
    expect(regenerate(transcript, player.passed, true)).toEqual({ frames: false, provenance: false });
    expect(bytesOf(transcript)).toEqual(before);
  });
});

describe("a transcript whose replay differs", () => {
  it("keeps its provenance when it is rewritten for a reason", () => {
    const transcript = copy({ regenerationJustification: REASONS });
    const host = transcript.lines.toSpliced(-1, 0, {
      ...transcript.lines.at(-1)!,
      raw: '{"jsonrpc":"2.0","method":"session/goalChanged","params":{"goal":null}}',
    });
    const { report, player } = replayAgainst(transcript, host, { goOn: true });
    expect(report.kind).toBe("replayFailure");
    expect(regenerate(transcript, player.passed, false)).toEqual({ frames: true, provenance: false });
    const again = loadTranscript(transcript.folder);
    expect(again.manifest.provenance).toBe("hand-authored");
    expect(again.lines).toHaveLength(transcript.lines.length + 1);
  });

  it("has a reason only when all of it is said", () => {
    expect(isJustified(copy())).toBe(false);
    expect(isJustified(copy({ regenerationJustification: REASONS }))).toBe(true);
    for (const name of Object.keys(REASONS))
      for (const value of [undefined, "", " ", 5])
        expect(() => isJustified(copy({ regenerationJustification: { ...REASONS, [name]: value } }))).toThrow(
          expect.objectContaining({ kind: "badManifest", why: expect.stringContaining(name) }),
        );
    expect(() => isJustified(copy({ regenerationJustification: "yes" }))).toThrow();
  });
});
