/**
 * Prints products. Each emitter is loaded when its product is asked for, so that one product costs its own code only.
 */
import { CannotEmit, TroubleError } from "../diagnostics/finding.js";
import type { GeneratedFile, Product, SurfacePlan } from "../plan/plan.js";

/** Prints the files of one product: their texts by path in the folder of the surface. */
export type Printer = (plan: SurfacePlan) => Readonly<Record<string, string>>;

const PRINTERS: Readonly<Record<Product, () => Promise<Printer>>> = {
  types: async () => {
    const { emitTypes } = await import("./types/emit.js");
    return (plan) => ({ "types.ts": emitTypes(plan) });
  },
  validators: async () => {
    const { emitValidators, emitValidatorTypes } = await import("./validators/emit.js");
    return (plan) => ({ "validators.js": emitValidators(plan), "validators.d.ts": emitValidatorTypes(plan) });
  },
  tables: async () => {
    const { emitTables, emitTableTypes } = await import("./tables/emit.js");
    return (plan) => ({ "tables.js": emitTables(plan), "tables.d.ts": emitTableTypes(plan) });
  },
  schema: async () => {
    const { emitSchema } = await import("./schema/emit.js");
    return (plan) => ({ "schema.json": emitSchema(plan) });
  },
  model: async () => {
    const { emitModel } = await import("./model/emit.js");
    return (plan) => ({ "model.json": emitModel(plan) });
  },
  client: async () => (await import("./client/emit.js")).emitClient,
  server: async () => (await import("./server/emit.js")).emitServer,
  arbitraries: async () => (await import("./arbitraries/emit.js")).emitArbitraries,
  reference: async () => (await import("./reference/emit.js")).emitReference,
  openrpc: async () => (await import("./openrpc/emit.js")).emitOpenrpc,
};

/** A printer; some stand on a package that not everyone has installed. */
async function loadPrinter(product: Product): Promise<Printer> {
  try {
    return await PRINTERS[product]();
  } catch (error) {
    const missing = /Cannot find (?:package|module) '(ts-morph)'/.exec((error as Error).message)?.[1];
    if (missing === undefined) throw error;
    throw new TroubleError(
      product,
      `needs ${missing}, which is not installed`,
      `npm install --save-dev ${missing}`,
    );
  }
}

/**
 * The files of some products of one surface.
 * @throws {CannotEmit} when a product cannot be made of some node
 */
export async function emitProducts(
  plan: SurfacePlan,
  products: readonly Product[],
): Promise<GeneratedFile[]> {
  const out: GeneratedFile[] = [];
  for (const product of products) {
    const print = await loadPrinter(product);
    try {
      for (const [name, text] of Object.entries(print(plan))) out.push({ product, name, text });
    } catch (error) {
      if (error instanceof CannotEmit) error.product = product;
      throw error;
    }
  }
  return out;
}
