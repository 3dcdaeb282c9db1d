/** Actions that wait for each other where they concern the same thing. */

/** Runs one action at a time for each key. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs an action when those before it with the same key are done, however they ended. */
  run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? action() : before.then(action, action);
    const done = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, done);
    void done.then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
    return result;
  }

  /** Resolves when what was begun is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
