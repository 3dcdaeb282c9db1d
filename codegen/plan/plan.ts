/**
 * What is written, decided before anything is printed: products, their files, what they stand on.
 */
import type { Fingerprint } from "../fingerprint/fingerprint.js";
import type { Protocol, Surface } from "../model/protocol.js";

/** The surfaces, in the order in which they are written. */
export const SURFACES: readonly Surface[] = ["stable", "experimental"];

/** The products, in the order in which they are made. */
export const PRODUCTS = ["types", "validators", "tables", "schema", "model"] as const;
/** One of them. */
export type Product = (typeof PRODUCTS)[number];

/** The files of each product, and the products whose files they refer to. */
export const PRODUCT_FILES: Readonly<
  Record<Product, { readonly files: readonly string[]; readonly needs: readonly Product[] }>
> = {
  types: { files: ["types.ts"], needs: [] },
  validators: { files: ["validators.js", "validators.d.ts"], needs: ["types"] },
  tables: { files: ["tables.js", "tables.d.ts"], needs: [] },
  schema: { files: ["schema.json"], needs: [] },
  model: { files: ["model.json"], needs: [] },
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
  readonly product: Product;
  /** Its name in the folder of its surface. */
  readonly name: string;
  readonly text: string;
}

/** The products that were asked for and those that they refer to, in order. */
export function withNeeds(products: readonly Product[]): Product[] {
  const wanted = new Set<Product>();
  const add = (product: Product): void => {
    for (const needed of PRODUCT_FILES[product].needs) add(needed);
    wanted.add(product);
  };
  products.forEach(add);
  return PRODUCTS.filter((product) => wanted.has(product));
}
