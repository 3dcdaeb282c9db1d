/** What is left of a host at which a law broke: standard error, how it ended, a copy of its store. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostExit } from "../../laws/driver/driver.js";
import type { Broken } from "../../laws/run/run-law.js";
import type { Stand } from "../../laws/stand.js";

interface Left {
  readonly stderr: string;
  /** Null where it lived on. */
  readonly exit: HostExit | null;
  /** A copy of the store; undefined where there is none to copy. */
  readonly store: string | undefined;
}

/** Gathers it by law, the last of each; copies of stores wait in a temporary folder. */
export class Evidence {
  readonly #left = new Map<string, Left>();

  /** Takes what is there of a host now. */
  async take({ law }: Broken, { host, place }: Stand): Promise<void> {
    this.#drop(law);
    const folder = mkdtempSync(join(tmpdir(), "mspkit-laws-"));
    const copied = (await place?.copyTo?.(folder)) ?? false;
    if (!copied) rmSync(folder, { recursive: true, force: true });
    this.#left.set(law, {
      stderr: host?.stderrTail ?? "",
      exit: host === undefined ? null : await Promise.race([host.ended, Promise.resolve(null)]),
      store: copied ? folder : undefined,
    });
  }

  /** Puts what was taken for a law into a folder. */
  put({ law }: Broken, folder: string): void {
    const left = this.#left.get(law);
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
    for (const law of [...this.#left.keys()]) this.#drop(law);
  }

  #drop(law: string): void {
    const store = this.#left.get(law)?.store;
    if (store !== undefined) rmSync(store, { recursive: true, force: true });
    this.#left.delete(law);
  }
}
