/** Stores by their addresses. */
import type { Store } from "../store.js";
import { fileStore } from "./file/store.js";
import { memoryStore } from "./memory.js";
import { sqliteStore } from "./sqlite/store.js";
import { readStoreUrl, type StoreAddress } from "./url.js";

/** An address that opens no store. Told by `kind`. */
export class StoreUrlError extends Error {
  readonly kind = "storeUrl";
  /** The address, as it was given. */
  readonly url: string;

  constructor(url: string, why: string) {
    super(`${JSON.stringify(url)}: ${why}`);
    this.name = "StoreUrlError";
    this.url = url;
  }
}

interface Scheme {
  readonly form: string;
  readonly options: Readonly<Record<string, readonly string[]>>;
  open(address: StoreAddress): Store;
}

/** The stores that there are, by the word that their addresses begin with. */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  memory: { form: "memory", options: {}, open: () => memoryStore() },
  file: {
    form: "file:DIR",
    options: { sync: ["data", "none"] },
    open: ({ path, options }) => fileStore(path, options as { sync?: "data" | "none" }),
  },
  sqlite: {
    form: "sqlite:PATH",
    options: { synchronous: ["full", "normal", "off"] },
    open: ({ path, options }) => sqliteStore(path, options as { synchronous?: "full" | "normal" | "off" }),
  },
};

/**
 * Opens the store of an address: `memory`, `file:DIR`, `sqlite:PATH`, with options as in `file:DIR?sync=none`. Throws a
 * {@link StoreUrlError} where there is no such store or option.
 */
export function openStore(url: string): Store {
  const address = readStoreUrl(url);
  const { scheme: word, path, options } = address;
  const scheme = Object.hasOwn(SCHEMES, word) ? SCHEMES[word]! : undefined;
  if (scheme === undefined) {
    const known = Object.values(SCHEMES).map(({ form }) => form);
    throw new StoreUrlError(url, `there is no such store; known are ${known.join(", ")}`);
  }
  if ((path === "") !== (scheme.form === word)) throw new StoreUrlError(url, `the form is ${scheme.form}`);
  for (const [name, value] of Object.entries(options)) {
    const values = Object.hasOwn(scheme.options, name) ? scheme.options[name]! : undefined;
    if (values === undefined) {
      const known = Object.keys(scheme.options);
      const rest = known.length === 0 ? "none" : known.join(", ");
      throw new StoreUrlError(url, `${word} has no option ${name}; known: ${rest}`);
    }
    if (!values.includes(value)) throw new StoreUrlError(url, `${name} is one of ${values.join(", ")}`);
  }
  return scheme.open(address);
}
