/** Properties of commands over random tenants, ids and handlers: no crosstalk, and never a throw. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type CommandResult, keyText, rejected, Workspaces } from "../../src/commands/index.js";
import { storedKey } from "../../src/commands/results/stored-key.js";
import { accepted, command, handleOf, reasonOf } from "../support/commands.js";

// Texts that look like parts of keys, and any others, half surrogate pairs and NUL among them.
const part = fc.oneof(
  fc.constantFrom("", "a", "b", "1:a", "a1:", "~", "#", "/", '"', "\0", "\ud800", "\ufffd", "A"),
  fc
    .array(fc.constantFrom("a", ":", "1", "2", "~", '"', "\\", "\0", "\ud800", "\udc00"), { maxLength: 6 })
    .map((units) => units.join("")),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.integer({ min: 300, max: 3_000 }).map((length) => "x".repeat(length)),
);
const key = fc.record({ tenant: part, workspace: part, participant: part, commandId: part });

it("other keys have other texts, well-formed and without NUL, also where a database keeps them", () => {
  let pairs = 0;
  fc.assert(
    fc.property(
      key,
      key,
      fc.constantFrom("tenant", "workspace", "participant", "commandId"),
      (one, other, same) => {
        // Some differ in one part alone, some in where a part ends.
        const close = { ...one, [same]: other[same] };
        const moved = { ...one, tenant: one.tenant + one.workspace, workspace: "" };
        for (const second of [other, close, moved]) {
          const equal = JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(second));
          expect(keyText(one) === keyText(second)).toBe(equal);
          expect(storedKey(one) === storedKey(second)).toBe(equal);
          pairs++;
        }
        for (const text of [keyText(one), storedKey(one)]) {
          expect(Buffer.from(text).toString()).toBe(text);
          expect(text.includes("\0")).toBe(false);
        }
        expect(Buffer.byteLength(storedKey(one))).toBeLessThanOrEqual(1_000);
      },
    ),
    { numRuns: 2_000 },
  );
  expect(pairs).toBe(6_000);
});

it("no tenant, workspace or participant is told what another's command came to", async () => {
  let repeats = 0;
  const id = fc.constantFrom("a", "a:b");
  const who = fc.constantFrom("", "a", "1:a");
  const call = fc.record({ tenant: who, workspace: who, participant: who, commandId: id });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 60 }), async (calls) => {
      const workspaces = new Workspaces();
      const seen = new Map<string, number>();
      const results = await Promise.all(
        calls.map(({ commandId, ...actor }, n) =>
          workspaces.execute(
            handleOf(() => accepted(n), actor),
            command(),
            { commandId },
          ),
        ),
      );
      for (const [n, one] of calls.entries()) {
        const name = JSON.stringify([one.tenant, one.workspace, one.participant, one.commandId]);
        if (seen.has(name)) repeats++;
        else seen.set(name, n);
        expect(results[n]).toEqual(accepted(seen.get(name)!));
      }
    }),
    { numRuns: 200 },
  );
  expect(repeats).toBeGreaterThan(50);
});

it("whatever a handler does and whatever comes as an id, there is a result, and a repeat is told the same", async () => {
  const reasons = new Map<string, number>();
  const gives = fc.oneof(
    fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSymbol: true,
    } as never),
    fc
      .anything({ withBigInt: true, withDate: true, withMap: true })
      .map((result) => ({ status: "accepted", result })),
    fc.constantFrom(1n, () => 1, Number.NaN).map((odd) => ({ status: "accepted", result: [odd] })),
    fc.jsonValue().map((result) => ({ status: "accepted", result })),
    fc.anything().map((rejection) => ({ status: "rejected", rejection })),
    fc
      .record({
        reason: fc.string(),
        message: fc.string(),
        retryable: fc.constant(false),
        data: fc.anything(),
      })
      .map((rejection) => ({ status: "rejected", rejection })),
    fc.constant(rejected("handler_failed")),
  );
  const behaviour = fc.record({ gives, how: fc.constantFrom("gives", "throws", "rejects", "throwsLater") });
  const id = fc.oneof(fc.anything(), fc.string(), fc.uuid(), fc.constantFrom(undefined, null, "", "a"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(behaviour, id), { minLength: 1, maxLength: 5 }), async (calls) => {
      const workspaces = new Workspaces();
      for (const [{ gives, how }, commandId] of calls) {
        const handle = handleOf((async () => gives) as never);
        const carryOut = (): Promise<CommandResult> => {
          if (how === "throws") throw gives;
          if (how === "rejects") return Promise.reject(gives);
          if (how === "throwsLater") return new Promise((_, reject) => setImmediate(reject, gives));
          return gives as never;
        };
        const failing = { ...handle, carryOut };
        const first = await workspaces.execute(failing, command(), { commandId });
        expect(["accepted", "rejected"]).toContain(first.status);
        expect(JSON.parse(JSON.stringify(first))).toEqual(first);
        reasons.set(reasonOf(first), (reasons.get(reasonOf(first)) ?? 0) + 1);
        const again = await workspaces.execute(failing, command(), { commandId });
        expect(again).toEqual(first);
      }
    }),
    { numRuns: 400 },
  );
  for (const reason of [
    "accepted",
    "handler_failed",
    "result_not_serialisable",
    "command_id_missing",
    "command_id_malformed",
  ])
    expect([reason, (reasons.get(reason) ?? 0) > 5]).toEqual([reason, true]);
});
