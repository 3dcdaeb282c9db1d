import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mspkit } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const PYTHON = `cmd:python3 ${join(ROOT, "examples/emitters/python/typed_dicts.py")}`;
const GO = join(ROOT, "examples/emitters/go/structs.mjs");

const has = (program: string, word: string): boolean => spawnSync(program, [word]).status === 0;

/** Resolves every annotation of the module, and says what an open and a closed enum came to. */
const PROBE = `
import sys, typing
sys.path.insert(0, sys.argv[1])
import typed_dicts as m
hints = {n: typing.get_type_hints(v, vars(m)) for n, v in vars(m).items() if isinstance(v, type) and hasattr(v, "__total__")}
start = hints["TurnStartParams"]
assert m.TurnStartParams.__required_keys__ >= {"commandId", "sessionId", "input"}, m.TurnStartParams.__required_keys__
assert "displayText" in m.TurnStartParams.__optional_keys__
assert m.ItemKind is str and "toolCall" in m.ItemKind_KNOWN
assert typing.get_args(m.TurnInputPartType) == ("text", "image", "skill", "video"), m.TurnInputPartType
print(len(hints))
`;

describe("the emitter in Python", () => {
  const there = has("python3", "--version");

  it.skipIf(!there)("keeps what every emitter must keep", async () => {
    expect(await mspkit(["emitter", "check", PYTHON])).toMatchObject({ code: 0 });
  });

  it.skipIf(!there)("makes a module that Python runs, with open enums kept open", async () => {
    const folder = scratchFolder();
    expect(
      await mspkit(["generate", "--emitter", PYTHON, "--only", "schema", "--out", folder]),
    ).toMatchObject({ code: 0 });
    const probe = join(folder, "probe.py");
    writeFileSync(probe, PROBE);
    const run = spawnSync("python3", [probe, join(folder, "experimental")], { encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(Number(run.stdout)).toBeGreaterThan(300);
  });
});

describe("the emitter of Go", () => {
  it("keeps what every emitter must keep", async () => {
    expect(await mspkit(["emitter", "check", GO])).toMatchObject({ code: 0 });
  });

  it.skipIf(!has("go", "version"))("makes structs that go vet accepts", async () => {
    const folder = scratchFolder();
    expect(await mspkit(["generate", "--emitter", GO, "--only", "schema", "--out", folder])).toMatchObject({
      code: 0,
    });
    for (const surface of ["stable", "experimental"]) {
      const vet = spawnSync("go", ["vet", "structs.go"], {
        cwd: join(folder, surface, "go"),
        encoding: "utf8",
        env: { ...process.env, GOFLAGS: "-mod=mod" },
      });
      expect(vet.stderr).toBe("");
      expect(vet.status).toBe(0);
    }
  });
});
