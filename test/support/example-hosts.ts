/** The hosts under examples/hosts that are not written with this package, each as laws can be tried on it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalog } from "../../src/laws/catalog.js";
import { type OpenedDriver, openDriver } from "../../src/laws/driver/open.js";
import type { AnyLaw } from "../../src/laws/law.js";
import { type LawRun, runLaw } from "../../src/laws/run/run-law.js";
import { Stand } from "../../src/laws/stand.js";
import { ROOT } from "./repo.js";

/** A row of a host's table of faults. */
export interface ExampleFault {
  readonly name: string;
  /** The law that it must break. */
  readonly law: string;
}

/** A host, in a language of its own. */
export interface ExampleHost {
  readonly name: "python" | "go";
  readonly folder: string;
  /** Why it cannot be run here; undefined where it can. */
  readonly missing: string | undefined;
  /** The faults that its README promises. */
  readonly faults: readonly ExampleFault[];
  /** What starts it: an interpreter and a program, or a program that is built first. */
  words(): readonly string[];
}

function exampleHost(
  name: ExampleHost["name"],
  program: string,
  words: () => readonly string[],
): ExampleHost {
  const folder = join(ROOT, "examples/hosts", name);
  const there = spawnSync(program, [name === "go" ? "version" : "--version"]).status === 0;
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const faults = [...readme.matchAll(/^\| `([a-z-]+)` \| .* \| `([a-z-]+)` \|$/gm)].map(
    ([, fault, law]): ExampleFault => ({ name: fault as string, law: law as string }),
  );
  return { name, folder, missing: there ? undefined : `there is no ${program}`, faults, words };
}

let built = false;

/** Builds the program of the host in Go, once. Its cache makes the second time quick. */
function builtGo(): readonly string[] {
  if (!built) {
    const made = spawnSync("go", ["build", "-o", "host", "."], { cwd: goFolder, encoding: "utf8" });
    if (made.status !== 0) throw new Error(`go build: ${made.stderr}`);
    built = true;
  }
  return ["./host"];
}

const goFolder = join(ROOT, "examples/hosts/go");

/** See the top of the file. */
export const exampleHosts: readonly ExampleHost[] = [
  exampleHost("python", "python3", () => ["python3", "host.py"]),
  exampleHost("go", "go", builtGo),
];

/** Opens a host as its `mspkit.host.json` says, with some words behind its command. */
export function openExample({ folder, words }: ExampleHost, more: readonly string[]): Promise<OpenedDriver> {
  const config = join(folder, "mspkit.host.json");
  return openDriver({ cwd: folder, config, words: [...words(), ...more] });
}

/** Words that make a host durable. */
export const DURABLE: readonly string[] = ["--log", "{dir}"];

/** What some laws came to, by their ids; laws that need what the host cannot do are left out. */
export async function tryLaws(
  driver: OpenedDriver,
  laws: readonly AnyLaw[],
  cases: (law: AnyLaw) => number,
): Promise<ReadonlyMap<string, LawRun>> {
  const runs = new Map<string, LawRun>();
  const stand = new Stand(driver);
  try {
    for (const law of laws) {
      if (!law.needs.every((ability) => driver.abilities.has(ability))) continue;
      const numbers = Array.from({ length: cases(law) }, (_, i) => i);
      runs.set(law.id, await runLaw(law, stand, { seed: 1, cases: numbers, maxShrinks: 40 }));
    }
  } finally {
    await stand.clear();
    await driver.close();
  }
  return runs;
}

/** A law by its id. */
export function lawNamed(id: string): AnyLaw {
  const found = catalog.find((law) => law.id === id);
  if (found === undefined) throw new Error(`there is no law ${id}`);
  return found;
}
