/** The law kit: what every host of the protocol promises, put to the test on any host. Needs fast-check. */
export {
  type Ability,
  type CrashPoint,
  type Driver,
  DriverError,
  type DriverErrorKind,
  type HostExit,
  type HostPlace,
  isDriverError,
  type Prompts,
  type RunningHost,
} from "./driver/driver.js";
export {
  type InProcessDriver,
  type InProcessHost,
  type InProcessOptions,
  inProcessDriver,
} from "./driver/in-process.js";
export { type OpenedDriver, type OpenOptions, openDriver } from "./driver/open.js";
export { SCRIPTED_PROMPTS } from "./driver/prompts.js";
export type { Finding, FindingKind } from "./fuzz/finding.js";
export type { FrameKind, FuzzCase, FuzzFrame, Opening } from "./fuzz/frame.js";
export { type FuzzOptions, type FuzzReport, fuzz } from "./fuzz/fuzz.js";
export { isLawBroken, LawBroken, type LawLevel, type Verdict } from "./law.js";
export { FORMATS, type ReportFormat } from "./report/formats.js";
export type { BrokenRow, LawRow, LawsReport } from "./report/report.js";
export {
  type Checked,
  type CheckOptions,
  type HostLaw,
  isLawInconclusive,
  LawInconclusive,
  laws,
} from "./run/host-laws.js";
export { type EmbeddedHost, type EmbeddedOptions, embeddedDriver } from "./simulation/embedded.js";
