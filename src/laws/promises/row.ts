/** A promise of the protocol, and what holds hosts to it. */

/** What holds hosts to a promise. */
export type Cover =
  /** Ids of laws: any host is held to it. */
  | { readonly laws: readonly string[] }
  /** Tests of this project, by their paths: the embedded host and the client are held to it. */
  | { readonly tests: readonly string[] }
  /** Why nobody is. */
  | { readonly excluded: string };

/** See the top of the file. */
export interface PromiseRow {
  /** The section, a hyphen, and a name: `1.1-version-seven`. */
  readonly id: string;
  /** `3.4`: sections of one topic stand together. */
  readonly section: string;
  /** In one sentence. */
  readonly promise: string;
  readonly by: Cover;
}

/** A promise; its section is in its id. */
export function row(id: `${string}-${string}`, promise: string, by: Cover): PromiseRow {
  return { id, section: id.slice(0, id.indexOf("-")), promise, by };
}

/** Kept by laws. */
export const laws = (...ids: readonly string[]): Cover => ({ laws: ids });

/** Kept by tests, by paths within `test/`. */
export const tests = (...paths: readonly string[]): Cover => ({
  tests: paths.map((path) => `test/${path}`),
});

/** Not tried. */
export const excluded = (why: string): Cover => ({ excluded: why });
