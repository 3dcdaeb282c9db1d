/** Processes that are left of a host after it was killed: of its group, or with its mark in their environment. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";

/** The variable of the environment that marks a host, and all that it starts. */
export const MARK = "MSPKIT_LAWS_HOST";

/** How long the dead may take to be gone; milliseconds. */
const GONE_MS = 2_000;
const POLL_MS = 10;

/** A process that lives. */
interface Living {
  readonly pid: number;
  readonly group: number;
}

/** The processes of the system, without the dead that nobody has asked about; undefined where it does not tell. */
function living(): Living[] | undefined {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return undefined;
  }
  const found: Living[] = [];
  for (const name of names) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    // The name of the program stands in parentheses and may hold anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state !== "Z" && state !== "X") found.push({ pid: Number(name), group: Number(group) });
  }
  return found.length === 0 ? undefined : found;
}

/** The text of a file of a process; undefined where the process is gone, or not ours. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** The ids of what lives of a host: its group and what has its mark. Elsewhere than on Linux the group's id for all. */
export function remainsOf(group: number, mark: string): number[] {
  const all = living();
  if (all === undefined) return groupLives(group) ? [-group] : [];
  const entry = `${MARK}=${mark}`;
  return all
    .filter(
      ({ pid, group: its }) =>
        its === group || (pid !== process.pid && read(`/proc/${pid}/environ`)?.split("\0").includes(entry)),
    )
    .map(({ pid }) => pid);
}

/** Waits until nothing is left of a host; the ids of what does not go. */
export async function remainsAfterDeath(group: number, mark: string): Promise<number[]> {
  for (const until = performance.now() + GONE_MS; ; ) {
    const left = remainsOf(group, mark);
    if (left.length === 0 || performance.now() > until) return left;
    await after(POLL_MS);
  }
}

/** Kills processes, or groups where the id is negative; those that are gone already are no error. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

/** What a process was started with, for people; its id where that is not told. */
export function commandOf(pid: number): string {
  const words = read(`/proc/${pid}/cmdline`)?.split("\0").filter(Boolean).join(" ");
  return words === undefined || words === "" ? `process ${pid}` : `process ${pid} (${words.slice(0, 200)})`;
}

/** Bytes of memory that the processes of a group use, where that can be known. */
export function memoryOfGroup(group: number): number | undefined {
  let bytes: number | undefined;
  for (const { pid, group: its } of living() ?? []) {
    if (its !== group) continue;
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
    if (kilobytes !== undefined) bytes = (bytes ?? 0) + Number(kilobytes) * 1024;
  }
  return bytes;
}

function groupLives(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
