/** `mspkit sample`: test data for a definition, one value a line. */
import { randomInt } from "node:crypto";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { emitOrReport, planSurface } from "../../../codegen/generate.js";
import { type Command, EXIT, type Given, UsageError } from "../command.js";
import { importText } from "../module.js";
import { refuse } from "../report.js";
import { loadSurface, readSettings, SCHEMA_OPTION, SURFACE_OPTIONS, surfaceOption } from "../settings.js";

/** What is used of a generated arbitraries module, and of fast-check, which it exports nothing of. */
interface Samples {
  readonly valid: unknown;
  readonly invalid: unknown;
}
interface Module {
  readonly definitions: Readonly<Record<string, Samples>>;
  readonly methods: Readonly<Record<string, { readonly params: Samples | undefined }>>;
  readonly requests: Module["methods"];
  readonly notifications: Readonly<Record<string, Samples | undefined>>;
  readonly draw: (
    arbitrary: unknown,
    options: { readonly seed: number; readonly numRuns: number },
  ) => unknown[];
}

export const sampleCommand: Command = {
  summary: "Print sample values of a definition or of a method's params, one a line.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    ...SURFACE_OPTIONS,
    def: { type: "string", value: "NAME", help: "the definition" },
    method: {
      type: "string",
      value: "METHOD",
      help: "the method, notification or server request: its params",
    },
    invalid: {
      type: "boolean",
      help: "values that are wrong for one reason: {value, instanceLocation, keyword}",
    },
    count: { type: "string", value: "N", help: "how many (default: 10)" },
    seed: {
      type: "string",
      value: "N",
      help: "draws the same values again (default: a new one, told on stderr)",
    },
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const count = wholeNumber(given, "count", 0) ?? 10;
    const seed = wholeNumber(given, "seed", -(2 ** 31)) ?? randomInt(2 ** 31);
    const surface = surfaceOption(given);
    const found = loadSurface(settings, surface);
    if (found === undefined) return refuse(settings.findings, io);
    const plan = planSurface(found.loaded, surface, settings.findings)!;
    const files = await emitOrReport(plan, ["arbitraries"], found.loaded, settings.findings);
    if (files === undefined) return refuse(settings.findings, io);
    const { text: module } = files.find(({ name }) => name === "arbitraries.js")!;
    const text = `${module}\nexport const draw = fc.sample;\n`;
    const generated = (await importText(text, io.cwd, ["fast-check"])) as Module;
    const samples = target(given, generated, surface);
    const values = given.options["invalid"] === true ? samples.invalid : samples.valid;
    if (values === undefined) {
      io.err("mspkit: every JSON value is valid here, so none is wrong\n");
      return EXIT.inconclusive;
    }
    if (given.options["seed"] === undefined) io.err(`seed ${seed}\n`);
    // fast-check draws at least one value.
    const drawn = count === 0 ? [] : generated.draw(values, { seed, numRuns: count });
    for (const value of drawn) io.out(`${JSON.stringify(value)}\n`);
    return EXIT.fine;
  },
};

function wholeNumber({ options }: Given, name: string, least: number): number | undefined {
  const text = options[name] as string | undefined;
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value < 2 ** 31) return value;
  throw new UsageError(`--${name} takes a whole number, not "${text}"`);
}

function target({ options }: Given, module: Module, surface: string): Samples {
  const { def, method } = options as Readonly<Record<string, string | undefined>>;
  if ((def === undefined) === (method === undefined))
    throw new UsageError("sample needs either --def or --method");
  const known =
    def !== undefined
      ? module.definitions
      : { ...module.methods, ...module.requests, ...module.notifications };
  const name = (def ?? method)!;
  if (!Object.hasOwn(known, name)) {
    const what = def !== undefined ? "definition" : "method";
    throw new UsageError(
      `the ${surface} surface has no ${what} "${name}"${didYouMean(name, Object.keys(known))}`,
    );
  }
  if (def !== undefined) return module.definitions[def]!;
  const entry = module.methods[name] ?? module.requests[name];
  const samples = entry === undefined ? module.notifications[name] : entry.params;
  if (samples === undefined) throw new UsageError(`${name} takes no params`);
  return samples;
}
