/** The words of a command line. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram, splitCommand } from "../../../src/host/agents/command-line.js";
import { isAgentSetupError } from "../../../src/host/agents/setup-error.js";
import { scratchFolder } from "../../support/repo.js";

describe("a command line", () => {
  it.each([
    ["agent", ["agent"]],
    ["  agent \t a\nb ", ["agent", "a", "b"]],
    ["agent 'a b' \"c d\"", ["agent", "a b", "c d"]],
    [`agent a'b c'"d e"f`, ["agent", "ab cd ef"]],
    ["agent '' \"\"", ["agent", "", ""]],
    ['agent "a\\"b\\\\c\\d"', ["agent", 'a"b\\c\\d']],
    ["agent 'a\\b'", ["agent", "a\\b"]],
    ["agent a\\ b \\'", ["agent", "a b", "'"]],
    ["agent $HOME * `x` ~ | > && ;", ["agent", "$HOME", "*", "`x`", "~", "|", ">", "&&", ";"]],
    ["sh -c 'cat | wc -c'", ["sh", "-c", "cat | wc -c"]],
  ])("has the words that a shell would read: %s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(["", "  ", "agent 'a", 'agent "a', 'agent "a\\"', "agent a\\", "''"])("is refused: %s", (line) => {
    let refused: unknown;
    try {
      splitCommand(line);
    } catch (error) {
      refused = error;
    }
    expect(isAgentSetupError(refused) && refused.kind).toBe("commandLine");
  });

  it.skipIf(process.platform === "win32")("finds its program as a shell would", async () => {
    const folder = scratchFolder();
    const place = (path: string, mode: number): string => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), "#!/bin/sh\n");
      chmodSync(join(folder, path), mode);
      return join(folder, path);
    };
    place("a/agent", 0o644);
    mkdirSync(join(folder, "a/folder"), { recursive: true });
    const agent = place("b/agent", 0o755);
    const env = { PATH: ["a", join(folder, "b"), ""].join(delimiter) };
    expect(await findProgram("agent", folder, env)).toBe(agent);
    expect(await findProgram("b/agent", folder, {})).toBe(agent);
    expect(await findProgram(agent, "/", {})).toBe(agent);
    expect(await findProgram("agent", folder, {})).toBeUndefined();
    expect(await findProgram("./a/agent", folder, env)).toBeUndefined();
    expect(await findProgram("folder", folder, env)).toBeUndefined();
    const own = place("own", 0o755);
    expect(await findProgram("own", folder, env)).toBe(own); // an empty place is the folder itself
  });
});
