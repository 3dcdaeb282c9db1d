import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { History } from "../../../src/laws/model/history.js";
import { keepFailure, readFailures } from "../../../src/laws/run/failures.js";
import type { TriedAgain } from "../../../src/laws/run/rows.js";
import { scratchFolder } from "../../support/repo.js";

function finding(more: Partial<TriedAgain> = {}): TriedAgain {
  const history = new History();
  for (const raw of [
    '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    '{"jsonrpc":"2.0","id":2,"method":"x"}',
  ])
    history.lines.push({
      moment: history.next(),
      life: 0,
      connection: 0,
      dir: "client",
      raw,
      handshake: false,
    });
  return {
    law: "one",
    of: "two",
    number: 3,
    case: { steps: [1, 2] },
    seed: 5,
    what: "it broke",
    details: { a: 1 },
    history,
    again: { tries: 3, broke: 3 },
    kept: false,
    runSeed: 7,
    ...more,
  };
}

describe("kept failures", () => {
  it("are read as they were kept", () => {
    const folder = scratchFolder();
    const inner = keepFailure(folder, finding(), "1.2.3", "mspkit laws run");
    expect(inner).toBe(join(folder, "one-1"));
    expect(readFailures(folder)).toMatchObject({
      kept: [
        {
          folder: inner,
          kept: { law: "one", of: "two", number: 3, case: { steps: [1, 2] }, seed: 5, runSeed: 7 },
        },
      ],
      unreadable: [],
    });
    expect(JSON.parse(readFileSync(join(inner, "case.json"), "utf8"))).toMatchObject({
      what: "it broke",
      details: { a: 1 },
      version: "1.2.3",
      repeat: "mspkit laws run",
      transcripts: ["transcript"],
    });
  });

  it("take one folder for one case, and another for another", () => {
    const folder = scratchFolder();
    const keep = (more?: Partial<TriedAgain>) => keepFailure(folder, finding(more), "", "");
    keep();
    keep({ seed: 8 });
    keep({ case: { steps: [1] } });
    keep({ law: "three" });
    expect(readdirSync(folder).sort()).toEqual(["one-1", "one-2", "three-1"]);
    expect(readFailures(folder).kept.map(({ kept }) => kept.seed)).toEqual([8, 5, 5]);
  });

  it("are none where there is no folder, and what cannot be read is said", () => {
    const folder = scratchFolder();
    expect(readFailures(join(folder, "none"))).toEqual({ kept: [], unreadable: [] });
    const bad = {
      text: "{",
      form: '{"format":9}',
      unnamed: '{"format":1}',
      numberless: '{"format":1,"law":"a","of":"a"}',
    };
    for (const [name, text] of Object.entries(bad)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "case.json"), text);
    }
    mkdirSync(join(folder, "other"));
    const { kept, unreadable } = readFailures(folder);
    expect(kept).toEqual([]);
    expect(unreadable.map(({ folder: inner }) => inner.slice(folder.length + 1))).toEqual(
      Object.keys(bad).sort(),
    );
  });
});
