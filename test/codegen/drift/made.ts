/** Changes and acknowledgments made by hand, so that a test names only what it is about. */
import { Source } from "../../../codegen/bundle/source.js";
import { Findings } from "../../../codegen/diagnostics/finding.js";
import {
  type Acknowledgment,
  type Acknowledgments,
  type Deprecation,
  readAcknowledgments,
} from "../../../codegen/drift/acknowledgments.js";
import type { Change, Drift, Pairing, PairingVerdict, Verdict } from "../../../codegen/drift/change.js";

const SOUND: PairingVerdict = { verdict: "none", reason: "Nobody has to do anything." };

/** The verdicts of both pairings, where one breaks an old client, or whatever the verdict says of it. */
function pairingsOf(verdict: Verdict): Readonly<Record<Pairing, PairingVerdict>> {
  return {
    "old-client-new-host": { verdict, reason: "A new host sends what an old client refuses." },
    "new-client-old-host": SOUND,
  };
}

/** A stable breaking change, `member-removed` unless it says otherwise. */
export function changed(parts: Partial<Change> = {}): Change {
  const verdict = parts.verdict ?? "breaking";
  return {
    id: "0123456789abcdef",
    rule: "member-removed",
    kind: "removed",
    pointer: "/$defs/A/properties/x",
    side: "base",
    subject: "A.x",
    surface: "stable",
    before: { type: "string" },
    uses: [{ message: "a/b", kind: "method", part: "result", sender: "host" }],
    moreUses: false,
    verdict,
    pairings: pairingsOf(verdict),
    breaks: verdict === "breaking" ? ["old-client-new-host"] : [],
    ...(verdict === "breaking"
      ? {
          witness: {
            pairing: "old-client-new-host",
            sender: "host",
            use: { message: "a/b", kind: "method", part: "result", sender: "host" },
            value: { y: 1 },
            refusal: { instanceLocation: "/y", keyword: "required", message: "x is missing" },
          },
        }
      : {}),
    ...parts,
  };
}

/** A drift of some changes. */
export function driftFrom(...changes: Change[]): Drift {
  return { changes, hints: [], fingerprints: { base: "sha256:b", head: "sha256:h" } };
}

/** An acknowledgment of a change, as it should be. */
export function acknowledges(
  { id, pointer, rule }: Change,
  parts: Partial<Acknowledgment> = {},
): Acknowledgment {
  return {
    change: id,
    pointer,
    rule,
    reason: "Nobody used it any more.",
    issue: "#12",
    acts: "clients",
    release: "2.0.0",
    ...parts,
  };
}

/** An announcement that the member of {@link changed} goes, with a window from 1.0.0 to 2.0.0. */
export function announced(parts: Partial<Deprecation> = {}): Deprecation {
  return {
    pointer: "/$defs/A/properties/x",
    firstNoticed: "1.0.0",
    removableFrom: "2.0.0",
    reason: "It will be replaced.",
    issue: "https://example.org/issues/3",
    ...parts,
  };
}

/** A file of acknowledgments. */
export function fileOf(
  acknowledgments: Acknowledgment[] = [],
  deprecations: Deprecation[] = [],
): Acknowledgments {
  return { acknowledgments, deprecations };
}

/** Reads a text; what was found, as `rule line:column pointer`. */
export function readText(text: string): {
  readonly file: Acknowledgments | undefined;
  readonly told: string[];
  readonly findings: Findings;
} {
  const findings = new Findings();
  const source = new Source("acknowledgments.json", text, JSON.parse(text));
  const file = readAcknowledgments(source, findings);
  return { file, findings, told: toldOf(findings) };
}

/** Findings as `rule line:column pointer`. */
export function toldOf(findings: Findings): string[] {
  return findings.sorted().map((f) => `${f.rule} ${f.line}:${f.column} ${f.instanceLocation}`);
}
