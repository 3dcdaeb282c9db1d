/**
 * The product `validators`: a JavaScript module without imports and without run-time code generation, and its
 * declarations.
 */
import type { Protocol } from "../../model/protocol.js";
import { propertyKey, quote, typeName, validatorName } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { scriptHeader } from "../header.js";
import { literalKey } from "../literal.js";
import { Compiler } from "./compiler.js";
import { RUNTIME } from "./runtime.js";

/** The text of `validators.js`. */
export function emitValidators(plan: SurfacePlan): string {
  const { protocol } = plan;
  const compiler = new Compiler(protocol.definitions);
  const functions = compiler.compile();
  let text = scriptHeader(plan) + RUNTIME + functions;
  for (const name of protocol.definitions.keys()) {
    text += `export const ${validatorName(name)}=(v,o)=>${compiler.verdict(name, "v")}?null:E(${compiler.functionOf(name)},v,o);\n`;
  }
  for (const { name, doc: _, entries } of groups(protocol)) {
    text += `export const ${name}={\n${entries.map(({ key, parts }) => `${literalKey(key)}:${expressionOf(parts)},\n`).join("")}};\n`;
  }
  return `${text}export const is=(validate,value)=>validate(value)===null;\n`;
}

/** The text of `validators.d.ts`. */
export function emitValidatorTypes(plan: SurfacePlan): string {
  const { protocol } = plan;
  const names = [...protocol.definitions.keys()];
  let text = scriptHeader(plan);
  if (names.length > 0)
    text += `import type {\n${names.map((name) => `  ${typeName(name)},\n`).join("")}} from "./types.js";\n\n`;
  text += DECLARATIONS;
  for (const name of names)
    text += `export declare const ${validatorName(name)}: Validate<${typeName(name)}>;\n`;
  for (const { name, doc, entries } of groups(protocol)) {
    text += `\n/** ${doc} */\nexport declare const ${name}: {\n`;
    for (const { key, parts } of entries) text += `  readonly ${propertyKey(key)}: ${typeOf(parts)};\n`;
    text += "};\n";
  }
  return text;
}

const DECLARATIONS = `/** One reason why a value is refused. */
export interface Violation {
  /** JSON Pointer of the part of the value that is wrong; of the object, where a member is missing. */
  readonly instanceLocation: string;
  /** The schema keyword that it breaks; \`depth\` where it nests too deep to be checked. */
  readonly keyword: string;
  /** What the part must be. */
  readonly message: string;
}

/**
 * Checks a JSON value: null when it is valid, else the first violation, or every one with \`{ all: true }\`.
 * A member whose value is \`undefined\` counts as absent, as in \`JSON.stringify\`.
 */
export interface Validate<T> {
  (value: unknown, options?: { readonly all?: boolean }): readonly Violation[] | null;
  /** Never there; it carries the type to {@link is}. */
  readonly $type?: T;
}

/** Whether a value is valid, as a type guard. */
export declare function is<T>(validate: Validate<T>, value: unknown): value is T;

`;

/** The definition whose validator stands somewhere; undefined where there is no value to check. */
type Target = string | undefined;

interface Group {
  readonly name: string;
  readonly doc: string;
  readonly entries: readonly {
    readonly key: string;
    readonly parts: Target | Readonly<Record<string, Target>>;
  }[];
}

/** The tables by which a validator is found. */
function groups(protocol: Protocol): Group[] {
  const calls = (entries: readonly { name: string; params?: string; result: string }[]): Group["entries"] =>
    entries.map(({ name, params, result }) => ({ key: name, parts: { params, result } }));
  return [
    {
      name: "definitions",
      doc: "The validator of each definition, by the name that the schema gives it.",
      entries: [...protocol.definitions.keys()].map((name) => ({ key: name, parts: name })),
    },
    {
      name: "methods",
      doc: "The validators of each method; no `params` where it takes none.",
      entries: calls(protocol.methods),
    },
    {
      name: "requests",
      doc: "The validators of each request that the host sends.",
      entries: calls(protocol.requests),
    },
    {
      name: "notifications",
      doc: "The validator of each notification's params; undefined where it has none.",
      entries: protocol.notifications.map(({ name, params }) => ({ key: name, parts: params })),
    },
    {
      name: "errors",
      doc: "The validator of the data of each error, by its kind.",
      entries: protocol.errors.map(({ kind }) => ({ key: kind, parts: protocol.errorData })),
    },
  ];
}

function expressionOf(parts: Target | Readonly<Record<string, Target>>): string {
  if (parts === undefined) return "undefined";
  if (typeof parts === "string") return validatorName(parts);
  return `{${Object.entries(parts)
    .flatMap(([key, target]) => (target === undefined ? [] : [`${key}:${validatorName(target)}`]))
    .join(",")}}`;
}

function typeOf(parts: Target | Readonly<Record<string, Target>>): string {
  if (parts === undefined) return "undefined";
  if (typeof parts === "string") return `Validate<${typeName(parts)}>`;
  return `{ ${Object.entries(parts)
    .map(
      ([key, target]) =>
        `readonly ${quote(key).slice(1, -1)}${target === undefined ? "?: undefined" : `: Validate<${typeName(target)}>`}`,
    )
    .join("; ")} }`;
}
