/** The examples in the documents compile. */
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { ROOT } from "../support/repo.js";
import { problemOf, STRICT } from "../support/typescript.js";
import { blocks, pages } from "./pages.js";

/** The problems of some modules that stand in docs/, by name. The package's entry points are its sources. */
function problems(modules: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    ...STRICT,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    resolveJsonModule: true,
    skipLibCheck: true,
    baseUrl: ROOT,
    paths: {
      "mspkit/codegen": ["codegen/index"],
      "mspkit/msp/*": ["generated/msp/*"],
    },
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const texts = new Map(
    [...modules].map(([name, text]) => [join(ROOT, "docs", name), `${text}\nexport {};\n`]),
  );
  const host = ts.createCompilerHost(options);
  const real = { ...host };
  host.fileExists = (path) => texts.has(path) || real.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? real.readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? real.getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const { file, line, message } = problemOf(diagnostic);
    return `${file.replace(join(ROOT, "docs/"), "")}:${line} ${message}`;
  });
}

test("every TypeScript block of the documents", () => {
  const modules = new Map<string, string>();
  for (const [page, text] of pages()) {
    for (const { line, code } of blocks(text, "ts")) {
      modules.set(`${page.replaceAll("/", "-")}.${line}.ts`, code);
    }
  }
  expect(modules.size).toBeGreaterThanOrEqual(6);
  expect(problems(modules)).toEqual([]);
});

test("a block that does not compile is seen", () => {
  const wrong =
    'import { methods } from "mspkit/msp/stable/tables";\nexport const x: "query" = methods["turn/start"].kind;';
  const missing = 'import { nothing } from "mspkit/codegen";';
  const found = problems(
    new Map([
      ["wrong.ts", wrong],
      ["missing.ts", missing],
    ]),
  );
  expect(found.map((line) => line.split(" ")[0])).toEqual(["missing.ts:1", "wrong.ts:2"]);
});
