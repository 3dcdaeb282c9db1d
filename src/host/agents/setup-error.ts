/** Why an agent cannot be made of what it was given. */

/** `commandLine`: no program can be read from it. `agentScript`: the file does not say what turns do. */
export type AgentSetupErrorKind = "commandLine" | "agentScript";

const IS_AGENT_SETUP_ERROR = Symbol.for("mspkit.agentSetupError");

/** An agent that cannot be made. Told by `kind`. */
export class AgentSetupError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_AGENT_SETUP_ERROR] = true;
  readonly kind: AgentSetupErrorKind;
  /** Where: a JSON pointer into the file, empty for the whole of it; undefined for a command line. */
  readonly place: string | undefined;

  constructor(
    kind: AgentSetupErrorKind,
    message: string,
    options: ErrorOptions & { readonly place?: string } = {},
  ) {
    super(message, options);
    this.name = "AgentSetupError";
    this.kind = kind;
    this.place = options.place;
  }
}

/** Whether a value is an {@link AgentSetupError}. */
export function isAgentSetupError(value: unknown): value is AgentSetupError {
  return typeof value === "object" && value !== null && IS_AGENT_SETUP_ERROR in value;
}
