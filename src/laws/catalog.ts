/** All laws of a host, in the order in which they are tried. */
import type { AnyLaw } from "./law.js";
import { abandonedLaws } from "./laws/abandoned.js";
import { carrierLessLaws } from "./laws/carrier-less.js";
import { commandIdLaws } from "./laws/command-ids.js";
import { conflictLaws } from "./laws/conflicts.js";
import { crashLaws } from "./laws/crashes.js";
import { duplicateLaws } from "./laws/duplicates.js";
import { ephemeralLaws } from "./laws/ephemeral.js";
import { historyLaws } from "./laws/histories.js";
import { payloadLaws } from "./laws/payload.js";
import { queueLaws } from "./laws/queue.js";
import { replayLaws } from "./laws/replay.js";
import { stabilityLaws } from "./laws/stability.js";
import { steerLaws } from "./laws/steers.js";
import { toleranceLaws } from "./laws/tolerance.js";
import { transientLaws } from "./laws/transient.js";
import { turnLaws } from "./laws/turns.js";
import { twoHostLaws } from "./laws/two-hosts.js";
import { viewLaws } from "./laws/view.js";
import { wireLaws } from "./laws/wire.js";

/** See the top of the file. */
export const catalog: readonly AnyLaw[] = [
  ...replayLaws,
  ...conflictLaws,
  ...commandIdLaws,
  ...payloadLaws,
  ...transientLaws,
  ...duplicateLaws,
  ...carrierLessLaws,
  ...ephemeralLaws,
  ...crashLaws,
  ...abandonedLaws,
  ...turnLaws,
  ...steerLaws,
  ...queueLaws,
  ...twoHostLaws,
  ...historyLaws,
  ...viewLaws,
  ...stabilityLaws,
  ...toleranceLaws,
  ...wireLaws,
];
