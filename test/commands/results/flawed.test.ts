/** Each law of command results catches results that break it: in memory, with one fault each. */
import { describe, expect, it } from "vitest";
import { ABANDONED, type CommandResults, keyText, type Standing } from "../../../src/commands/index.js";
import { checkResults, resultsLaws } from "../../../src/laws/store/index.js";
import { fencedMemory, type MemoryEffects, memoryFence, memoryLike } from "../../support/results-subjects.js";

/** The same results, with some of their methods replaced. */
function bent(results: CommandResults, change: Partial<CommandResults>): CommandResults {
  return {
    shared: results.shared,
    durability: results.durability,
    url: results.url,
    claim: (request) => results.claim(request),
    settle: (claim, result) => results.settle(claim, result),
    release: (claim) => results.release(claim),
    read: (key) => results.read(key),
    wait: (key, waitMs) => results.wait(key, waitMs),
    forget: () => results.forget(),
    close: () => results.close(),
    ...change,
  };
}

const flaws: [string, readonly string[], (results: CommandResults) => CommandResults][] = [
  [
    "whose claim is a set: the second one overwrites the first",
    ["one-claim", "race", "model"],
    (results) => {
      let epoch = 1_000;
      return bent(results, {
        async claim(request) {
          const claimed = await results.claim(request);
          if (claimed.kind !== "pending") return claimed;
          return { kind: "claimed", claim: { key: request.key, epoch: ++epoch, token: "set" } };
        },
      });
    },
  ],
  [
    "that look up and then write",
    ["race", "one-claim"],
    (results) => {
      let epoch = 1_000;
      return bent(results, {
        async claim(request) {
          const standing = await results.read(request.key);
          await new Promise(setImmediate);
          if (standing.kind !== "absent") return standing;
          const claimed = await results.claim(request);
          if (claimed.kind !== "pending") return claimed;
          return { kind: "claimed", claim: { key: request.key, epoch: ++epoch, token: "late" } };
        },
      });
    },
  ],
  [
    "whose epochs begin again after a release",
    ["epochs", "model"],
    (results) => {
      const epochs = new Map<number, number>();
      return bent(results, {
        async claim(request) {
          const claimed = await results.claim(request);
          if (claimed.kind !== "claimed") return claimed;
          epochs.set(1, claimed.claim.epoch);
          return { kind: "claimed", claim: { ...claimed.claim, epoch: 1 } };
        },
        settle: (claim, result) => results.settle({ ...claim, epoch: epochs.get(claim.epoch)! }, result),
        release: (claim) => results.release({ ...claim, epoch: epochs.get(claim.epoch)! }),
      });
    },
  ],
  [
    "that settle whatever claim comes",
    ["fenced", "model"],
    (results) => {
      const standing = new Map<string, Parameters<CommandResults["settle"]>[0]>();
      return bent(results, {
        async claim(request) {
          const claimed = await results.claim(request);
          if (claimed.kind === "claimed") standing.set(keyText(request.key), claimed.claim);
          return claimed;
        },
        settle: (claim, result) => results.settle(standing.get(keyText(claim.key)) ?? claim, result),
      });
    },
  ],
  [
    "that release whatever claim comes",
    ["released", "model"],
    (results) => {
      const standing = new Map<string, Parameters<CommandResults["settle"]>[0]>();
      return bent(results, {
        async claim(request) {
          const claimed = await results.claim(request);
          if (claimed.kind === "claimed") standing.set(keyText(request.key), claimed.claim);
          return claimed;
        },
        release: (claim) => results.release(standing.get(keyText(claim.key)) ?? claim),
      });
    },
  ],
  [
    "whose keys are joined by a slash",
    ["keys"],
    (results) => {
      const join = ({
        tenant,
        workspace,
        participant,
        commandId,
      }: Parameters<CommandResults["read"]>[0]) => ({
        tenant: "t",
        workspace: [tenant, workspace, participant].join("/").replaceAll("//", "/"),
        participant: "p",
        commandId,
      });
      return bent(results, {
        claim: (request) => results.claim({ ...request, key: join(request.key) }),
        read: (key) => results.read(join(key)),
      });
    },
  ],
  [
    "whose second settlement stands",
    ["first-result"],
    (results) => {
      const last = new Map<string, Standing>();
      return bent(results, {
        async settle(claim, result) {
          const settlement = await results.settle(claim, result);
          if (settlement.kind !== "settled") return settlement;
          last.set(keyText(claim.key), { kind: "settled", signature: undefined, result });
          return { kind: "settled", result };
        },
        async read(key) {
          return last.get(keyText(key)) ?? results.read(key);
        },
      });
    },
  ],
  [
    "that abandon nothing",
    ["abandoned"],
    (results) => bent(results, { claim: (request) => results.claim({ ...request, deadlineMs: 3_600_000 }) }),
  ],
  [
    "that let a late owner settle",
    ["abandoned"],
    (results) =>
      bent(results, {
        async settle(claim, result) {
          const settlement = await results.settle(claim, result);
          return settlement.result === ABANDONED ? { kind: "settled", result } : settlement;
        },
      }),
  ],
  ["that wake nobody", ["waited"], (results) => bent(results, { wait: async (key) => results.read(key) })],
  [
    "that keep no -0.5 and no long texts",
    ["verbatim"],
    (results) =>
      bent(results, {
        settle: (claim, result) =>
          results.settle(
            claim,
            JSON.parse(
              JSON.stringify(result).slice(0, 255) === JSON.stringify(result)
                ? JSON.stringify(result).replace("-0.5", "0")
                : '{"status":"accepted","result":null}',
            ),
          ),
      }),
  ],
  [
    "that leave those that wait when they are closed",
    ["closed"],
    (results) =>
      bent(results, {
        close: async () => undefined,
        wait: async (key) => ({ ...(await results.read(key)), kind: "absent" }),
      }),
  ],
  [
    "that forget a pending claim",
    ["forgotten"],
    (results) =>
      bent(results, {
        async read(key) {
          const standing = await results.read(key);
          return standing.kind === "pending" && key.commandId === "pending" ? { kind: "absent" } : standing;
        },
      }),
  ],
  [
    "that carry out again what they have forgotten",
    ["forgotten", "aged", "forgotten-while-claimed"],
    (results) => bent(results, { claim: (request) => results.claim({ ...request, idTime: undefined }) }),
  ],
  [
    "that forget in the order of claims",
    ["settled-last"],
    (results) => {
      const claimed: string[] = [];
      return bent(results, {
        async claim(request) {
          claimed.push(keyText(request.key));
          return results.claim(request);
        },
        async read(key) {
          return claimed.slice(-5).includes(keyText(key)) ? results.read(key) : { kind: "absent" };
        },
      });
    },
  ],
  [
    "that tell an id without a time that it is expired",
    ["forgotten-without-time"],
    (results) => {
      const claimed = new Set<string>();
      return bent(results, {
        async claim(request) {
          const again = claimed.has(keyText(request.key));
          claimed.add(keyText(request.key));
          const answer = await results.claim(request);
          return again && answer.kind === "claimed" ? { kind: "expired" } : answer;
        },
      });
    },
  ],
  [
    "that take more than they can remember",
    ["full"],
    (results) =>
      bent(results, {
        async claim(request) {
          const claimed = await results.claim(request);
          if (claimed.kind !== "full") return claimed;
          return { kind: "claimed", claim: { key: request.key, epoch: 1_000, token: "more" } };
        },
      }),
  ],
];

