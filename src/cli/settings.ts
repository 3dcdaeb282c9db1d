/**
 * What most commands take: the schema, its surface, the configuration.
 */
import { relative, resolve } from "node:path";
import { type Config, readConfig, ruleSettings } from "../../codegen/config.js";
import { Findings, type RuleSettings } from "../../codegen/diagnostics/finding.js";
import { type Loaded, loadSchema, surfaceOf } from "../../codegen/load.js";
import type { Protocol, Surface } from "../../codegen/model/protocol.js";
import { type Given, type Io, type Option, UsageError } from "./command.js";
import { packagedSchema } from "./package.js";

/** `--schema`, for every command that reads one. */
export const SCHEMA_OPTION: Readonly<Record<string, Option>> = {
  schema: {
    type: "string",
    value: "FILE|DIR",
    help: "a bundle, or the folder with stable/ and experimental/ (default: the configured one, else MSP)",
  },
  config: {
    type: "string",
    value: "FILE",
    help: "the configuration (default: mspkit.config.json in this folder, if there is one)",
  },
};

/** `--surface` and its short form, for every command that looks at one surface. */
export const SURFACE_OPTIONS: Readonly<Record<string, Option>> = {
  surface: { type: "string", value: "stable|experimental", help: "which surface (default: stable)" },
  experimental: { type: "boolean", help: "short for --surface experimental" },
};

/** The schema and configuration that a command works with. */
export interface Settings {
  /** Path of the schema as it is named in messages. */
  readonly schema: string;
  readonly config: Config | undefined;
  /** The configured rules, as they hold for this schema. */
  readonly rules: RuleSettings;
  readonly findings: Findings;
}

/** Reads the configuration and decides on the schema; undefined when the configuration is refused. */
export function readSettings({ options }: Given, { cwd }: Io): Settings | { readonly refused: Findings } {
  const configFindings = new Findings();
  const named = options["config"] as string | undefined;
  if (named === "") throw new UsageError("--config needs a file");
  const config = readConfig(resolve(cwd, named ?? "."), configFindings);
  if (configFindings.hasErrors) return { refused: configFindings };
  const own = config?.schema ?? packagedSchema();
  const path = (options["schema"] as string | undefined) ?? own;
  if (path === "") throw new UsageError("--schema needs a path");
  const absolute = resolve(cwd, path);
  const near = relative(cwd, absolute);
  const rules = ruleSettings(config, absolute, own);
  return {
    schema: near === "" || near.startsWith("..") ? path : near,
    config,
    rules,
    findings: new Findings(rules),
  };
}

/** The surface that was asked for. */
export function surfaceOption({ options }: Given): Surface {
  const surface = options["surface"] as string | undefined;
  if (options["experimental"] === true) {
    if (surface !== undefined && surface !== "experimental") {
      throw new UsageError("--experimental and --surface stable contradict each other");
    }
    return "experimental";
  }
  if (surface === undefined || surface === "stable" || surface === "experimental") return surface ?? "stable";
  throw new UsageError(`--surface takes stable or experimental, not "${surface}"`);
}

/** A loaded surface; undefined when the findings refuse it. */
export function loadSurface(
  { schema, findings }: Settings,
  surface: Surface,
): { readonly loaded: Loaded; readonly protocol: Protocol } | undefined {
  const loaded = loadSchema(schema, findings);
  const protocol = loaded === undefined ? undefined : surfaceOf(loaded, surface, findings);
  return loaded === undefined || protocol === undefined ? undefined : { loaded, protocol };
}
