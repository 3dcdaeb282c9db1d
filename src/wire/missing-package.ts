/** Packages that are loaded when they are used, and may not be there. */

/** A package that is needed and not installed. Told by `kind`. */
export class MissingPackageError extends Error {
  readonly kind = "packageMissing";
  readonly package: string;

  constructor(name: string, cause: unknown) {
    super(`the package ${name} is needed: npm install ${name}`, { cause });
    this.name = "MissingPackageError";
    this.package = name;
  }
}
