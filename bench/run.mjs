// Measures mspkit against its peers and prints ratios beside their targets: npm run bench -- SUITE ...
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BENCH, ROOT } from "./lib/places.mjs";
import { printMeasurement, printVerdict } from "./lib/print.mjs";

const SUITES = [
  "codegen",
  "validators",
  "arbitraries",
  "wire",
  "fold",
  "ledger",
  "results",
  "host",
  "doors",
  "laws",
  "fuzz",
  "drift",
];
const USAGE = `npm run bench -- [${SUITES.join("|")}]... [--only NAME,...] [--json FILE]

  --only NAME,...   some measurements of the suites (their names stand in the tables)
  --json FILE       write every sample, the medians and the ratios to a file

Exit codes: 0 every ratio holds its target, 2 usage, 3 a measurement could not be made, 4 a ratio missed its target twice.
`;

process.exitCode = await main();

async function main() {
  let given;
  try {
    given = await readWords();
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (given === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), "mspkit-bench-"));
  try {
    setUp();
    return await run(given, scratch);
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    return 3;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function readWords() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: "string" }, json: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) return undefined;
  for (const suite of positionals) {
    if (!SUITES.includes(suite)) throw new Error(`there is no suite "${suite}"; known: ${SUITES.join(", ")}`);
  }
  const suites = positionals.length === 0 ? SUITES : SUITES.filter((suite) => positionals.includes(suite));
  const measurements = [];
  for (const suite of suites) {
    const { measurements: own } = await import(`./${suite}.mjs`);
    measurements.push(...own.map((measurement) => ({ suite, ...measurement })));
  }
  const only = values.only?.split(",") ?? measurements.map(({ name }) => name);
  for (const name of only) {
    if (!measurements.some((measurement) => measurement.name === name))
      throw new Error(`there is no measurement "${name}" in ${suites.join(" and ")}`);
  }
  return { measurements: measurements.filter(({ name }) => only.includes(name)), json: values.json };
}

/** Installs the peers unless they are there as the manifest pins them, and builds mspkit unless it is built. */
function setUp() {
  const { dependencies } = JSON.parse(readFileSync(join(BENCH, "package.json"), "utf8"));
  const installed = Object.entries(dependencies).every(([name, version]) => {
    const manifest = join(BENCH, "node_modules", name, "package.json");
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version;
  });
  if (!installed) {
    process.stderr.write("bench: installing the peers ...\n");
    const words = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    const npm = process.env.npm_execpath;
    const options = { cwd: BENCH, stdio: ["ignore", 2, "inherit"] };
    if (npm === undefined) execFileSync("npm", words, { ...options, shell: true });
    else execFileSync(process.execPath, [npm, ...words], options);
  }
  execFileSync(process.execPath, [join(ROOT, "scripts/setup.mjs")], {
    cwd: ROOT,
    stdio: ["ignore", 2, "inherit"],
  });
}

async function run({ measurements, json }, scratch) {
  const results = [];
  for (const measurement of measurements) {
    const result = await measureTwice(measurement, scratch);
    printMeasurement(measurement, result);
    results.push({ suite: measurement.suite, name: measurement.name, ...result });
  }
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ machine: machine(), results }, null, 2)}\n`);
  return printVerdict(results);
}

/** A machine that does something else for a moment spoils one run; what misses its target twice is worth a look. */
async function measureTwice({ name, measure }, scratch) {
  process.stderr.write(`bench: ${name} ...\n`);
  const first = await measure(scratch);
  if (first.ratios.every(({ holds }) => holds !== false)) return { ...first, again: false };
  process.stderr.write(`bench: ${name} missed a target; once more ...\n`);
  return { ...(await measure(scratch)), again: true, first: first.ratios };
}

function machine() {
  return { node: process.version, platform: process.platform, arch: process.arch };
}
