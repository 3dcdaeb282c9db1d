/** What a command is carried out with. */
import type { CommandContext, Fence } from "./app.js";
import type { Claim, CommandResults } from "./results.js";

/** See {@link CommandContext}. What few commands use is made when it is asked for. */
export class ClaimContext implements CommandContext {
  readonly #claim: Claim;
  #controller: AbortController | undefined;
  #over = false;

  constructor(claim: Claim) {
    this.#claim = claim;
  }

  get commandId(): string {
    return this.#claim.key.commandId;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#over) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Nobody may settle the command any more. */
  abort(): void {
    this.#over = true;
    this.#controller?.abort();
  }
}

/** The same where effects can be kept beside the results. */
class FencedContext extends ClaimContext {
  readonly #make: () => Fence;
  #fence: Fence | undefined;

  constructor(claim: Claim, make: () => Fence) {
    super(claim);
    this.#make = make;
  }

  get fence(): Fence {
    return (this.#fence ??= this.#make());
  }
}

/** What the command of a claim is carried out with. */
export function contextOf(claim: Claim, results: CommandResults): ClaimContext {
  return results.fence === undefined
    ? new ClaimContext(claim)
    : new FencedContext(claim, () => results.fence!(claim));
}
