/** Packages that a store needs, loaded when it is opened. */
import { MissingPackageError } from "../../../src/wire/missing-package.js";

/**
 * The module that an import gives.
 * @throws {MissingPackageError} where the package is not installed
 */
export async function loaded(name: string, load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load();
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw new MissingPackageError(name, error);
  }
}
