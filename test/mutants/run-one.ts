/** Tries one mutant: in simulation, or as a process. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { catalog } from "../../src/laws/catalog.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import type { AnyLaw } from "../../src/laws/law.js";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";
import { hostModule } from "./bundle.js";
import type { Mutant } from "./mutant.js";
import { plainTurn } from "./plain-turn.js";
import { programDriver } from "./program.js";
import { type Found, tryLaw, whyEscaped } from "./try-mutant.js";

/** How a host is driven: in simulation, or as a process of its own. */
export type Mode = "simulation" | "process";

/** What is tried. */
export interface Task {
  readonly mode: Mode;
  /** Undefined for the host without a fault. */
  readonly mutant?: Mutant;
  readonly law: string;
  readonly needs: "durable" | "ephemeral";
  readonly seed: number;
}

/** The law of an id. */
export function lawOf(id: string): AnyLaw {
  const found = catalog.find((law) => law.id === id);
  if (found === undefined) throw new Error(`there is no law ${id}`);
  return found;
}

/**
 * Tries what must find a mutant, or what must hold of the host without a fault. A process that has a fault is followed
 * by one that has none, which is tried with the same cases.
 * @param folder where hosts are bundled: below the repository
 */
export async function runTask(root: string, folder: string, task: Task): Promise<Found> {
  const { mode, mutant, law, needs, seed } = task;
  // A module is loaded once for each path.
  const place = mkdtempSync(join(folder, `${mutant?.id ?? "none"}-${mode}-`));
  if (mode === "simulation") {
    const module = await hostModule(root, mutant?.patches ?? [], place);
    const name = mutant?.id ?? "the host without a fault";
    return judged(task, await tried(await embeddedDriver({ ...module, durability: needs, name }), law, seed));
  }
  const patches = mutant?.programPatches ?? mutant?.patches ?? [];
  const found = judged(task, await tried(await programDriver(root, patches, place), law, seed));
  if (mutant === undefined || found.escaped !== undefined) return found;
  const sound = await programDriver(root, [], join(place, "sound"));
  const { broken, what } = await tryLaw(lawOf(law), sound, seed, found.cases);
  return broken === undefined
    ? found
    : { ...found, escaped: `the host without a fault breaks ${broken} in the same cases: ${what}` };
}

async function tried(driver: Driver, law: string, seed: number): Promise<Found> {
  // What does not live would be found by any law: the fault must be what is found.
  const plain = await tryLaw(plainTurn, driver, seed);
  if (plain.verdict !== "holds" && plain.broken !== law)
    return { ...plain, escaped: `it does not live: ${plain.broken ?? plain.verdict} ${plain.what ?? ""}` };
  return tryLaw(lawOf(law), driver, seed);
}

function judged({ law, mutant }: Task, found: Found): Found {
  if (found.escaped !== undefined) return found;
  if (mutant !== undefined) {
    const escaped = whyEscaped(law, found);
    return escaped === undefined ? found : { ...found, escaped };
  }
  return found.verdict === "holds"
    ? found
    : { ...found, escaped: `without a fault: ${found.verdict} ${found.broken ?? ""} ${found.what ?? ""}` };
}
