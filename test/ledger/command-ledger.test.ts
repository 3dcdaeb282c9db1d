/** What is remembered of commands: one row under each id, whatever comes later. */
import { expect, it } from "vitest";
import { CommandLedger } from "../../src/ledger/command-ledger.js";

it("an id is new until a command was taken in under it; then it stands for that one alone", () => {
  const ledger = new CommandLedger<string>();
  expect(ledger.stand("a", "one")).toEqual({ kind: "new" });
  expect(ledger.get("a")).toBeUndefined();
  ledger.receive("a", "one", undefined, 3);
  const row = { signature: "one", answer: undefined, settled: false, position: 3 };
  expect(ledger.stand("a", "one")).toEqual({ kind: "repeat", row });
  expect(ledger.stand("a", "two")).toEqual({ kind: "conflict" });
  expect(ledger.stand("b", "one")).toEqual({ kind: "new" });
  expect(ledger.get("a")).toEqual(row);
  expect(ledger.size).toBe(1);
});

it("a command is open until it is settled, in the order in which they came", () => {
  const ledger = new CommandLedger<string>();
  for (const id of ["b", "a", "c"]) ledger.receive(id, id, "yes", 1);
  expect([...ledger.open]).toEqual(["b", "a", "c"]);
  ledger.settle("a", 2);
  expect([...ledger.open]).toEqual(["b", "c"]);
  expect(ledger.size).toBe(3);
});

it("a settlement keeps the answer unless it has another, and moves the place that must be durable", () => {
  const ledger = new CommandLedger<string>();
  ledger.receive("a", "one", "yes", 1);
  ledger.settle("a", 4);
  expect(ledger.get("a")).toEqual({ signature: "one", answer: "yes", settled: true, position: 4 });
  ledger.receive("b", "two", "yes", 5);
  ledger.settle("b", 6, "no");
  expect(ledger.get("b")).toEqual({ signature: "two", answer: "no", settled: true, position: 6 });
});

it("the first settlement stands", () => {
  const ledger = new CommandLedger<string>();
  ledger.receive("a", "one", "yes", 1);
  ledger.settle("a", 2, "no");
  ledger.settle("a", 3, "perhaps");
  expect(ledger.get("a")).toEqual({ signature: "one", answer: "no", settled: true, position: 2 });
});

it("a row is never replaced, and none is settled that was never taken in: a log that says so is ill", () => {
  const ledger = new CommandLedger<string>();
  ledger.receive("a", "one", "yes", 1);
  expect(() => ledger.receive("a", "one", "yes", 2)).toThrow(/ a /);
  expect(() => ledger.settle("b", 2)).toThrow(/ b /);
  expect(ledger.get("a")).toMatchObject({ signature: "one", position: 1 });
});

it("a command that came to nothing is forgotten, but not one that is settled", () => {
  const ledger = new CommandLedger<string>();
  ledger.receive("a", "one", undefined, 1);
  ledger.receive("b", "two", "yes", 2);
  ledger.settle("b", 3);
  for (const id of ["a", "b", "c"]) ledger.withdraw(id);
  expect(ledger.stand("a", "other")).toEqual({ kind: "new" });
  expect(ledger.stand("b", "two")).toMatchObject({ kind: "repeat" });
  expect([...ledger.open]).toEqual([]);
  expect(ledger.size).toBe(1);
});
