/** TypeScript, as a user of the output meets it: checked in memory by 5.9, or by another version's own program. */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./repo.js";

/** One diagnostic. The line is 1-based; a diagnostic of the whole program has no file. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly code: number;
  readonly message: string;
}

/** What the output must satisfy wherever it is compiled. */
export const STRICT: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: [],
  noEmit: true,
  // The output's own .d.ts files are checked; TypeScript's library is not.
  skipLibCheck: false,
  skipDefaultLibCheck: true,
};

/** A folder that exists in memory only; every file of it is an ES module. */
const FOLDER = "/virtual-project";
const PACKAGE = `${FOLDER}/package.json`;
const libraries = new Map<string, ts.SourceFile | undefined>();

/** The packages that stand beside the output: what the arbitraries import, and what that imports. */
const PACKAGES = ["fast-check", "pure-rand"];

/** The real place of a file of such a package. */
function packagePath(path: string): string | undefined {
  const name = PACKAGES.find((known) => path.startsWith(`${FOLDER}/node_modules/${known}`));
  return name === undefined ? undefined : join(ROOT, path.slice(FOLDER.length));
}

/** A program over files in memory, by their names relative to one folder. */
export function programOf(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): ts.Program {
  const texts = new Map([[PACKAGE, '{ "type": "module" }']]);
  for (const [name, text] of Object.entries(files)) texts.set(`${FOLDER}/${name}`, text);
  const all = { ...STRICT, ...options };
  const real = ts.createCompilerHost(all);
  const host: ts.CompilerHost = {
    ...real,
    getCurrentDirectory: () => FOLDER,
    fileExists: (path) => texts.has(path) || ts.sys.fileExists(packagePath(path) ?? ""),
    directoryExists: (path) =>
      path === `${FOLDER}/node_modules` ||
      ts.sys.directoryExists(packagePath(path) ?? "") ||
      [...texts.keys()].some((name) => name.startsWith(`${path}/`)),
    getDirectories: () => [],
    realpath: (path) => path,
    readFile: (path) => texts.get(path) ?? ts.sys.readFile(packagePath(path) ?? ""),
    getSourceFile: (path, version, ...rest) => {
      const text = texts.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, version);
      if (!libraries.has(path)) {
        const from = packagePath(path);
        const found = from === undefined ? undefined : ts.sys.readFile(from);
        const file = found === undefined ? undefined : ts.createSourceFile(path, found, version);
        libraries.set(path, file ?? real.getSourceFile(path, version, ...rest));
      }
      return libraries.get(path);
    },
  };
  const roots = Object.keys(files).map((name) => `${FOLDER}/${name}`);
  return ts.createProgram(roots, all, host);
}

/** Every diagnostic of some files in memory. */
export function check(
  files: Readonly<Record<string, string>>,
  options: ts.CompilerOptions = {},
): readonly Problem[] {
  return ts.getPreEmitDiagnostics(programOf(files, options)).map(problemOf);
}

/** A diagnostic with its place. */
export function problemOf({ file, start, code, messageText }: ts.Diagnostic): Problem {
  return {
    file: file === undefined ? "" : file.fileName.replace(`${FOLDER}/`, ""),
    line: file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1,
    code,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  };
}

/** The words that an editor offers inside the string at the `|` of `program`, which stands beside `types.ts`. */
export function completionsOf(types: string, program: string): readonly string[] {
  const at = program.indexOf("|");
  const texts = new Map([
    [PACKAGE, '{ "type": "module" }'],
    [`${FOLDER}/types.ts`, types],
    [`${FOLDER}/program.ts`, program.slice(0, at) + program.slice(at + 1)],
  ]);
  const read = (path: string): string | undefined => texts.get(path) ?? ts.sys.readFile(path);
  const service = ts.createLanguageService({
    getCompilationSettings: () => STRICT,
    getCurrentDirectory: () => FOLDER,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => [...texts.keys()].filter((name) => name.endsWith(".ts")),
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(read(path) ?? ""),
    fileExists: (path) => texts.has(path) || ts.sys.fileExists(path),
    readFile: read,
  });
  const found = service.getCompletionsAtPosition(`${FOLDER}/program.ts`, at, undefined);
  return (found?.entries ?? []).map(({ name }) => name);
}

/** A module's JavaScript, by removing its types. */
export function erase(text: string): string {
  return ts.transpileModule(text, {
    compilerOptions: { ...STRICT, noEmit: false, module: ts.ModuleKind.ESNext },
    reportDiagnostics: false,
  }).outputText;
}

/** Puts what the arbitraries import beside the output in a folder. */
export function linkPackages(folder: string): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of PACKAGES)
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}

/** The packages that bring a compiler. */
export type Compiler = "typescript" | "typescript-5-4" | "typescript-7";

/** Runs a version's own `tsc`, in a folder, and tells its exit code and what it printed. */
export function tsc(
  compiler: Compiler,
  words: readonly string[],
  cwd: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const program = join(ROOT, "node_modules", compiler, "bin/tsc");
  return new Promise((resolve) => {
    const options = { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
    execFile(process.execPath, [program, ...words], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** Types for the programs of tests: whether two types are one and the same, as the compiler sees it. */
const SAME = `
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Not<T extends false> = T extends false ? true : never;
`;

/**
 * Compiles `program` beside the generated `types.ts` and tells what does not hold. A line that must not compile ends
 * in `// error CODE`; every other line must. `Same<A, B>` and `Not<T>` may be used.
 * @returns nothing when all holds
 */
export function mistakesOf(types: string, program: string): readonly string[] {
  const expected = program.split("\n").flatMap((line, i) => {
    const code = /\/\/ error (\d+)$/.exec(line)?.[1];
    return code === undefined ? [] : [`program.ts:${i + 1} ${code}`];
  });
  const found = check({ "types.ts": types, "program.ts": program + SAME });
  const key = ({ file, line, code }: Problem): string => `${file}:${line} ${code}`;
  return [
    ...found.filter((p) => !expected.includes(key(p))).map((p) => `${key(p)}: ${p.message}`),
    ...expected.filter((line) => !found.some((p) => key(p) === line)).map((line) => `${line}: compiles`),
  ];
}
