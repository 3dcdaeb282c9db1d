// All golden sessions, written in memory: the texts of the files by scenario.
import { approvals } from "./approvals.mjs";
import { commands } from "./commands.mjs";
import { goals } from "./goals.mjs";
import { handshakes } from "./handshakes.mjs";
import { questions } from "./questions.mjs";
import { queue } from "./queue.mjs";
import { reconnects } from "./reconnects.mjs";
import { Recording } from "./recording.mjs";
import { tolerance } from "./tolerance.mjs";
import { turns } from "./turns.mjs";
import { view } from "./view.mjs";

const scenarios = {
  ...handshakes,
  ...turns,
  ...commands,
  ...queue,
  ...approvals,
  ...questions,
  ...view,
  ...goals,
  ...reconnects,
  ...tolerance,
};

/** Shapes that no host of this schema sends: what a client has to tolerate. */
const BEYOND_HOSTS = new Set(["unknown-vocabulary"]);

/** The files by path below the folder of transcripts, sorted by scenario. */
export function transcriptFiles() {
  const files = new Map();
  for (const scenario of Object.keys(scenarios).sort()) {
    const provenance = BEYOND_HOSTS.has(scenario) ? "sdk-tolerance" : "hand-authored";
    const recording = new Recording(scenario, { provenance });
    scenarios[scenario](recording);
    for (const [name, text] of Object.entries(recording.files())) files.set(`${scenario}/${name}`, text);
  }
  return files;
}
