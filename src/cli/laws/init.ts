/** `mspkit laws init`: the file that describes a host, written by asking the host. */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { HOST_CONFIG_FILE } from "../../laws/driver/config.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { text } from "../values.js";
import { orDriverTrouble } from "./host.js";

export const initCommand: Command = {
  summary: "Ask a host what it can do, and write mspkit.host.json.",
  operands: "",
  maxOperands: 0,
  options: {
    config: {
      type: "string",
      value: "FILE",
      help: `the file that is written (default: ${HOST_CONFIG_FILE})`,
    },
    force: { type: "boolean", help: "write over a file that is there" },
  },
  rest: "HOST...",
  async run(given, io) {
    const { rest: words, options } = given;
    if (words === undefined || words.length === 0) throw new UsageError("needs -- and the host's command");
    const name = text(given, "config") ?? HOST_CONFIG_FILE;
    const file = resolve(io.cwd, name);
    if (existsSync(file) && options["force"] !== true)
      throw new UsageError(`${name} is there; --force writes over it`);
    const { openDriver } = await import("../../laws/driver/open.js");
    const { initialConfig } = await import("../../laws/driver/init.js");
    const opened = await orDriverTrouble(() => openDriver({ config: false, words, cwd: io.cwd }));
    await opened.close();
    const { why } = opened.answers;
    if (why !== undefined)
      throw new TroubleError(words.join(" "), `cannot be asked: ${why}; ${name} is not written`);
    const { config, found, open } = initialConfig(opened, dirname(file));
    try {
      writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
    } catch (error) {
      throw new TroubleError(name, `cannot be written: ${(error as Error).message}`);
    }
    io.err(`${name}: ${found.join("; ")}\n`);
    for (const line of open) io.err(`  left to declare: ${line}\n`);
    return EXIT.fine;
  },
};
