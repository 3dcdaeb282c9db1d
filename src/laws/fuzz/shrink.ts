/** Makes a case that shows something as small as it can be: fewer parts, fewer frames, less in each. */
import type { FuzzCase, FuzzFrame } from "./frame.js";

/** Whether a smaller case still shows the same. */
export type Shows = (of: FuzzCase) => Promise<boolean>;

interface Placed {
  readonly batch: number;
  readonly frame: FuzzFrame;
}

/**
 * The smallest case that was found to show it, with so many tries at most.
 * @param of shows it
 */
export async function smallest(of: FuzzCase, shows: Shows, tries: number): Promise<FuzzCase> {
  let left = tries;
  const { opening } = of;
  // Parts that become none are waited for no more; those that are left are the first ones.
  let calm = of.calm;
  const attempt = async (frames: readonly Placed[]): Promise<boolean> =>
    left-- > 0 && (await shows({ opening, calm, batches: partsOf(frames) }));
  let best = await fewest(
    of.batches.flatMap((batch, at) => batch.map((frame) => ({ batch: at, frame }))),
    attempt,
  );
  // What one part shows as well needs no waiting between.
  const together = best.map(({ frame }) => ({ batch: 0, frame }));
  if (best.some(({ batch }) => batch !== best[0]?.batch) && (await attempt(together))) best = together;
  for (let at = 0; at < best.length; at++) {
    for (const name of membersOf((best[at] as Placed).frame)) {
      const frame = without((best[at] as Placed).frame, name);
      const next = best.map((placed, i) => (i === at ? { ...placed, frame } : placed));
      if (await attempt(next)) best = next;
    }
  }
  const batches = partsOf(best);
  calm = Math.min(calm, batches.length);
  for (const less of [0, batches.length - 1])
    if (less < calm && left-- > 0 && (await shows({ opening, calm: less, batches }))) calm = less;
  const plain = { opening: { experimental: false, capabilities: [] }, calm, batches };
  const special = opening.experimental || opening.capabilities.length > 0;
  return special && left-- > 0 && (await shows(plain)) ? plain : { opening, calm, batches };
}

/** Takes away halves, quarters and so on, as long as what is left shows it (delta debugging). */
async function fewest(
  all: readonly Placed[],
  shows: (frames: readonly Placed[]) => Promise<boolean>,
): Promise<readonly Placed[]> {
  let best = all;
  // One frame is the culprit most of the time, and the later ones more often: what is before it is needed less.
  let size = Math.ceil(best.length / 2);
  while (size >= 1 && best.length > 1) {
    let found = false;
    for (let from = best.length; from > 0 && best.length > 1; from -= size) {
      const begin = Math.max(0, from - size);
      const rest = [...best.slice(0, begin), ...best.slice(from)];
      if (rest.length === 0 || !(await shows(rest))) continue;
      best = rest;
      found = true;
    }
    if (size === 1) {
      if (!found) break;
    } else size = Math.max(1, Math.floor(size / 2));
  }
  return best;
}

function partsOf(frames: readonly Placed[]): FuzzFrame[][] {
  const parts = new Map<number, FuzzFrame[]>();
  for (const { batch, frame } of frames) {
    const part = parts.get(batch);
    if (part === undefined) parts.set(batch, [frame]);
    else part.push(frame);
  }
  return [...parts.entries()].sort(([one], [other]) => one - other).map(([, part]) => part);
}

type Message = Record<string, unknown> & { params?: Record<string, unknown> };

/** A plain request as a value; undefined for what is none, or says the same in other words than ours. */
function messageOf({ text }: FuzzFrame): Message | undefined {
  const readable = text.replace('"id":{{id}}', '"id":"{{id}}"');
  try {
    const message = JSON.parse(readable) as Message;
    return JSON.stringify(message) === readable ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the members of its params; none where it is no plain request. */
function membersOf(frame: FuzzFrame): string[] {
  const params = messageOf(frame)?.params;
  return typeof params === "object" && params !== null && !Array.isArray(params) ? Object.keys(params) : [];
}

function without(frame: FuzzFrame, name: string): FuzzFrame {
  const { params = {}, ...message } = messageOf(frame) as Message;
  const rest = Object.fromEntries(Object.entries(params).filter(([member]) => member !== name));
  const text = JSON.stringify({ ...message, params: rest }).replace('"id":"{{id}}"', '"id":{{id}}');
  return { ...frame, text };
}
