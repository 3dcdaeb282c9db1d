/** The product `reference`: the protocol as Markdown pages, for people. */
import { compareNames } from "../../bundle/pointer.js";
import type { Annotated, Definition, Protocol } from "../../model/protocol.js";
import { anchorName } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { headerLines } from "../header.js";
import { type Book, definitionEntry, ROLES } from "./definition.js";
import { ExampleMaker } from "./example.js";
import { linkerOf } from "./fields.js";
import { badges, code, heading, plain, prose, table } from "./markdown.js";
import { type Family, familiesOf, messagePage } from "./message-page.js";
import { link, Places, typePage } from "./places.js";
import { capabilityPage, errorPage, reservedPage } from "./table-pages.js";

/** The folder of the pages. */
const FOLDER = "reference";

/** The texts of the pages by path in the folder of the surface. */
export function emitReference(plan: SurfacePlan): Readonly<Record<string, string>> {
  const { protocol } = plan;
  const places = new Places(protocol);
  const examples = new ExampleMaker(protocol);
  const out: Record<string, string> = {};
  const add = (page: string, content: (book: Book) => string[]): void => {
    const lines = content({ page, places, examples, protocol });
    out[`${FOLDER}/${page}`] = pageText([...pageHead(plan, page), ...lines]);
  };
  const families = familiesOf(protocol);
  const types = typePages(protocol, places);
  add("index.md", (book) => indexPage(plan, book, families, types));
  for (const [page, family] of families) add(page, (book) => messagePage(family, book));
  add("types/index.md", (book) => typeIndex(book, types));
  for (const [page, definitions] of types) add(page, (book) => typesPage(definitions, book));
  add("errors.md", errorPage);
  add("capabilities.md", capabilityPage);
  add("reserved.md", reservedPage);
  return out;
}

/** The text of a page: one empty line at most between two lines, one line end at its end. */
function pageText(lines: readonly string[]): string {
  return `${lines
    .filter((line, i) => line !== "" || lines[i - 1] !== "")
    .join("\n")
    .trimEnd()}\n`;
}

function pageHead(plan: SurfacePlan, page: string): string[] {
  const { protocol } = plan;
  const pages = [
    [plain(protocol.title), "index.md"],
    ["Types", "types/index.md"],
    ["Errors", "errors.md"],
    ["Capabilities", "capabilities.md"],
    ["Reserved", "reserved.md"],
  ] as const;
  const up = pages.map(([title, to]) => (to === page ? title : link(title, { page: to }, page)));
  const comment = headerLines(plan).map((line) => `<!-- ${line.replaceAll("--", "- -")} -->`);
  return [...comment, "", ...(page === "index.md" ? [] : [up.join(" · "), ""])];
}

function indexPage(
  { protocol, fingerprint }: SurfacePlan,
  book: Book,
  families: ReadonlyMap<string, Family>,
  types: ReadonlyMap<string, readonly Definition[]>,
): string[] {
  const { page } = book;
  const both = protocol.surface === "experimental";
  return [
    ...heading(1, plain(protocol.title)),
    ...prose(protocol.description ?? "").flatMap((line) => [line, ""]),
    `Version ${protocol.version}, the ${both ? "whole surface; what is not promised yet has a badge" : "stable surface"}. Fingerprint of the schema: ${code(fingerprint)}.`,
    "",
    ...heading(2, "Messages"),
    ...[...families].flatMap(([to, family]) => familyTable(to, family, book)),
    ...heading(2, "Types"),
    `${protocol.definitions.size} ${link("types in all", { page: "types/index.md" }, page)}. Those of one message alone are described with it; the others by their first letter: ${[...types.keys()].map((to) => letterLink(to, page)).join(" ")}`,
    "",
    ...heading(2, "Tables"),
    `- ${link("Errors", { page: "errors.md" }, page)}: ${protocol.errors.length}, and ${protocol.rejections.length} reasons for which a command is durably rejected`,
    `- ${link("Capabilities", { page: "capabilities.md" }, page)}: ${protocol.capabilities.length}`,
    `- ${link("Reserved identifiers", { page: "reserved.md" }, page)}: ${protocol.reserved.length}`,
    "",
  ];
}

function familyTable(to: string, family: Family, book: Book): string[] {
  const { page } = book;
  const row = (kind: string, what: string, entry: Annotated & { readonly name: string }): string[] => [
    link(plain(entry.name), { page: to, anchor: anchorName(kind, entry.name) }, page) + badges(entry),
    what,
    firstSentence(entry.description ?? "", book),
  ];
  return [
    ...heading(3, link(plain(family.title), { page: to }, page)),
    ...table(
      ["Name", "Kind", "What it does"],
      [
        ...family.methods.map((entry) => row("method", entry.kind, entry)),
        ...family.notifications.map((entry) =>
          row(
            "notification",
            entry.direction === "client-to-host" ? "client notification" : "notification",
            entry,
          ),
        ),
        ...family.requests.map((entry) => row("request", "server request", entry)),
      ],
    ),
  ];
}

function firstSentence(text: string, book: Book): string {
  const [line = ""] = prose(
    /^(?:`[^`]*`|[^`])*?[.;](?=\s|$)/.exec(text)?.[0].replace(/;$/, ".") ?? text,
    linkerOf(book),
  );
  return line;
}

function letterLink(to: string, page: string): string {
  return link(letterOf(to), { page: to }, page);
}

/** What a page of types is called. */
function letterOf(page: string): string {
  const name = page.replace(/^types\/|\.md$/g, "");
  return name.length === 1 ? name.toUpperCase() : name;
}

/** The definitions that are described among the types, by page. */
function typePages(protocol: Protocol, places: Places): Map<string, Definition[]> {
  const pages = new Map<string, Definition[]>();
  for (const definition of protocol.definitions.values()) {
    if (places.isInMessage(definition.name)) continue;
    const page = `types/${typePage(definition.name)}.md`;
    pages.set(page, [...(pages.get(page) ?? []), definition]);
  }
  return new Map([...pages].sort(([a], [b]) => compareNames(a, b)));
}

function typesPage(definitions: readonly Definition[], book: Book): string[] {
  const links = definitions.map(
    (definition) => book.places.definitionLink(definition.name, book.page) + badges(definition),
  );
  return [
    ...heading(1, `Types: ${letterOf(book.page)}`),
    links.join(" · "),
    "",
    ...definitions.flatMap((definition) => ["---", "", ...definitionEntry(definition, 2, book)]),
  ];
}

function typeIndex(book: Book, types: ReadonlyMap<string, readonly Definition[]>): string[] {
  const { protocol, places, page } = book;
  const all = [...protocol.definitions.values()];
  return [
    ...heading(1, "Types"),
    `By first letter: ${[...types.keys()].map((to) => letterLink(to, page)).join(" ")}`,
    "",
    ...table(
      ["Type", "Described with", "What it is"],
      all.map((definition) => [
        places.definitionLink(definition.name, page) + badges(definition),
        places.isInMessage(definition.name) ? places.users(definition.name, page).join(", ") : "",
        firstSentence(
          definition.description ?? (definition.role === undefined ? "" : ROLES[definition.role]),
          book,
        ),
      ]),
    ),
  ];
}
