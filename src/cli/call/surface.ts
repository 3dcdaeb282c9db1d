/**
 * The generated code of MSP that a call is held to: the tables of all there is, the validators of one surface.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Surface } from "../../../codegen/model/protocol.js";
import type { CallValidators, Validate } from "../../transcripts/bundle.js";
import { importFile } from "../module.js";
import { packageRoot } from "../package.js";

/** A member of params that is experimental (`descriptor`) or needs a capability. `*` in `path` stands for any name. */
export interface Gate {
  readonly path: string;
  readonly descriptor?: string;
  readonly capability?: string;
}

/** What is experimental carries both. */
interface Marked {
  readonly stability?: "experimental";
  readonly descriptor?: string;
}

/** A method in the tables. */
export interface MethodRow extends Marked {
  readonly kind: string;
  readonly commandId: "none" | "required" | "optional";
  /** Undefined where it takes none. */
  readonly params?: string;
  readonly capability?: string;
  readonly gates?: readonly Gate[];
}

/** The generated code of MSP, as far as a call looks at it. */
export interface CallSurface {
  readonly surface: Surface;
  /** Of the experimental surface, which has all there is. */
  readonly tables: {
    readonly methods: Readonly<Record<string, MethodRow>>;
    readonly notifications: Readonly<Record<string, Marked & { readonly direction: string }>>;
    readonly requests: Readonly<Record<string, Marked>>;
    readonly errors: Readonly<Record<string, { readonly code: number; readonly retryable?: boolean }>>;
  };
  /** Of the surface that was asked for. */
  readonly validators: {
    readonly methods: Readonly<Record<string, CallValidators>>;
    readonly notifications: Readonly<Record<string, Validate | undefined>>;
    readonly requests: Readonly<Record<string, CallValidators>>;
    readonly errors: Readonly<Record<string, Validate>>;
  };
}

/** Loads the tables, and the validators of a surface. */
export async function loadCallSurface(surface: Surface): Promise<CallSurface> {
  const load = (file: string): Promise<unknown> =>
    importFile(pathToFileURL(join(packageRoot(), "dist", "generated", "msp", file)).href);
  const [tables, validators] = await Promise.all([
    load("experimental/tables.js"),
    load(`${surface}/validators.js`),
  ]);
  return { surface, tables, validators } as CallSurface;
}

/** An entry of a table by its own name: what every object inherits is none. */
export function entry<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The names of a table that a surface has. */
export function namesOn(surface: Surface, table: Readonly<Record<string, Marked>>): string[] {
  return Object.keys(table).filter(
    (name) => surface === "experimental" || table[name]?.stability === undefined,
  );
}
