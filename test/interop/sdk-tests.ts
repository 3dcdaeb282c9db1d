/** The tests of the SDK's source distribution: where they expect to lie, and what became of each. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasReference, REFERENCE, ROOT } from "../support/repo.js";
import { type Environment, execute, INTEROP } from "./environment.js";

const TRANSCRIPTS = "schema/msp/transcripts";

/** The end of one test. */
export interface TestEnd {
  readonly file: string;
  readonly name: string;
  readonly end: "passed" | "failed" | "skipped";
}

/** A folder laid out as the SDK's repository is, as far as its tests look at it. */
export class SdkTests {
  /** The names of the recordings that it has. */
  readonly recordings: readonly string[];
  readonly #environment: Environment;
  readonly #folder = mkdtempSync(join(tmpdir(), "mspkit-interop-"));

  constructor(environment: Environment) {
    this.#environment = environment;
    const home = this.#home;
    cpSync(environment.sdk, home, { recursive: true });
    for (const helper of ["helpers_connection.py", "helpers_host_lifetime.py"]) {
      if (existsSync(join(home, "tests", helper)))
        throw new Error(`the distribution has its own ${helper} now`);
      cpSync(join(INTEROP, helper), join(home, "tests", helper));
    }
    const recordings = join(this.#folder, TRANSCRIPTS);
    mkdirSync(recordings, { recursive: true });
    // Some tests know what exactly is in a recording of the reference: theirs, where both have a name.
    cpSync(join(ROOT, TRANSCRIPTS), recordings, { recursive: true });
    if (hasReference) {
      for (const name of readdirSync(join(REFERENCE, "transcripts"))) {
        rmSync(join(recordings, name), { recursive: true, force: true });
        cpSync(join(REFERENCE, "transcripts", name), join(recordings, name), { recursive: true });
      }
    }
    this.recordings = readdirSync(recordings);
  }

  get #home(): string {
    return join(this.#folder, "clients/sdk-py");
  }

  /** Runs files, or single tests as `file::test`, against a canned host. */
  async run(host: string, selection: readonly string[]): Promise<readonly TestEnd[]> {
    const report = join(this.#folder, "report.xml");
    rmSync(report, { force: true });
    const words = ["-m", "pytest", "--quiet", "--tb=no", "-p", "no:cacheprovider", `--junitxml=${report}`];
    const { stdout, stderr } = await execute(
      this.#environment.python,
      [...words, ...selection.map((one) => `tests/${one}`)],
      { cwd: this.#home, env: { MUSE_CONFORMANCE_BIN: host } },
    );
    if (!existsSync(report)) throw new Error(`pytest made no report:\n${stdout}\n${stderr}`);
    return [...testEnds(readFileSync(report, "utf8"))];
  }

  /** Takes the folder away. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How many tests ended how, and the names of those that failed. */
export function summary(ends: readonly TestEnd[]): {
  passed: number;
  skipped: number;
  failed: readonly string[];
} {
  return {
    passed: ends.filter(({ end }) => end === "passed").length,
    skipped: ends.filter(({ end }) => end === "skipped").length,
    failed: ends.filter(({ end }) => end === "failed").map(({ name }) => name),
  };
}

/** Reads the tests of a JUnit report. Values of attributes have no `>` in them: they are escaped. */
export function* testEnds(report: string): Generator<TestEnd> {
  for (const [, attributes = "", body = ""] of report.matchAll(
    /<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs,
  )) {
    const attribute = (name: string): string =>
      new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    // A file that cannot be loaded is a test without a class.
    const path = attribute("classname") || attribute("name");
    const failed = /<(?:failure|error)\b/.test(body);
    yield {
      file: path.split(".")[1] ?? path,
      name: attribute("name"),
      end: failed ? "failed" : /<skipped\b/.test(body) ? "skipped" : "passed",
    };
  }
}
