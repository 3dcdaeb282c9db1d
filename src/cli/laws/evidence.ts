/** What is left of a host at which something was found: standard error, how it ended, a copy of its store. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostExit, HostPlace, RunningHost } from "../../laws/driver/driver.js";

interface Left {
  readonly stderr: string;
  /** Null where it lived on. */
  readonly exit: HostExit | null;
  /** A copy of the store; undefined where there is none to copy. */
  readonly store: string | undefined;
}

/** Gathers it by the name of what was found, the last of each; copies of stores wait in a temporary folder. */
export class Evidence {
  readonly #left = new Map<string, Left>();

  /** Takes what is there of a host now. */
  async take(
    name: string,
    { host, place }: { readonly host: RunningHost | undefined; readonly place: HostPlace | undefined },
  ): Promise<void> {
    this.#drop(name);
    const folder = mkdtempSync(join(tmpdir(), "mspkit-left-"));
    const copied = (await place?.copyTo?.(folder)) ?? false;
    if (!copied) rmSync(folder, { recursive: true, force: true });
    this.#left.set(name, {
      stderr: host?.stderrTail ?? "",
      exit: host === undefined ? null : await Promise.race([host.ended, Promise.resolve(null)]),
      store: copied ? folder : undefined,
    });
  }

  /** Puts what was taken under a name into a folder. */
  put(name: string, folder: string): void {
    const left = this.#left.get(name);
    if (left === undefined) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "stderr.txt"), left.stderr);
    writeFileSync(join(folder, "exit.json"), `${JSON.stringify(left.exit)}\n`);
    const store = join(folder, "store");
    rmSync(store, { recursive: true, force: true });
    if (left.store !== undefined) cpSync(left.store, store, { recursive: true });
  }

  /** Removes the copies. */
  clear(): void {
    for (const name of [...this.#left.keys()]) this.#drop(name);
  }

  #drop(name: string): void {
    const store = this.#left.get(name)?.store;
    if (store !== undefined) rmSync(store, { recursive: true, force: true });
    this.#left.delete(name);
  }
}
