/** A few laws, tried on a host that was fuzzed. */
import { catalog } from "../catalog.js";
import type { Driver, HostPlace } from "../driver/driver.js";
import type { Verdict } from "../law.js";
import { runLaw, verdictOf } from "../run/run-law.js";
import { Stand } from "../stand.js";
import type { Finding } from "./finding.js";
import type { FuzzWorker, WorkerOptions } from "./worker.js";

/** A law that was tried, and what came of it. */
export interface LawTried {
  readonly id: string;
  readonly verdict: Verdict;
}

/** Laws that are cheap and touch everything; those of them that the catalog has. */
const AFTERWARDS: readonly string[] = ["replay-identity", "conflict-payload", "one-end", "page-equals-push"];

/** Tries a few laws on the place, and where that can be on the very host, that was fuzzed. */
export async function lawsAfterwards(
  driver: Driver,
  worker: FuzzWorker,
  {
    seed,
    cases,
    onFound,
  }: {
    readonly seed: number;
    readonly cases: number;
    readonly onFound: WorkerOptions["onFound"] | undefined;
  },
): Promise<{ readonly laws: readonly LawTried[]; readonly findings: readonly Finding[] }> {
  const laws: LawTried[] = [];
  const findings: Finding[] = [];
  const { last } = worker;
  const { place, host } = worker.host;
  if (last === undefined || place === undefined || host === undefined) return { laws, findings };
  const connections = driver.abilities.has("connections");
  if (connections) await worker.host.disconnect();
  else await host.stop();
  let handed = false;
  const used: HostPlace = {
    ...(place.copyTo === undefined ? {} : { copyTo: (folder: string) => place.copyTo!(folder) }),
    start: async () => {
      if (handed || !connections) return place.start();
      handed = true;
      return host;
    },
    // The place is taken away when the run is over.
    remove: async () => undefined,
  };
  const numbers = Array.from({ length: cases }, (_, i) => i);
  for (const law of catalog) {
    if (!AFTERWARDS.includes(law.id) || law.needs.some((need) => !driver.abilities.has(need))) continue;
    const stand = new Stand({ ...driver, place: async () => used });
    try {
      const found = await runLaw(law, stand, { seed, cases: numbers });
      const { broken } = found;
      // So few cases need not exercise what a whole run must; where most came to nothing they say nothing.
      laws.push({ id: law.id, verdict: verdictOf({ ...law, least: {} }, found) });
      if (broken === undefined) continue;
      const id = `law-${broken.law}`;
      await onFound?.(id, stand);
      const { what, details, history } = broken;
      findings.push({
        id,
        kind: "lawBroken",
        what,
        details: details ?? null,
        number: -1,
        case: last,
        again: true,
        lines: history.lines.map(({ dir, raw }) => ({ dir, raw })),
        law: broken.law,
        stderrTail: host.stderrTail,
      });
    } finally {
      await stand.stop();
    }
  }
  return { laws, findings };
}
