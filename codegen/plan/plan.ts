/**
 * What is written, decided before anything is printed: products, their files, what they stand on.
 */
import type { Fingerprint } from "../fingerprint/fingerprint.js";
import type { Protocol, Surface } from "../model/protocol.js";

/** The surfaces, in the order in which they are written. */
export const SURFACES: readonly Surface[] = ["stable", "experimental"];

/** The products, in the order in which they are made. */
export const PRODUCTS = [
  "types",
  "validators",
  "tables",
  "schema",
  "model",
  "client",
  "server",
  "arbitraries",
  "reference",
  "openrpc",
] as const;
/** One of them. */
export type Product = (typeof PRODUCTS)[number];

/** The products whose files each product refers to. */
export const PRODUCT_NEEDS: Readonly<Record<Product, readonly Product[]>> = {
  types: [],
  validators: ["types"],
  tables: [],
  schema: [],
  model: [],
  client: ["types"],
  server: ["types", "validators", "tables"],
  arbitraries: ["types"],
  reference: [],
  openrpc: [],
};

/** Everything that the emitters of one surface may know. */
export interface SurfacePlan {
  readonly protocol: Protocol;
  /** The fingerprint of this surface. */
  readonly fingerprint: string;
  /** The fingerprints of both surfaces. */
  readonly fingerprints: Readonly<Record<Surface, Fingerprint>>;
  /** The command that a reader of a generated file should run. */
  readonly command: string;
}

/** One generated file. */
export interface GeneratedFile {
  /** The product, or the name of an emitter that is not ours. */
  readonly product: string;
  /** Its path in the folder of its surface, with forward slashes. */
  readonly name: string;
  readonly text: string;
}

/** The products that were asked for and those that they refer to, in order. */
export function withNeeds(products: readonly Product[]): Product[] {
  const wanted = new Set<Product>();
  const add = (product: Product): void => {
    for (const needed of PRODUCT_NEEDS[product]) add(needed);
    wanted.add(product);
  };
  products.forEach(add);
  return PRODUCTS.filter((product) => wanted.has(product));
}
