/**
 * Those who wait for something to change.
 */

/** Wakes all who wait, at every change. */
export class Waits {
  #next: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  /** Resolves at the next change from now on. */
  next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#next;
  }

  /** Something has changed. */
  changed(): void {
    this.#wake?.();
    this.#next = undefined;
    this.#wake = undefined;
  }
}

/** Resolves when all that was started before has run, answers to the host included. */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
