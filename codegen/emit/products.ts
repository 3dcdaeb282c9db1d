/**
 * Prints products. Each emitter is loaded when its product is asked for, so that one product costs its own code only.
 */
import { CannotEmit } from "../diagnostics/finding.js";
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
};

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
    const print = await PRINTERS[product]();
    try {
      for (const [name, text] of Object.entries(print(plan))) out.push({ product, name, text });
    } catch (error) {
      if (error instanceof CannotEmit) error.product = product;
      throw error;
    }
  }
  return out;
}
