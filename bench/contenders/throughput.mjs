// Checks of parsed messages of one kind. A sample is how many there are a second.
import { spentMs } from "../lib/clock.mjs";
import { checkOf } from "../lib/modules.mjs";
import { texts } from "../lib/payloads.mjs";

export default async function prepare({ maker, file, kind, windowMs }) {
  const check = await checkOf(maker, file, kind);
  const values = texts(kind).map((text) => JSON.parse(text));
  return () => {
    let checked = 0;
    let valid = 0;
    const start = spentMs();
    let now;
    do {
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < values.length; i++) if (check(values[i])) valid++;
      }
      checked += 4 * values.length;
      now = spentMs();
    } while (now - start < windowMs);
    if (valid !== checked) throw new Error(`${maker} refuses valid messages of ${kind}`);
    return (checked / (now - start)) * 1000;
  };
}
