// The TypeScript of the documents compiles, under the project's own options. JSON blocks are JSON, or one value a line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { blocks, PROJECT } from "./pages.mjs";

/** The package's entry points, as their sources. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  return Object.fromEntries(
    Object.entries(exports).flatMap(([name, { types }]) =>
      types === undefined
        ? []
        : [[`mspkit${name.slice(1)}`, [types.replace("./dist/", "").replace(".d.ts", "")]]],
    ),
  );
}

function options() {
  const { compilerOptions } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...compilerOptions,
      lib: ["ES2023", "DOM"],
      module: "ESNext",
      moduleResolution: "Bundler",
      noEmit: true,
    },
    PROJECT,
  );
  return {
    ...options,
    typeRoots: [join(PROJECT, "node_modules/@types")],
    baseUrl: PROJECT,
    paths: entryPoints(),
  };
}

/** What does not compile of some modules that stand in docs/, by name. */
export function compileProblems(modules) {
  const settings = options();
  const texts = new Map(
    [...modules].map(([name, text]) => [join(PROJECT, "docs", name), `${text}\nexport {};\n`]),
  );
  const host = ts.createCompilerHost(settings);
  const real = { ...host };
  host.fileExists = (path) => texts.has(path) || real.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? real.readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? real.getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...texts.keys()], settings, host);
  // What they import is checked elsewhere.
  const diagnostics = [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...diagnostics].map(
    ({ file, start, messageText }) => {
      const place =
        file === undefined
          ? { name: "", line: 0 }
          : {
              name: file.fileName.replace(join(PROJECT, "docs/"), ""),
              line: file.getLineAndCharacterOfPosition(start ?? 0).line + 1,
            };
      return { ...place, message: ts.flattenDiagnosticMessageText(messageText, "\n") };
    },
  );
}

/** The blocks of some pages that do not compile, as problems, and how many were compiled. */
export function brokenSnippets(pages) {
  const modules = new Map();
  const places = new Map();
  const problems = [];
  let compiled = 0;
  for (const [page, text] of pages) {
    for (const { language, line, code } of blocks(text)) {
      if (language === "ts") {
        const name = `${page.replaceAll("/", "-")}.${line}.ts`;
        modules.set(name, code);
        places.set(name, { page, line });
        compiled++;
      } else if (language === "json" && !isJson(code))
        problems.push(`${page}:${line}: the block is not JSON`);
    }
  }
  for (const { name, line, message } of compileProblems(modules)) {
    const place = places.get(name);
    const where = place === undefined ? `${name}:${line}` : `${place.page}:${place.line + line - 1}`;
    problems.push(`${where}: ${message}`);
  }
  return { problems, compiled };
}

function isJson(code) {
  const parses = (text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  return parses(code) || code.trimEnd().split("\n").every(parses);
}
