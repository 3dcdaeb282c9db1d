// What a server pays for a message of one kind: parsing alone, and parsing and checking, in windows that mirror
// each other, so that drift falls on both. A sample has the messages a second of both.
import { spentMs } from "../lib/clock.mjs";
import { checkOf } from "../lib/modules.mjs";
import { texts } from "../lib/payloads.mjs";

export default async function prepare({ maker, file, kind, windowMs }) {
  const check = await checkOf(maker, file, kind);
  const messages = texts(kind);

  function alone() {
    let done = 0;
    const start = spentMs();
    let now;
    do {
      for (const text of messages) if (JSON.parse(text) !== null) done++;
      now = spentMs();
    } while (now - start < windowMs);
    return (done / (now - start)) * 1000;
  }

  function checked() {
    let done = 0;
    const start = spentMs();
    let now;
    do {
      for (const text of messages) if (check(JSON.parse(text))) done++;
      now = spentMs();
    } while (now - start < windowMs);
    return (done / (now - start)) * 1000;
  }

  return () => {
    const [a, b, c, d] = [alone(), checked(), checked(), alone()];
    return { alone: (a + d) / 2, checked: (b + c) / 2 };
  };
}
