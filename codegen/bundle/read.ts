/**
 * Reads a bundle from a file, or from the folder in which its owners publish the pair `stable/` and `experimental/`.
 */
import { isUtf8 } from "node:buffer";
import { dirname, join } from "node:path";
import { type Findings, TroubleError } from "../diagnostics/finding.js";
import { checkDialect } from "./check.js";
import { DISK, type Files } from "./files.js";
import { isJsonObject, type Json, type JsonObject, JsonSyntaxError, MAX_DEPTH, scanJson } from "./json.js";
import { mergePair } from "./pair.js";
import { tokens } from "./pointer.js";
import { positionAt, Source } from "./source.js";

/** Bytes of one bundle file that are read; a larger one is refused. */
export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;

/** A bundle that the dialect accepts. */
export interface Bundle {
  readonly root: JsonObject;
  /** The file; of a pair, the experimental one. */
  readonly source: Source;
  /** The manifest beside a lone file says that it is the experimental bundle, and it carries no stability mark. */
  readonly stableUnknown: boolean;
}

/**
 * Reads a bundle.
 * @param path a file, or a folder with `stable/` and `experimental/`
 * @returns nothing when an error was found
 * @throws {TroubleError} when the path cannot be read
 */
export function readBundle(path: string, findings: Findings, files: Files = DISK): Bundle | undefined {
  if (!files.isFolder(path))
    return finish(parseFile(path, findings, files), findings, saysExperimental(path, files));
  const stable = parseFile(bundleIn(join(path, "stable"), files), findings, files);
  const experimental = parseFile(bundleIn(join(path, "experimental"), files), findings, files);
  if (stable === undefined || experimental === undefined) return undefined;
  checkDialect(stable, findings);
  checkDialect(experimental, findings);
  if (findings.hasErrors) return undefined;
  const source = mergePair(stable, experimental, findings);
  return findings.hasErrors ? undefined : { root: source.value as JsonObject, source, stableUnknown: false };
}

/** Reads a bundle from a text; `path` names it in findings. Returns nothing when an error was found. */
export function parseBundle(text: string, path: string, findings: Findings): Bundle | undefined {
  return finish(parseText(text, path, findings), findings, false);
}

function finish(source: Source | undefined, findings: Findings, experimental: boolean): Bundle | undefined {
  if (source === undefined) return undefined;
  checkDialect(source, findings);
  if (findings.hasErrors || !isJsonObject(source.value)) return undefined;
  const stableUnknown =
    experimental && !source.text.includes('"x-msp-stability"') && !hasExperimentalList(source.value);
  return { root: source.value, source, stableUnknown };
}

function hasExperimentalList(root: JsonObject): boolean {
  return isJsonObject(root["capabilities"]) && Object.hasOwn(root["capabilities"], "experimental");
}

/** The one `*.schema.json` of a folder: where a pair has each of its bundles. */
export function bundleIn(folder: string, files: Files = DISK): string {
  let names: string[];
  try {
    names = files.list(folder).filter((name) => name.endsWith(".schema.json"));
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    throw new TroubleError(folder, error.why, "A folder given as schema holds stable/ and experimental/.");
  }
  if (names.length !== 1)
    throw new TroubleError(folder, `holds ${names.length} files named *.schema.json; expected one`);
  return join(folder, names[0]!);
}

function saysExperimental(path: string, files: Files): boolean {
  try {
    const text = files.read(join(dirname(path), "manifest.json")).toString("utf8");
    const manifest = JSON.parse(text) as unknown;
    return isJsonObject(manifest) && manifest["experimental"] === true;
  } catch {
    return false; // no manifest, or somebody else's file of that name
  }
}

/** Reads a JSON file; undefined when a finding says why not. */
export function parseFile(path: string, findings: Findings, files: Files = DISK): Source | undefined {
  const size = files.size(path);
  if (size > MAX_BUNDLE_BYTES) {
    findings.add("bundle-too-large", path, "", START, { bytes: size, limit: MAX_BUNDLE_BYTES });
    return undefined;
  }
  const bytes = files.read(path);
  const text = bytes.toString("utf8");
  if (!isUtf8(bytes)) {
    const readable = readablePart(bytes);
    const offset = Buffer.byteLength(readable);
    findings.add("invalid-utf8", path, "", positionAt(readable, readable.length), { offset });
    return undefined;
  }
  return parseText(text.startsWith("\ufeff") ? text.slice(1) : text, path, findings);
}

/** The text before the first byte that is not UTF-8. */
function readablePart(bytes: Buffer): string {
  const decode = (end: number): string =>
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end), {
      stream: true,
    });
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    try {
      decode(middle);
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return decode(low);
}

function parseText(text: string, path: string, findings: Findings): Source | undefined {
  if (text.trim() === "") {
    findings.add("bundle-empty", path, "", START, {});
    return undefined;
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
    if (isCanonical(text, value)) return new Source(path, text, value);
  } catch {
    value = null; // the scan below says where and why
  }
  try {
    const scan = scanJson(text);
    for (const { pointer, offset } of scan.duplicates) {
      const key = tokens(pointer).at(-1)!;
      findings.add("duplicate-key", path, pointer, positionAt(text, offset), { key });
    }
    return new Source(path, text, value, scan);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    findings.add("json-syntax", path, "", positionAt(text, error.offset), { problem: error.message });
    return undefined;
  }
}

/**
 * Whether writing the value again gives the text, so that no key can have stood in it twice.
 * It spares the scan for every file that a formatter wrote.
 */
function isCanonical(text: string, value: Json): boolean {
  const indent = /^[{[]\n( +)/.exec(text)?.[1]?.length ?? 0;
  if (indent === 0 || text.includes(`\n${" ".repeat(indent * MAX_DEPTH)}`)) return false;
  const again = JSON.stringify(value, null, indent);
  return (
    text === again || (text.length === again.length + 1 && text.endsWith("\n") && text.startsWith(again))
  );
}

const START = { line: 1, column: 1 };
