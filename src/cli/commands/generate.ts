/** `mspkit generate`: bindings from a schema. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { didYouMean } from "../../../codegen/bundle/suggest.js";
import { reportUnusedExcuses } from "../../../codegen/config.js";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { type GenerateOptions, type GenerateResult, generate } from "../../../codegen/generate.js";
import type { Annotated, Surface } from "../../../codegen/model/protocol.js";
import { PRODUCTS, type Product, SURFACES } from "../../../codegen/plan/plan.js";
import { type Command, EXIT, type Given, type Io, UsageError } from "../command.js";
import { loadEmitter } from "../emitter.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION, type Settings } from "../settings.js";

export const generateCommand: Command = {
  summary: "Generate bindings from a schema.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    out: {
      type: "string",
      value: "DIR",
      help: "the folder that gets stable/ and experimental/ (default: the configured one, else generated)",
    },
    surface: {
      type: "string",
      value: "stable|experimental|all",
      help: "which surfaces (default: the configured ones, else all)",
    },
    experimental: { type: "boolean", help: "short for --surface experimental" },
    only: { type: "string", value: "PRODUCT,...", help: `some products: ${PRODUCTS.join(", ")}` },
    emitter: {
      type: "string",
      value: "FILE|cmd:COMMAND",
      help: "an emitter of your own: a module, or a command that reads the plan on stdin and answers files",
    },
    check: { type: "boolean", help: "write nothing; exit 1 when the folder is not current" },
    watch: { type: "boolean", help: "generate again whenever the schema changes" },
    summary: { type: "string", value: "md", help: "print the summary as Markdown" },
    json: { type: "boolean", help: "print the summary as JSON" },
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const emitter = given.options["emitter"] as string | undefined;
    const options = {
      ...generateOptions(given, io, settings),
      ...(emitter === undefined ? {} : { emitters: [await loadEmitter(emitter, io.cwd)] }),
    };
    const summary = summaryStyle(given);
    if (given.options["watch"] === true) return watchSchema(options, settings, summary, io);
    return once(options, settings, summary, io);
  },
};

type Style = "text" | "md" | "json";

function summaryStyle({ options }: Given): Style {
  if (options["json"] === true) return "json";
  const summary = options["summary"];
  if (summary !== undefined && summary !== "md")
    throw new UsageError(`--summary takes md, not "${String(summary)}"`);
  return summary ?? "text";
}

function generateOptions(
  { options }: Given,
  { cwd }: Io,
  { schema, config, rules }: Settings,
): GenerateOptions {
  const out = options["out"] as string | undefined;
  if (out === "") throw new UsageError("--out needs a folder");
  if (options["watch"] === true && options["check"] === true)
    throw new UsageError("--watch and --check contradict each other");
  const folder = resolve(cwd, out ?? config?.out ?? "generated");
  const only = options["only"] as string | undefined;
  const products = only === undefined ? config?.products : readProducts(only);
  return {
    schema,
    out: relative(cwd, folder) === "" ? "." : relativeOrAbsolute(cwd, folder),
    surfaces: readSurfaces(
      options["surface"] as string | undefined,
      options["experimental"] === true,
      config?.surfaces,
    ),
    ...(products === undefined ? {} : { products }),
    check: options["check"] === true,
    rules,
  };
}

function relativeOrAbsolute(cwd: string, path: string): string {
  const near = relative(cwd, path);
  return near.startsWith("..") ? path : near;
}

function readSurfaces(
  surface: string | undefined,
  experimental: boolean,
  configured: readonly Surface[] = SURFACES,
): readonly Surface[] {
  if (experimental && surface !== undefined && surface !== "experimental") {
    throw new UsageError(`--experimental and --surface ${surface} contradict each other`);
  }
  if (!experimental && surface === undefined) return configured;
  const wanted = experimental ? "experimental" : surface;
  if (wanted === "all") return SURFACES;
  if (wanted === "stable" || wanted === "experimental") return [wanted];
  throw new UsageError(`--surface takes stable, experimental or all, not "${String(wanted)}"`);
}

function readProducts(only: string): Product[] {
  return only.split(",").map((name) => {
    const product = PRODUCTS.find((known) => known === name.trim());
    if (product === undefined) {
      throw new UsageError(
        `there is no product "${name}"${didYouMean(name, PRODUCTS)}; known: ${PRODUCTS.join(", ")}`,
      );
    }
    return product;
  });
}

async function once(options: GenerateOptions, { config }: Settings, style: Style, io: Io): Promise<number> {
  const start = performance.now();
  if (io.interactive) io.err(`Reading ${options.schema} ...\n`);
  const result = await generate(options);
  if (config !== undefined && result.surfaces.length > 0) reportUnusedExcuses(config, result.findings);
  if (result.findings.hasErrors) return refuse(result.findings, io);
  const warnings = result.findings.count("warning");
  if (warnings > 0) io.err(`${count(warnings, "warning")}; mspkit lint shows them.\n`);
  io.out(summaryText(result, options, performance.now() - start, style));
  return EXIT.fine;
}

async function watchSchema(
  options: GenerateOptions,
  settings: Settings,
  style: Style,
  io: Io,
): Promise<number> {
  const run = (): Promise<unknown> => once(options, settings, style, io);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  // Several events make one run, and runs never overlap. A schema that is away for a moment is no reason to end.
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(run).catch((error: Error) => io.err(`mspkit: ${error.message}\n`));
    }, 100);
  };
  const stopped = new Promise<void>((done) => process.once("SIGINT", () => done()));
  // Watching starts first, so that an edit during the first run is not missed.
  const watchers = watchFiles(resolve(io.cwd, options.schema), changed);
  const failed = new Promise<never>((_, fail) => {
    for (const watcher of watchers) watcher.on("error", fail);
  });
  try {
    await run();
    io.err(`Watching ${options.schema}; Ctrl-C ends it.\n`);
    await Promise.race([stopped, failed]);
    return EXIT.fine;
  } finally {
    for (const watcher of watchers) watcher.close();
    clearTimeout(timer);
    await running;
  }
}

/** Watches a bundle file, or the two of a pair. Editors replace files, so their folders are watched. */
function watchFiles(path: string, changed: () => void): FSWatcher[] {
  const isPair = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const folders = isPair ? [join(path, "stable"), join(path, "experimental")] : [dirname(path)];
  return folders.map((folder) => {
    try {
      return watch(folder, (_, name) => {
        if (name === null || (isPair ? name.endsWith(".schema.json") : name === basename(path))) changed();
      });
    } catch {
      throw new TroubleError(folder, "cannot be watched");
    }
  });
}

