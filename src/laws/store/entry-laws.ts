/** Laws of what is written: it is there, as it was written, and nothing else is. */
import { simply } from "../places/law.js";
import type { StoreLaw } from "./law.js";

const TEXTS: readonly string[] = [
  "1",
  '"a"',
  "[]",
  "{}",
  '{"type":"received","text":"é ü 漢字 😀 \u2028 \u2029 \u007f \u0085"}',
  '{"escaped":"\\n\\u0000\\ud800\\"\\\\"}',
  '{"__proto__":1,"a":[null,true,-0,1e308]}',
  '{"a" : "spaces are kept" }',
  '{"looks":"like","seq":1,"group":1,"records":[]}',
];

/** Laws of what is written. */
export const entryLaws: readonly StoreLaw[] = simply([
  {
    id: "kept",
    promise: "What was written is there in its order when the log is opened again, and to a reader.",
    least: { writes: 20, opens: 3, reads: 2 },
    async run(trial) {
      const host = await trial.host();
      const log = await host.take("a", "new");
      const wanted: string[] = [];
      for (let i = 0; i < 20; i++) {
        const group = Array.from({ length: 1 + (i % 4) }, (_, k) => `{"entry":${wanted.length + k}}`);
        await log.append(...group);
        wanted.push(...group);
      }
      trial.same(log.log.entries, [], "what it opened with has changed under its hands");
      trial.same(await host.read("a"), wanted, "a reader sees other entries");
      await log.close();
      const again = await host.take("a", "existing");
      trial.same(again.log.entries, wanted, "opened again it has other entries");
      await again.append("21");
      await host.close();
      const other = await trial.host();
      trial.same((await other.take("a")).log.entries, [...wanted, "21"], "another store finds other entries");
      trial.same(await other.read("a"), [...wanted, "21"], "a reader of another store sees other entries");
    },
  },
  {
    id: "verbatim",
    promise:
      "An entry comes back letter for letter: any JSON text, of 5 MB as well, and a thousand in one write.",
    least: { writes: 3, entries: 1010 },
    async run(trial) {
      const host = await trial.host();
      const log = await host.take("a", "new");
      const large = JSON.stringify({ text: "ab é😀\n".repeat(500_000) });
      const many = Array.from({ length: 1000 }, (_, i) => `{"n":${i}}`);
      await log.append(...TEXTS);
      await log.append(large);
      await log.append(...many);
      const wanted = [...TEXTS, large, ...many];
      trial.count("entries", wanted.length);
      trial.same(await host.read("a"), wanted, "a reader sees other texts");
      await log.close();
      trial.same((await host.take("a")).log.entries, wanted, "opened again it has other texts");
    },
  },
  {
    id: "read-now",
    promise: "A reader sees what a writer was told is written, at once, without taking the log.",
    least: { writes: 10, reads: 10 },
    async run(trial) {
      const [writer, reader] = [await trial.host(), await trial.host()];
      const log = await writer.take("a", "new");
      const wanted: string[] = [];
      let first: readonly string[] | undefined;
      for (let i = 0; i < 10; i++) {
        await log.append(`${i}`);
        wanted.push(`${i}`);
        const found = await reader.read("a");
        trial.same(found, wanted, "the reader misses something");
        first ??= found;
      }
      trial.same(first, ["0"], "what a reader got has changed since");
    },
  },
  {
    id: "expected",
    promise: "A log is found or not found as it was said: `new` fails with exists, `existing` with notFound.",
    least: { opens: 7 },
    async run(trial) {
      const host = await trial.host();
      trial.told(await host.open("a", "existing"), "notFound", "a log that is not there");
      trial.hold((await host.state("a")) === "absent", "to look for a log has made it");
      trial.hold((await host.read("a")) === undefined, "a log that is not there can be read");
      trial.told(await host.fence("a"), "notFound", "a log that is not there");
      const log = await host.take("a", "new");
      trial.told(await host.open("a", "new"), "exists", "a log that is there and held");
      await log.close();
      trial.told(await host.open("a", "new"), "exists", "a log that is there");
      await (await host.take("a", "existing")).close();
      await (await host.take("a", "any")).close();
      await (await host.take("b", "any")).close();
      trial.same(await host.read("b"), [], "a new log has entries");
    },
  },
  {
    id: "listed",
    promise: "A list has every log of its space once, with a time, and no other; spaces and ids are apart.",
    least: { opens: 41 },
    async run(trial) {
      const host = await trial.host();
      const ids = Array.from({ length: 20 }, (_, i) => `log-${i}`);
      trial.hold((await host.store.list("sessions")).length === 0, "an empty place lists logs");
      for (const id of ids) {
        await (await host.take(id, "new")).append(`"s ${id}"`);
        await (await host.take(id, "new", "commands")).append(`"c ${id}"`);
      }
      await host.take("only", "new", "commands");
      const other = await trial.host();
      for (const [space, wanted] of [
        ["sessions", ids],
        ["commands", [...ids, "only"]],
      ] as const) {
        const rows = await other.store.list(space);
        const names = rows.map(({ id }) => id).sort();
        trial.same(names, [...wanted].sort(), `the list of ${space} has other ids`);
        trial.hold(
          rows.every(({ updatedAtMs }) => Number.isSafeInteger(updatedAtMs) && updatedAtMs >= 0),
          "a log in the list has no time",
        );
      }
      for (const id of ids) {
        trial.same(await other.read(id), [`"s ${id}"`], "a session has the entries of another log");
        trial.same(
          await other.read(id, "commands"),
          [`"c ${id}"`],
          "a command has the entries of another log",
        );
      }
    },
  },
  {
    id: "ids",
    promise:
      "An id that is not 1 to 128 letters, digits, _ and - is refused as a TypeError, wherever it is given.",
    least: { opens: 9 },
    async run(trial) {
      const host = await trial.host();
      for (const id of ["", ".", "..", "../a", "a/b", "a\\b", "a\0", "ä", "x".repeat(129)]) {
        trial.told(await host.open(id, "any"), "TypeError", `the id ${JSON.stringify(id)}`);
        const read = await trial.act("it is read", () => host.store.read("sessions", id));
        trial.told(read, "TypeError", `the id ${JSON.stringify(id)}, read`);
        trial.told(await host.fence(id), "TypeError", `the id ${JSON.stringify(id)}, fenced`);
      }
      await host.take(`${"x".repeat(126)}-_`, "new");
    },
  },
]);
