/** Values by keys: what a map by the texts of keys has, for whatever comes in whatever order. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { keyText } from "../../src/commands/index.js";
import { KeyMap } from "../../src/commands/key-map.js";

const name = fc.constantFrom("", "a", "b", "aa");
const key = fc.record({ tenant: name, workspace: name, participant: name, commandId: name });
const steps = fc.array(fc.tuple(fc.constantFrom("set", "set", "delete", "get"), key, fc.nat(9)), {
  minLength: 1,
  maxLength: 60,
});

it("a map by keys is one by their texts", () => {
  let kept = 0;
  fc.assert(
    fc.property(steps, (list) => {
      const map = new KeyMap<number>();
      const model = new Map<string, number>();
      for (const [what, one, value] of list) {
        if (what === "set") {
          map.set(one, value);
          model.set(keyText(one), value);
        } else if (what === "delete") {
          map.delete(one);
          model.delete(keyText(one));
        }
        expect(map.get(one)).toBe(model.get(keyText(one)));
      }
      kept += model.size;
      expect([...map.values()].sort()).toEqual([...model.values()].sort());
    }),
    { numRuns: 300 },
  );
  expect(kept).toBeGreaterThan(500);
});

it("keeps nothing of actors that have nothing", () => {
  const map = new KeyMap<number>();
  for (let i = 0; i < 10_000; i++) {
    const one = { tenant: `t${i % 100}`, workspace: `w${i}`, participant: "p", commandId: "c" };
    map.set(one, i);
    expect(map.actors).toBeGreaterThan(0);
    map.delete(one);
  }
  expect([...map.values()]).toEqual([]);
  expect(map.actors).toBeLessThanOrEqual(1);
});
