/** Makes a message small that shows a change: parts are taken away and texts shortened while it still shows it. */
import type { Json } from "../../bundle/json.js";
import { isJsonObject } from "../../bundle/json.js";
import type { Frame } from "./embed.js";
import { type Path, partAt, withPart } from "./paths.js";

/** After so many tries a message is small enough. */
const TRIES = 600;
/** And after so many parts were looked at, since each try looks at the whole message. */
const LOOKS = 40_000;

/**
 * The smaller message.
 * @param holds whether a message still shows the change at its place
 */
export function shrink(frame: Frame, holds: (frame: Frame) => boolean): Frame {
  let best = frame;
  let left = Math.min(TRIES, Math.ceil(LOOKS / partsOf(frame.whole).length));
  const attempt = (next: Frame): boolean => {
    if (left-- <= 0 || !holds(next)) return false;
    best = next;
    return true;
  };
  for (let changed = true; changed && left > 0; ) {
    changed = false;
    for (const path of partsOf(best.whole)) {
      if (left <= 0) break;
      const part = partAt(best.whole, path);
      if (part === undefined) continue;
      const place = path.length > 0 && !leadsTo(path, best.place) ? placeWithout(path, best) : undefined;
      if (place !== undefined && attempt({ whole: withPart(best.whole, path, undefined), place })) {
        changed = true;
        continue;
      }
      if (path.length < best.place.length && leadsTo(path, best.place)) continue;
      // The part that shows the change is of the kind that it is; around it null is as good as anything.
      const around = typeof part === "object" && part !== null && !leadsTo(best.place, path);
      for (const simpler of around ? [null, ...simplerThan(part)] : simplerThan(part))
        if (attempt({ whole: withPart(best.whole, path, simpler), place: best.place })) {
          changed = true;
          break;
        }
    }
  }
  return best;
}

/** The paths of all parts, the outer before the inner, later elements before earlier ones. */
function partsOf(value: Json): Path[] {
  const parts: { readonly path: Path; readonly part: Json }[] = [{ path: [], part: value }];
  for (let i = 0; i < parts.length && parts.length < 4 * TRIES; i++) {
    const { path, part } = parts[i] as (typeof parts)[number];
    const add = (token: string | number, inner: Json): void => {
      parts.push({ path: [...path, token], part: inner });
    };
    if (Array.isArray(part)) for (let n = part.length - 1; n >= 0; n--) add(n, part[n] as Json);
    else if (isJsonObject(part)) for (const [name, inner] of Object.entries(part)) add(name, inner);
  }
  return parts.map(({ path }) => path);
}

function leadsTo(path: Path, place: Path): boolean {
  return path.length <= place.length && path.every((token, i) => token === place[i]);
}

/** The place after a part was taken away: elements behind one move up. */
function placeWithout(path: Path, { place }: Frame): Path {
  const last = path.length - 1;
  const gone = path[last];
  const at = place[last];
  const isBefore =
    typeof gone === "number" && typeof at === "number" && gone < at && leadsTo(path.slice(0, last), place);
  return isBefore ? [...place.slice(0, last), at - 1, ...place.slice(last + 1)] : place;
}

function simplerThan(part: Json): Json[] {
  if (typeof part === "string") {
    const characters = [...part];
    const half = characters.slice(0, Math.floor(characters.length / 2)).join("");
    return part === "" ? [] : ["", half, characters.slice(0, -1).join(""), characters.slice(1).join("")];
  }
  if (typeof part === "number") {
    const whole = Math.trunc(part);
    const simpler = [0, 1, -1, whole, Math.trunc(part / 2)];
    return simpler.filter((n) => Math.abs(n) < Math.abs(part)).map((n) => (n === 0 ? 0 : n));
  }
  if (Array.isArray(part) && part.length > 1) return [[], part.slice(0, Math.ceil(part.length / 2))];
  if (isJsonObject(part) && Object.keys(part).length > 1) return [{}];
  return [];
}
