/**
 * Prints products. Each emitter is loaded when its product is asked for, so that one product costs its own code only.
 */
import { type GeneratedFile, PRODUCT_FILES, type Product, type SurfacePlan } from "../plan/plan.js";

type Printer = (plan: SurfacePlan) => string;

/** The printers of each product, in the order of its files. */
const PRINTERS: Readonly<Record<Product, () => Promise<readonly Printer[]>>> = {
  types: async () => [(await import("./types/emit.js")).emitTypes],
  validators: async () => {
    const { emitValidators, emitValidatorTypes } = await import("./validators/emit.js");
    return [emitValidators, emitValidatorTypes];
  },
  tables: async () => {
    const { emitTables, emitTableTypes } = await import("./tables/emit.js");
    return [emitTables, emitTableTypes];
  },
  schema: async () => [(await import("./schema/emit.js")).emitSchema],
  model: async () => [(await import("./model/emit.js")).emitModel],
};

/** The files of some products of one surface. */
export async function emitProducts(
  plan: SurfacePlan,
  products: readonly Product[],
): Promise<GeneratedFile[]> {
  const out: GeneratedFile[] = [];
  for (const product of products) {
    const printers = await PRINTERS[product]();
    PRODUCT_FILES[product].files.forEach((name, i) => out.push({ product, name, text: printers[i]!(plan) }));
  }
  return out;
}
