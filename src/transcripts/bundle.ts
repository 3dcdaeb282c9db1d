/**
 * The generated code that transcripts are checked against, as far as the check looks at it.
 */
import { readFileSync } from "node:fs";

/** One reason why a value is refused. */
export interface Violation {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly message: string;
}

/** A generated validator. */
export type Validate = (value: unknown, options: { readonly all: true }) => readonly Violation[] | null;

/** The validators of what asks for an answer. */
export interface CallValidators {
  readonly params?: Validate | undefined;
  readonly result: Validate;
}

/** A schema node of `model.json`. */
export interface ModelNode {
  readonly ref?: string;
  readonly carries?: string;
  readonly enum?: { readonly open: boolean; readonly values: readonly { readonly value: unknown }[] };
  readonly members?: readonly { readonly name: string; readonly schema: ModelNode }[];
  readonly additional?: ModelNode;
  readonly items?: ModelNode;
  readonly union?: {
    readonly arms: readonly ModelNode[];
    readonly dispatch?: readonly ModelBranch[];
  };
}

/** How a value selects the arm of a union. */
export interface ModelBranch {
  readonly kind: string;
  readonly categories: readonly string[];
  readonly arm?: number;
  readonly tag?: string;
  readonly cases?: readonly { readonly value: string; readonly arm: number }[];
  readonly otherwise?: number;
}

/** A definition of `model.json`. */
export interface ModelDefinition extends ModelNode {
  readonly role?: string;
}

/** Names of what a message carries. */
interface MessageRow {
  readonly params?: string;
  readonly result?: string;
}

/** A surface of a protocol: its generated tables, validators and model. */
export interface Bundle {
  readonly tables: {
    readonly protocol: { readonly fingerprints: { readonly stable: string } };
    readonly rejections: Readonly<Record<string, unknown>>;
  };
  readonly validators: {
    readonly definitions: Readonly<Record<string, Validate>>;
    readonly methods: Readonly<Record<string, CallValidators>>;
    readonly requests: Readonly<Record<string, CallValidators>>;
    readonly notifications: Readonly<Record<string, Validate | undefined>>;
  };
  readonly model: {
    readonly methods: Readonly<Record<string, MessageRow>>;
    readonly requests: Readonly<Record<string, MessageRow>>;
    readonly notifications: Readonly<Record<string, MessageRow & { readonly direction: string }>>;
    readonly errors: Readonly<
      Record<string, { readonly code: number; readonly overrideKinds: readonly string[] }>
    >;
    readonly definitions: Readonly<Record<string, ModelDefinition>>;
  };
}

/** Where a bundle is and how its modules are loaded. */
export interface BundleSource {
  /** The folder with `tables.js`, `validators.js` and `model.json`; with a slash at its end. */
  readonly folder: URL;
  readonly importModule: (href: string) => Promise<unknown>;
}

/** The generated code of MSP's whole surface, beside this module. */
const MSP: BundleSource = {
  folder: new URL("../../generated/msp/experimental/", import.meta.url),
  importModule: (href) => import(href) as Promise<unknown>,
};

/** The generated code of a folder; MSP's whole surface unless another is named. */
export async function loadBundle({ folder, importModule }: BundleSource = MSP): Promise<Bundle> {
  const [tables, validators] = await Promise.all(
    ["tables.js", "validators.js"].map((name) => importModule(new URL(name, folder).href)),
  );
  const model = JSON.parse(readFileSync(new URL("model.json", folder), "utf8")) as unknown;
  return { tables, validators, model } as Bundle;
}
