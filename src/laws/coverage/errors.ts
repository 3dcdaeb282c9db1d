/** Which errors a client can get out of a host, and why the others do not count against a run. */
import type { ErrorName } from "../../../generated/msp/experimental/server.js";
import type { MethodName } from "../../../generated/msp/experimental/types.js";

/** Where an error comes from: any request, some methods, or nothing that one client can do. */
export type Source = "any" | readonly MethodName[] | { readonly unreachable: string };

const CAPACITY = "needs a capacity to be used up, and each host chooses its own";
const NOWHERE = "no method is said to answer it";
const NEIGHBOUR = "needs a second host on the same store";
const STORE = "needs a store that somebody else has changed";
const OUTSIDE = "is decided by what is outside of the host: a service, a platform, an administrator";

/** By kind, in the order of the registry; kinds that override another follow it. */
export const errorSources: Readonly<Record<ErrorName, Source>> = {
  parseError: "any",
  invalidRequest: "any",
  notInitialized: "any",
  alreadyInitialized: "any",
  methodNotFound: "any",
  experimentalRequired: "any",
  invalidParams: "any",
  internal: { unreachable: "is a failure of the host itself: that it is answered is a finding" },
  pageEventTooLarge: { unreachable: "needs an event that is larger than a frame may be" },
  outputResultTooLarge: { unreachable: "needs an output that is larger than a frame may be" },
  overloaded: { unreachable: CAPACITY },
  inputTooLarge: "any",
  capabilityRequired: ["session/start", "session/userShell", "turn/start", "feedback/submit"],
  notFound: ["view/page", "view/subscribe", "item/readOutput"],
  interrupted: { unreachable: NOWHERE },
  cancelled: { unreachable: NOWHERE },
  sessionNotFound: ["session/resume", "session/read", "turn/start"],
  sessionInUse: { unreachable: NEIGHBOUR },
  sessionAmbiguous: { unreachable: STORE },
  forkBoundaryInvalid: ["session/fork"],
  sessionNotLoaded: ["session/leave"],
  sessionStreamMismatch: { unreachable: STORE },
  limitsAboveMax: ["host/readLimits"],
  workspaceNotTrusted: { unreachable: OUTSIDE },
  commandRejected: ["session/start", "turn/start", "turn/interrupt", "turn/cancel", "turn/unqueue"],
  backpressured: { unreachable: CAPACITY },
  skillNotFound: ["turn/start"],
  computerUseUnavailable: { unreachable: OUTSIDE },
  marketplaceNotFound: ["plugin/install", "plugin/marketplaceRemove", "plugin/marketplaceUpdate"],
  pluginNotFound: ["plugin/install"],
  marketplaceAlreadyExists: ["plugin/marketplaceAdd"],
  pluginMutationsDisabled: { unreachable: OUTSIDE },
  uploadNotFound: ["turn/start"],
  viewTruncated: { unreachable: `${CAPACITY}: of events that it keeps` },
  outputUnavailable: ["item/readOutput"],
  boundaryPruned: { unreachable: `${CAPACITY}: of events that it keeps` },
  boundaryUnusable: { unreachable: "needs a compaction whose place cannot be read from" },
  noBoundary: ["view/page"],
  approvalNotFound: ["approval/decide"],
  approvalAlreadyResolved: ["approval/decide"],
  approvalChoiceInvalid: ["approval/decide"],
  approvalRequirementStale: ["approval/decide"],
  approvalReviewerUnavailable: { unreachable: OUTSIDE },
  userInputNotFound: ["userInput/answer", "userInput/cancel", "userInput/clarify", "userInput/interrupt"],
  userInputAlreadySettled: [
    "userInput/answer",
    "userInput/cancel",
    "userInput/clarify",
    "userInput/interrupt",
  ],
  userInputAnswerInvalid: ["userInput/answer"],
  missingAnchor: ["log/subscribe"],
  prunedPrefix: { unreachable: CAPACITY },
  wrongStream: ["log/subscribe"],
  unknownStream: ["log/page", "log/subscribe"],
  unknownProjection: ["projection/read"],
  admissionNotFound: ["admission/decide"],
  admissionAlreadyResolved: { unreachable: OUTSIDE },
  admissionChoiceInvalid: { unreachable: OUTSIDE },
  usageRefreshRateLimited: { unreachable: OUTSIDE },
  usageRefreshUnavailable: { unreachable: OUTSIDE },
  usageRefreshFailed: { unreachable: OUTSIDE },
};
