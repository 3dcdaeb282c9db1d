/** Where the entry of each thing stands, and the links to it. */
import { compareNames } from "../../bundle/pointer.js";
import { forEachSchema, type Protocol } from "../../model/protocol.js";
import { anchorName, familyOf, pageName } from "../../plan/names.js";
import { code, plain } from "./markdown.js";

/** An entry: its page, by path in the reference, and its anchor there. */
export interface Place {
  readonly page: string;
  readonly anchor: string;
}

/** The places of one surface. */
export class Places {
  readonly #protocol: Protocol;
  /** The message in whose entry a definition is described: the only one that uses it. */
  readonly #homes = new Map<string, Place>();
  readonly #messages = new Map<string, Place>();
  /** What refers to each definition: other definitions, and messages. */
  readonly #users = new Map<string, { readonly definitions: Set<string>; readonly messages: Set<string> }>();

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
    for (const { name, schema } of protocol.definitions.values()) {
      forEachSchema(schema, ({ ref }) => {
        if (ref !== undefined) this.#use(ref).definitions.add(name);
      });
    }
    const uses = new Map<string, Place[]>();
    const message = (
      kind: string,
      entry: { readonly name: string; readonly params?: string; readonly result?: string },
    ): void => {
      const place = { page: messagePageOf(entry.name), anchor: anchorName(kind, entry.name) };
      if (!this.#messages.has(entry.name)) this.#messages.set(entry.name, place);
      for (const definition of [entry.params, entry.result]) {
        if (definition === undefined) continue;
        uses.set(definition, [...(uses.get(definition) ?? []), place]);
        this.#use(definition).messages.add(entry.name);
      }
    };
    for (const entry of protocol.methods) message("method", entry);
    for (const entry of protocol.notifications) message("notification", entry);
    for (const entry of protocol.requests) message("request", entry);
    for (const [definition, [place, ...more]] of uses) {
      const shared = more.length > 0 || this.#use(definition).definitions.size > 0;
      if (place === undefined || shared || protocol.definitions.get(definition)?.role !== undefined) continue;
      this.#homes.set(definition, { page: place.page, anchor: anchorName("type", definition) });
    }
  }

  #use(definition: string): { readonly definitions: Set<string>; readonly messages: Set<string> } {
    let users = this.#users.get(definition);
    if (users === undefined) {
      users = { definitions: new Set(), messages: new Set() };
      this.#users.set(definition, users);
    }
    return users;
  }

  /** Whether a definition is described in the entry of the one message that uses it. */
  isInMessage(definition: string): boolean {
    return this.#homes.has(definition);
  }

  /** The place of a definition. */
  definition(name: string): Place {
    return this.#homes.get(name) ?? { page: `types/${typePage(name)}.md`, anchor: anchorName("type", name) };
  }

  /** The place of a method, notification or server request. */
  message(name: string): Place | undefined {
    return this.#messages.get(name);
  }

  /** Links to everything that refers to a definition, in the order of their names. */
  users(definition: string, page: string): string[] {
    const { definitions, messages } = this.#use(definition);
    return [
      ...[...messages].sort(compareNames).map((name) => this.messageLink(name, page)),
      ...[...definitions].sort(compareNames).map((name) => this.definitionLink(name, page)),
    ];
  }

  /** A link to a definition. */
  definitionLink(name: string, page: string): string {
    return link(plain(name), this.definition(name), page);
  }

  /** A link to a method, notification or server request; its name alone where this surface does not have it. */
  messageLink(name: string, page: string): string {
    const place = this.message(name);
    return place === undefined ? code(name) : link(plain(name), place, page);
  }

  /** A link to a capability. */
  capabilityLink(name: string, page: string): string {
    return link(code(name), { page: "capabilities.md", anchor: anchorName("capability", name) }, page);
  }

  /** A link to an error. */
  errorLink(kind: string, page: string): string {
    return link(code(kind), { page: "errors.md", anchor: anchorName("error", kind) }, page);
  }

  /** A link to a rejection. */
  rejectionLink(reason: string, page: string): string {
    return link(code(reason), { page: "errors.md", anchor: anchorName("rejection", reason) }, page);
  }

  /**
   * The link for a word in code type in a text: a message with a family, or a definition. Other words have too many
   * meanings.
   */
  linkOf(word: string, page: string): string | undefined {
    const place = word.includes("/") ? this.message(word) : undefined;
    if (place !== undefined) return link(code(word), place, page);
    if (!this.#protocol.definitions.has(word)) return undefined;
    return link(code(word), this.definition(word), page);
  }
}

/** The page of a message: that of its family. */
export function messagePageOf(message: string): string {
  return `methods/${pageName(familyOf(message))}.md`;
}

/** The page of a definition among the types: by the first letter of its name. */
export function typePage(definition: string): string {
  const letter = definition.slice(0, 1);
  return /[A-Za-z]/.test(letter) ? letter.toLowerCase() : "other";
}

/** A link from a page to a place; the label is Markdown already. */
export function link(label: string, { page: to, anchor }: Partial<Place>, page: string): string {
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (to === undefined || to === page) return `[${label}](${hash})`;
  const folder = page.slice(0, page.lastIndexOf("/") + 1);
  const path =
    folder !== "" && to.startsWith(folder) ? to.slice(folder.length) : `${folder === "" ? "" : "../"}${to}`;
  return `[${label}](${path}${hash})`;
}