/** What was made, for one surface. */
interface Made {
  readonly surface: Surface;
  readonly fingerprint: string;
  readonly counts: Readonly<Record<string, { readonly total: number; readonly experimental: number }>>;
  readonly files: number;
  readonly bytes: number;
}

function made(result: GenerateResult): Made[] {
  return result.surfaces.map(({ protocol, fingerprint, files }) => {
    const tally = (list: Iterable<Annotated>): { total: number; experimental: number } => {
      const all = [...list];
      return {
        total: all.length,
        experimental: all.filter(({ stability }) => stability !== undefined).length,
      };
    };
    return {
      surface: protocol.surface,
      fingerprint: fingerprint.fingerprint,
      counts: {
        methods: tally(protocol.methods),
        notifications: tally(protocol.notifications),
        requests: tally(protocol.requests),
        errors: tally(protocol.errors),
        capabilities: tally(protocol.capabilities),
        definitions: tally(protocol.definitions.values()),
      },
      files: files.length,
      bytes: files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    };
  });
}

function summaryText(result: GenerateResult, options: GenerateOptions, ms: number, style: Style): string {
  const surfaces = made(result);
  const { written, removed } = result;
  if (style === "json")
    return `${JSON.stringify({ out: options.out, surfaces, written, removed, ms: Math.round(ms) }, null, 2)}\n`;
  const name = result.surfaces[0]?.protocol.title ?? "";
  const changes =
    options.check === true
      ? "current"
      : written.length + removed.length === 0
        ? "nothing to write"
        : `${count(written.length, "file")} written${removed.length === 0 ? "" : `, ${removed.length} removed`}`;
  const kinds = Object.keys(surfaces[0]?.counts ?? {});
  const cell = ({ total, experimental }: { total: number; experimental: number }): string =>
    experimental === 0 ? String(total) : `${total} (${experimental} experimental)`;
  if (style === "md") {
    const rows = surfaces.map(
      (s) =>
        `| ${s.surface} | ${kinds.map((kind) => cell(s.counts[kind]!)).join(" | ")} | \`${s.fingerprint}\` |\n`,
    );
    return `### ${name}\n\n| surface | ${kinds.join(" | ")} | fingerprint |\n| --- | ${kinds.map(() => "---").join(" | ")} | --- |\n${rows.join("")}\n${changes} in \`${options.out}\`, ${Math.round(ms)} ms\n`;
  }
  let text = `${name}\n`;
  for (const s of surfaces) {
    text += `\n${s.surface}  ${s.fingerprint}\n`;
    for (const kind of kinds) text += `  ${kind.padEnd(14)}${cell(s.counts[kind]!)}\n`;
    text += `  ${"output".padEnd(14)}${count(s.files, "file")}, ${Math.round(s.bytes / 1024)} KiB in ${join(options.out, s.surface)}\n`;
  }
  return `${text}\n${changes}, ${Math.round(ms)} ms\n`;
}

function count(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}