const ofEffects = resultsLaws.filter(({ needs }) => needs === "effects").map(({ id }) => id);

/** A fence that differs from the right one where it is said so. */
const fenceThat =
  (differs: (effects: MemoryEffects) => Partial<MemoryEffects>) =>
  (effects: MemoryEffects): ReturnType<typeof memoryFence> =>
    memoryFence({ ...effects, ...differs(effects) });

const flawedFences: [
  string,
  readonly string[],
  ...(Parameters<typeof fencedMemory> extends [string, ...infer Rest] ? Rest : never),
][] = [
  [
    "whose effects ask for no claim",
    ["effect-fenced", "effect-settles"],
    fenceThat(() => ({ stands: () => true })),
  ],
  [
    "whose effects ask whether the key is claimed, and not by whom",
    ["effect-fenced"],
    fenceThat(({ results }) => ({
      stands: ({ key }) => (results.read(key) as Standing).kind === "pending",
    })),
  ],
  [
    "whose effects ask for their claim before they begin, and not at the end",
    ["effect-over-deadline"],
    (effects) => (claim) => ({
      epoch: claim.epoch,
      async run(effect, result) {
        const once = { asked: false };
        const stands = (of: typeof claim): boolean =>
          once.asked || ((once.asked = true) && effects.stands(of));
        return memoryFence({ ...effects, stands })(claim).run(effect, result);
      },
    }),
  ],
  [
    "that keep an effect as soon as it is made",
    ["effect-settles", "effect-thrown", "effect-over-deadline"],
    (effects) => (claim) => ({
      epoch: claim.epoch,
      run: (effect, result) =>
        memoryFence({ ...effects, keep: () => undefined })(claim).run(
          (handle) =>
            effect({
              push(name: string) {
                (handle as string[]).push(name);
                effects.keep([name]);
              },
            }),
          result,
        ),
    }),
  ],
  [
    "whose effects do not settle",
    ["effect-settles", "effects-at-once"],
    (effects) => (claim) => ({
      epoch: claim.epoch,
      run: (effect) => memoryFence(effects)(claim).run(effect),
    }),
  ],
  [
    "that keep nothing of effects",
    ["effect-kept", "effect-settles", "effect-thrown", "effects-at-once"],
    fenceThat(() => ({ keep: () => undefined })),
  ],
  [
    "that keep effects twice",
    ["effect-kept", "effect-settles", "effect-thrown", "effects-at-once"],
    fenceThat(({ keep }) => ({ keep: (names) => keep([...names, ...names]) })),
  ],
  [
    "whose command can be given back after its effect",
    ["effect-kept"],
    memoryFence,
    (results) => ({ release: (claim) => results.release(claim) }),
  ],
  [
    "that tell another error than the effect's",
    ["effect-thrown"],
    (effects) => (claim) => ({
      epoch: claim.epoch,
      run: (effect, result) =>
        memoryFence(effects)(claim)
          .run(effect, result)
          .catch((error: { readonly kind?: unknown }) => {
            throw error.kind === "fenced" ? error : new Error("the effect failed");
          }),
    }),
  ],
];

