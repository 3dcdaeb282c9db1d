/**
 * The executable: the program on this process's streams.
 */
import { basename } from "node:path";
import { EXIT, type Io } from "./command.js";
import { main } from "./main.js";

const io: Io = {
  cwd: process.cwd(),
  // The launcher of the other program says who it is in this place, whatever link it was started by.
  program: basename(process.argv[1] ?? "") === "mspkit-conformance.cjs" ? "mspkit-conformance" : "mspkit",
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  readStdin: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
};

// The code of the program when it has one. Until then an end is an early one, and never a success.
let code: number | undefined;
process.exitCode = EXIT.trouble;
process.once("beforeExit", () => {
  if (code === undefined) io.err(`${io.program}: it ended before it was done\n`);
});

// A reader that has seen enough closes the pipe; that is its right and no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(code ?? EXIT.fine);
  process.stderr.write(`mspkit: standard output cannot be written: ${error.message}\n`);
  process.exit(EXIT.trouble);
});
process.stderr.on("error", () => undefined); // nobody is left to be told

void main(process.argv.slice(2), io).then((told) => {
  code = told;
  process.exitCode = told;
});
