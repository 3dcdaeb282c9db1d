/** The schema as data, of the whole surface: what frames can have in them. */
import { existsSync, readFileSync } from "node:fs";

/** A schema node of the model. */
export interface ModelNode {
  readonly ref?: string;
  readonly types?: readonly string[];
  readonly members?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: ModelNode;
  }[];
  readonly items?: ModelNode;
  readonly additional?: ModelNode;
  readonly enum?: { readonly open: boolean; readonly values: readonly { readonly value: unknown }[] };
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly union?: { readonly arms: readonly ModelNode[] };
}

/** The part of `model.json` that is read. */
export interface Model {
  readonly methods: Readonly<Record<string, { readonly params?: string; readonly stability?: string }>>;
  readonly definitions: Readonly<Record<string, ModelNode>>;
}

let read: Model | undefined;

/** The model of MSP's whole surface. It stands beside the generated code, wherever this module was built to. */
export function mspModel(): Model {
  if (read !== undefined) return read;
  let folder = new URL("./", import.meta.url);
  const file = (): URL => new URL("generated/msp/experimental/model.json", folder);
  while (!existsSync(file())) {
    const parent = new URL("../", folder);
    if (parent.href === folder.href) throw new Error("the package has lost its model.json");
    folder = parent;
  }
  read = JSON.parse(readFileSync(file(), "utf8")) as Model;
  return read;
}
