/**
 * Where better-sqlite3 could neither be had nor be built, the tests that need it are skipped, and counted so: those that
 * have SQLite in their name or their path.
 */
import { createRequire } from "node:module";
import { beforeEach } from "vitest";

let works: boolean | undefined;

function sqliteWorks(): boolean {
  if (works === undefined) {
    try {
      const Database = createRequire(import.meta.url)("better-sqlite3") as new (
        path: string,
      ) => { close(): void };
      new Database(":memory:").close();
      works = true;
    } catch {
      works = false;
    }
  }
  return works;
}

beforeEach(({ task, skip }) => {
  const names = [task.file.name];
  for (let at: { readonly name: string; readonly suite?: unknown } | undefined = task; at !== undefined; ) {
    names.push(at.name);
    at = at.suite as typeof at;
  }
  if (names.some((name) => /sqlite/i.test(name)) && !sqliteWorks()) skip("better-sqlite3 does not work here");
});
