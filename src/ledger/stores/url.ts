/** The addresses of stores: a word, a colon, a path, and options as in a query. */

/** An address that was taken apart. */
export interface StoreAddress {
  readonly scheme: string;
  readonly path: string;
  readonly options: Readonly<Record<string, string>>;
}

/** The address of a store. `%` and `?` in the path are written as `%25` and `%3F`. */
export function storeUrl(scheme: string, path: string, options: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(options).toString();
  const spelt = path.replaceAll("%", "%25").replaceAll("?", "%3F");
  return `${scheme}:${spelt}${query === "" ? "" : `?${query}`}`;
}

/** Takes an address apart. */
export function readStoreUrl(url: string): StoreAddress {
  const [, scheme = url, rest = ""] = /^([a-z][a-z0-9+.-]*):?(.*)$/s.exec(url) ?? [];
  const mark = rest.indexOf("?");
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return {
    scheme,
    path: path.replace(/%(?:25|3f)/gi, (code) => (code === "%25" ? "%" : "?")),
    options: Object.fromEntries(new URLSearchParams(mark < 0 ? "" : rest.slice(mark + 1))),
  };
}
