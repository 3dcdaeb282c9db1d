import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { History, type Line } from "../../../src/laws/model/history.js";
import { clientFrames, timeline } from "../../../src/laws/report/timeline.js";
import { writeTranscripts } from "../../../src/laws/report/transcript-folders.js";
import { loadTranscript } from "../../../src/transcripts/index.js";
import { scratchFolder } from "../../support/repo.js";

const S = "01a22b55-bd9e-7c21-acf6-7662aa37b5c5";
const C = "01a22b55-c140-7000-87db-f2be443ea1be";
const FINGERPRINT = `sha256:${"ab".repeat(32)}`;

/** A trial with two clients and a crash; its lives begin at 4, as those of a stand that was used before. */
function history(): History {
  const of = new History();
  const line = (life: number, connection: number, dir: Line["dir"], raw: string, handshake = false) =>
    of.lines.push({ moment: of.next(), life, connection, dir, raw, handshake });
  const shake = (life: number, connection: number) => {
    of.happenings.push({ moment: of.next(), life, what: "connected", connection });
    line(life, connection, "client", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', true);
    line(
      life,
      connection,
      "server",
      `{"jsonrpc":"2.0","id":1,"result":{"schema":{"fingerprint":"${FINGERPRINT}"}}}`,
      true,
    );
    line(life, connection, "client", '{"jsonrpc":"2.0","method":"initialized"}', true);
  };
  const turn = `{"jsonrpc":"2.0","id":2,"method":"turn/start","params":{"sessionId":"${S}","commandId":"${C}"}}`;
  shake(4, 0);
  line(4, 0, "client", turn);
  shake(4, 1);
  line(4, 1, "client", turn.replace(C, C.toUpperCase()));
  line(4, 0, "server", '{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}');
  of.happenings.push({ moment: of.next(), life: 4, what: "crashed" });
  of.happenings.push({ moment: of.next(), life: 5, what: "started" });
  shake(5, 0);
  line(5, 0, "client", "{ no frame");
  line(
    5,
    0,
    "server",
    `{"jsonrpc":"2.0","method":"turn/started","params":{"text":"${"x".repeat(500)}"},"emittedAtMs":1}`,
  );
  return of;
}

describe("a timeline", () => {
  it("has a line for each frame and each change, with short names for ids", () => {
    expect(timeline(history()).split("\n")).toEqual([
      "-- client 0 connects",
      "-- client 0: handshake",
      '0 -> #2 turn/start {"sessionId":"s1","commandId":"c1"}',
      "-- client 1 connects",
      "-- client 1: handshake",
      '1 -> #2 turn/start {"sessionId":"s1","commandId":"c2"}',
      '0 <- #2 error {"code":-1,"message":"no"}',
      "-- life 0: the host is killed",
      "-- life 1: the host is started",
      "-- client 0 connects",
      "-- client 0: handshake",
      '0 -> "{ no frame"',
      expect.stringMatching(/^0 <- turn\/started \{"text":"x+ \.\.\. \(\d+ letters\)$/),
      "",
      `s1 = ${S}`,
      `c1 = ${C}`,
      `c2 = ${C.toUpperCase()}`,
      "",
    ]);
    expect(clientFrames(history())).toBe(3);
  });

  it("of nothing is empty", () => {
    expect(timeline(new History()).trim()).toBe("");
  });
});

describe("the transcripts of a trial", () => {
  it("are one for each life and client, and hold what passed", () => {
    const folder = scratchFolder();
    expect(writeTranscripts(history(), folder)).toEqual([
      "transcript/0-0",
      "transcript/0-1",
      "transcript/1-0",
    ]);
    const last = loadTranscript(join(folder, "transcript/1-0"));
    expect(last.manifest).toMatchObject({ provenance: "host-generated", fingerprint: FINGERPRINT });
    expect(last.lines.map(({ dir }) => dir)).toEqual(["client", "server", "client", "client", "server"]);
    expect(last.lines[3]?.raw).toBe("{ no frame");
    expect(loadTranscript(join(folder, "transcript/0-1")).lines).toHaveLength(4);
  });

  it("is one folder where there is one", () => {
    const folder = scratchFolder();
    const of = history();
    const alone = new History();
    alone.lines.push(...of.lines.filter(({ life, connection }) => life === 4 && connection === 1));
    expect(writeTranscripts(alone, folder)).toEqual(["transcript"]);
    expect(readFileSync(join(folder, "transcript/transcript.ndjson"), "utf8").split("\n")).toHaveLength(5);
  });
});
