/**
 * The words that name a version of a protocol: where its bundle is to be had.
 */
import { UsageError } from "../command.js";

/** A version, by where it is. */
export type Reference =
  /** A bundle, a folder with the owners' pair, or a folder with one bundle. */
  | { readonly kind: "path"; readonly path: string }
  /** What a commit, branch or tag has; without a path, at the place of the schema that is compared with it. */
  | { readonly kind: "git"; readonly ref: string; readonly path: string | undefined }
  /** A row of a table of releases. */
  | { readonly kind: "release"; readonly release: string }
  /** A file of an installed package. */
  | { readonly kind: "package"; readonly name: string; readonly path: string };

/** What references look like, for help. */
export const REFERENCE = "FILE|DIR|git:REF[:PATH]|release:X|package:NAME[/PATH]";

/** Where a package has its schema unless the reference says otherwise. */
export const PACKAGE_SCHEMA = "schema/msp/msp.schema.json";

/**
 * Reads a reference.
 * @param option the option whose value it is, for messages
 */
export function readReference(words: string, option: string): Reference {
  const wrong = (why: string): UsageError => new UsageError(`--${option} ${words}: ${why}`);
  if (words === "") throw new UsageError(`--${option} needs ${REFERENCE}`);
  const colon = words.indexOf(":");
  const rest = words.slice(colon + 1);
  switch (words.slice(0, Math.max(colon, 0))) {
    case "git": {
      const [ref, path] = split(rest, ":");
      if (ref === "" || path === "") throw wrong("takes git:REF or git:REF:PATH");
      // Git would take it for an option.
      if (ref.startsWith("-")) throw wrong("no reference begins with a hyphen");
      return { kind: "git", ref, path };
    }
    case "release":
      if (rest === "") throw wrong("takes release:X");
      return { kind: "release", release: rest };
    case "package": {
      const found = /^((?:@[^/@]+\/)?[^/@]+)(?:\/(.+))?$/.exec(rest);
      if (found === null || /^\.{1,2}$/.test(found[1]!))
        throw wrong("takes package:NAME or package:NAME/PATH");
      return { kind: "package", name: found[1]!, path: found[2] ?? PACKAGE_SCHEMA };
    }
    default:
      return { kind: "path", path: words };
  }
}

function split(text: string, at: string): [string, string | undefined] {
  const i = text.indexOf(at);
  return i === -1 ? [text, undefined] : [text.slice(0, i), text.slice(i + 1)];
}
