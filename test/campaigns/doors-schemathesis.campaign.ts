/**
 * Schemathesis against the OpenAPI document of the doors: random requests, valid and invalid, alone and in sequences, find no
 * error of the server and no answer that the document does not have.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/commands/app.js";
import { surfaceOf } from "../../src/doors/index.js";
import { SCHEMATHESIS, schemathesis } from "../doors/schemathesis/environment.js";
import { execute } from "../interop/environment.js";
import { openDoors, request, tokenOf } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

const found = await schemathesis();
const why = "why" in found ? found.why : undefined;
// In the name of what is skipped, and in the output: a run without it must not look like one with it.
if (why !== undefined) console.warn(`Schemathesis is skipped: ${why}`);
const { program } = found as { readonly program: string };

/** What of its report is looked at. */
interface Report {
  readonly operations: { readonly total: number; readonly tested: number; readonly errored: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly {
    readonly code: string;
    readonly title: string;
    readonly operations: readonly string[];
  }[];
  readonly errors: readonly unknown[];
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mspkit-schemathesis-"));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Runs it against doors; `edit` may poison the document. */
async function run(
  words: readonly string[],
  edit: (document: JsonObject) => JsonObject = (document) => document,
): Promise<{ readonly code: number; readonly stdout: string; readonly report: Report }> {
  const app = appOf();
  const at = await openDoors(app, {
    // So that what is answered is held to the schema of the command that was sent.
    commands: { identity: "checked", tables: app.bundle.tables as never },
    limits: { perSecond: 1_000_000, failuresPerMinute: 1_000_000 },
    onError: (error) => console.error(error),
  });
  const { json } = await request(at.openApiUrl);
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(edit(json)));
  cpSync(join(SCHEMATHESIS, "hooks.py"), join(folder, "hooks.py"));
  writeFileSync(
    join(folder, "schemathesis.toml"),
    `hooks = "hooks.py"\n[auth.openapi.bearer]\nbearer = "${tokenOf("orchard", "ann")}"\n`,
  );
  const { code, stdout } = await execute(
    program,
    [
      "run",
      ...["--url", at.url, "--checks", "all", "--exclude-checks", "object_level_authorization"],
      ...["--seed", "1", "--continue-on-failure", "--report", "json", "--report-json-path", "report.json"],
      ...words,
      "openapi.json",
    ],
    { cwd: folder },
  );
  return { code, stdout, report: JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Report };
}

describe.skipIf(why !== undefined)(`Schemathesis${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  test("finds no error of the server, and nothing that the document does not have", async () => {
    const { code, stdout, report } = await run(["--max-examples", "15"]);
    expect(report.failures, stdout.slice(-10_000)).toEqual([]);
    expect([code, report.errors]).toEqual([0, []]);
    const methods = surfaceOf(appOf()).methods.size;
    expect(report.operations).toMatchObject({ total: methods, tested: methods, errored: 0 });
    for (const phase of ["examples", "coverage", "fuzzing", "stateful"])
      expect([phase, report.phases[phase]?.status]).toEqual([phase, "success"]);
    expect(report.test_cases.generated).toBeGreaterThan(1_000);
  });

  test("finds a document that promises another answer", async () => {
    const { code, report } = await run(
      [
        "--phases",
        "examples,coverage",
        "--include-path",
        "/v1/event/list",
        "--include-path",
        "/v1/event/read",
      ],
      (document) => {
        const copy = JSON.parse(JSON.stringify(document)) as {
          paths: Record<string, { get: { responses: Record<string, unknown> } }>;
        };
        delete copy.paths["/v1/event/read"]!.get.responses["404"];
        (copy.paths["/v1/event/list"]!.get.responses["200"] as { content: object }).content = {
          "application/json": { schema: { type: "object", required: ["apples"] } },
        };
        return copy as unknown as JsonObject;
      },
    );
    expect(code).toBe(1);
    const operations = new Set(report.failures.flatMap((failure) => failure.operations));
    expect(operations).toEqual(new Set(["GET /v1/event/list", "GET /v1/event/read"]));
  });
});
