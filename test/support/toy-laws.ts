/** Laws that need no host, so that what a run makes of laws can be tried by itself. */
import fc from "fast-check";
import type { Driver, RunningHost } from "../../src/laws/driver/driver.js";
import { type AnyLaw, CaseVoid, LawBroken, law } from "../../src/laws/law.js";

/** What a toy law does with a number. */
export interface ToyOptions {
  readonly breaks?: (number: number) => boolean;
  /** The law that is said to be broken. Default: the toy itself. */
  readonly blames?: string;
  readonly void?: (number: number) => boolean;
  readonly runs?: number;
  readonly least?: Readonly<Record<string, number>>;
  readonly needs?: AnyLaw["needs"];
  /** Told of every number that is tried. */
  readonly tried?: (number: number) => void;
}

/** A law about numbers up to 1,000. */
export function toyLaw(id: string, options: ToyOptions = {}): AnyLaw {
  const { breaks, blames, runs = 12, least = {}, needs = [], tried } = options;
  return law<number>({
    id,
    level: "core",
    promise: `The law ${id} holds.`,
    needs,
    least,
    runs,
    cases: () => fc.nat(1_000),
    run: async (trial, number) => {
      tried?.(number);
      if (options.void?.(number) === true) throw new CaseVoid("a void number");
      trial.count("numbers");
      if (breaks?.(number) === true) throw new LawBroken("a number broke it", { number }, blames);
    },
  });
}

/** A driver whose places are counted and whose hosts answer nobody. */
export function toyDriver(
  options: Partial<Driver> = {},
): Driver & { readonly places: { made: number; left: number } } {
  const places = { made: 0, left: 0 };
  return {
    name: "a toy",
    abilities: new Set(["crash"]),
    prompts: {},
    timeoutMs: 100,
    maxPlaces: 8,
    places,
    place: async () => {
      places.made++;
      places.left++;
      return {
        start: async () => toyHost(),
        remove: async () => {
          places.left--;
        },
      };
    },
    ...options,
  };
}

function toyHost(): RunningHost {
  const exit = { code: null, signal: "SIGKILL" };
  return {
    connect: () => Promise.reject(new Error("a toy takes no connection")),
    plan: () => undefined,
    crash: async () => undefined,
    stop: async () => exit,
    ended: new Promise(() => undefined),
    stderrTail: "a toy's last words",
  };
}
