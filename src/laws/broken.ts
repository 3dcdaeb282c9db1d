/** What the trial of a law can end with, beside nothing. */

const IS_LAW_BROKEN = Symbol.for("mspkit.lawBroken");

/** A promise that a host has not kept. */
export class LawBroken extends Error {
  readonly [IS_LAW_BROKEN] = true;
  override readonly name = "LawBroken";
  readonly kind = "lawBroken";
  /** The law; undefined: the one that is being tried. */
  readonly law: string | undefined;
  /** What was seen, for people: plain JSON. */
  readonly details: unknown;

  constructor(what: string, details?: unknown, law?: string) {
    super(what);
    this.law = law;
    this.details = details;
  }
}

/** Whether a value is a {@link LawBroken}. */
export function isLawBroken(value: unknown): value is LawBroken {
  return typeof value === "object" && value !== null && IS_LAW_BROKEN in value;
}

const IS_CASE_VOID = Symbol.for("mspkit.caseVoid");

/** A case that came to nothing: it says neither that a promise is kept nor that it is broken. */
export class CaseVoid extends Error {
  readonly [IS_CASE_VOID] = true;
  override readonly name = "CaseVoid";
  readonly kind = "caseVoid";
}

/** Whether a value is a {@link CaseVoid}. */
export function isCaseVoid(value: unknown): value is CaseVoid {
  return typeof value === "object" && value !== null && IS_CASE_VOID in value;
}