describe("results with a fence", () => {
  it("that is right keep the laws of effects", async () => {
    const report = await checkResults(fencedMemory("fence", memoryFence), { only: ofEffects });
    expect(report.laws.map(({ law, verdict, broken }) => [law, verdict, broken])).toEqual(
      ofEffects.map((law) => [law, "holds", undefined]),
    );
    expect(ofEffects).toHaveLength(6);
  });

  it.each(flawedFences)("%s are caught", async (name, laws, fence, bend) => {
    const report = await checkResults(fencedMemory(name, fence, bend), { only: laws });
    expect(Object.fromEntries(report.laws.map(({ law, verdict }) => [law, verdict]))).toEqual(
      Object.fromEntries(laws.map((law) => [law, "broken"])),
    );
  });
});

describe("results", () => {
  it.each(flaws)("%s are caught", async (name, laws, bend) => {
    const report = await checkResults(memoryLike(name, bend), { only: laws, seed: 3 });
    expect(Object.fromEntries(report.laws.map(({ law, verdict }) => [law, verdict]))).toEqual(
      Object.fromEntries(laws.map((law) => [law, "broken"])),
    );
    expect(report.holds).toBe(false);
  });

  it("whose claim is a set are shown in two steps", async () => {
    const [, , bend] = flaws[0]!;
    const report = await checkResults(memoryLike("set", bend), { only: ["model"], seed: 3 });
    const steps = report.laws[0]!.broken!.steps;
    expect(steps.map((step) => step.replace(/process \d/, "process"))).toEqual([
      expect.stringMatching(/^process claims [abc]: claimed$/),
      expect.stringMatching(/^process claims [abc]: claimed$/),
    ]);
    expect(steps[0]!.slice(-10)).toBe(steps[1]!.slice(-10));
  });

  it("are caught by every law but that of death, which needs processes", () => {
    const caught = new Set([...flaws, ...flawedFences].flatMap(([, laws]) => laws));
    expect(resultsLaws.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual(["killed"]);
  });
});
