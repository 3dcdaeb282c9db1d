/**
 * Every promise that the protocol makes of commands, turns, goals, sessions, errors and stability, with what holds hosts
 * to it: laws, tests of this project, or the reason why nothing does.
 */
import { errorPromises } from "./promises/errors.js";
import { ledgerPromises } from "./promises/ledger.js";
import { methodPromises } from "./promises/methods.js";
import type { PromiseRow } from "./promises/row.js";
import { sessionPromises } from "./promises/sessions.js";
import { turnPromises } from "./promises/turns.js";

export type { Cover, PromiseRow } from "./promises/row.js";

/** See the top of the file; by section. */
export const promises: readonly PromiseRow[] = [
  ...methodPromises,
  ...turnPromises,
  ...sessionPromises,
  ...ledgerPromises,
  ...errorPromises,
];
