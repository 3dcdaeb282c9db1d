// Which core a process runs on. Two processes that take turns are fast on one core and slow on two, and the
// scheduler decides anew each time: what is to be compared is told where to run.
import { spawnSync } from "node:child_process";

const CLIENT_CORE = "0";
const SERVER_CORE = "1";

const run = (...words) => spawnSync("taskset", words, { stdio: "ignore" }).status === 0;

/** Whether this machine has the two cores, and the program that gives them out. */
export function canPin() {
  return [CLIENT_CORE, SERVER_CORE].every((core) => run("-c", core, process.execPath, "-e", "0"));
}

/** Keeps this process, all its threads, on the core of the client. */
export function pinClient() {
  if (!run("-a", "-p", "-c", CLIENT_CORE, String(process.pid)))
    throw new Error("taskset cannot pin this process");
}

/** The command and the words that start a Node program, on the core of the server where that is asked for. */
export function serverCommand(words, pinned) {
  return pinned
    ? { command: "taskset", words: ["-c", SERVER_CORE, process.execPath, ...words] }
    : { command: process.execPath, words };
}
