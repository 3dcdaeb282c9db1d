/** A command that kills a host: for one in a container, which no signal of ours reaches. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { DriverError } from "./driver.js";

/** How long a crash command may take, and a host to be dead after it; milliseconds. */
export const CRASH_MS = 30_000;

/**
 * Runs the command that kills a host; resolves when it has ended.
 * @param pid what stands for `{pid}`: the id of the process that was started
 * @throws {DriverError} `cannotStart` where there is no such program, `survivor` where it fails
 */
export async function runCrashCommand(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  pid: number | undefined,
): Promise<void> {
  const [command = "", ...args] = words.map((word) => word.replaceAll("{pid}", String(pid)));
  const child = spawn(command, args, { cwd, env: { ...env }, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-500)));
  const timer = setTimeout(() => child.kill("SIGKILL"), CRASH_MS);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0)
      throw new DriverError("survivor", `the crash command ${command} ended with ${code}: ${said}`);
  } catch (error) {
    if (error instanceof Error && "code" in error)
      throw new DriverError("cannotStart", `the crash command ${command} cannot be started`, {
        cause: error,
      });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
