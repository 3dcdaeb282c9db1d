// How much a fold keeps of what it was given, in MiB, in a process of its own: heap after it minus heap before it.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ROOT } from "../lib/places.mjs";
import { revisedLines, sessionId } from "../lib/view-lines.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const [items, revisions] = process.argv.slice(2).map(Number);
const { SessionFold } = await import(pathToFileURL(join(ROOT, "dist/src/client/index.js")).href);

/** Code is compiled and caches are filled before anything is weighed. */
const warm = new SessionFold(sessionId);
fill(warm, 100, 50);

const before = heap();
const fold = new SessionFold(sessionId);
const events = fill(fold, items, revisions);
const mib = heap() - before;
if (fold.state.items.size !== items)
  throw new Error(`${fold.state.items.size} of ${items} items are in the view`);
if (warm.state.items.size !== 100) throw new Error("the first fold is gone");
process.stdout.write(JSON.stringify({ mib, events }));

function fill(into, count, times) {
  let events = 0;
  // Line by line, as they come from a host: nothing but the fold holds on to them.
  for (const line of revisedLines(count, times)) {
    const { method, params } = JSON.parse(line);
    if (into.apply(method, params).kind !== "applied") throw new Error(`${method} is not in the view`);
    events++;
  }
  return events;
}

function heap() {
  collect();
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
