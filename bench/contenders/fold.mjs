// The lines of a session: parsed, or folded by the client once they are parsed. A sample has the ms of all of them.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spentMs } from "../lib/clock.mjs";
import { ROOT } from "../lib/places.mjs";
import { sessionId, sessionLines } from "../lib/view-lines.mjs";

export default async function prepare({ what, events }) {
  const { SessionFold, ViewFollower } = await import(
    pathToFileURL(join(ROOT, "dist/src/client/index.js")).href
  );
  const lines = [...sessionLines(events)];

  function parse() {
    const start = spentMs();
    const frames = lines.map((line) => JSON.parse(line));
    return { ms: spentMs() - start, frames };
  }

  function fold({ frames }) {
    const follower = new ViewFollower(new SessionFold(sessionId));
    const start = spentMs();
    let applied = 0;
    for (const { method, params } of frames)
      if (follower.receive(method, params).kind === "applied") applied++;
    const ms = spentMs() - start;
    // A fold that took in nothing would be fast.
    if (applied !== events) throw new Error(`${applied} of ${events} events are in the view`);
    return ms;
  }

  return what === "parse" ? () => parse().ms : () => fold(parse());
}
