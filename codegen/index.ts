/**
 * The public surface of `mspkit/codegen`: everything that it exports is listed here.
 */
export { formatBundle } from "./bundle/format.js";
export type { Json, JsonObject } from "./bundle/json.js";
export { DIALECT, type JsonType } from "./bundle/keywords.js";
export { type Bundle, MAX_BUNDLE_BYTES, parseBundle, readBundle } from "./bundle/read.js";
export { type Position, Source } from "./bundle/source.js";
export { CONFIG_FILE, type Config, readConfig, reportUnusedExcuses, ruleSettings } from "./config.js";
export { isRuleId, type Rule, type RuleId, rules, type Severity } from "./diagnostics/catalog.js";
export {
  type Excuse,
  type Finding,
  Findings,
  type RuleSettings,
  TroubleError,
} from "./diagnostics/finding.js";
export { OUTPUT_FORMAT } from "./emit/header.js";
export { emitProducts } from "./emit/products.js";
export { type Fingerprint, fingerprintOf } from "./fingerprint/fingerprint.js";
export {
  GENERATE_COMMAND,
  type GeneratedSurface,
  type GenerateOptions,
  type GenerateResult,
  generate,
  planSurface,
} from "./generate.js";
export { type Loaded, loadSchema, loadSchemaText, surfaceOf } from "./load.js";
export { type Branch, type Category, type Dispatch, dispatchOf } from "./model/dispatch.js";
export { type Gate, gatesOf } from "./model/gates.js";
export { project } from "./model/project.js";
export type * from "./model/protocol.js";
export { type Difference, isCurrent } from "./output/output.js";
export { type GeneratedFile, PRODUCTS, type Product, SURFACES, type SurfacePlan } from "./plan/plan.js";
