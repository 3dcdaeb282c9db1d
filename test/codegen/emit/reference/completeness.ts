/** The law of the reference: all that the model has stands in the pages, where a reader looks for it. */
import type { Definition, Json, Protocol, Schema } from "../../../../codegen/index.js";
import { anchorName } from "../../../../codegen/plan/names.js";
import { codesOf, decode, type Entry, entriesOf, type Pages, type Part, type Row } from "./pages.js";

/** What was looked up. */
export interface Looked {
  definitions: number;
  members: number;
  limits: number;
  values: number;
  messages: number;
  rows: number;
}

/** What the pages lack, and how much was looked up. */
export interface Completeness {
  readonly missing: string[];
  readonly looked: Looked;
}

const LIMITS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const;
const ESCAPES = /[\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}|\p{Cc}/gu;
const shown = (text: string): string =>
  text.replace(ESCAPES, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const jsonOf = (value: Json): string => shown(JSON.stringify(value));

/** Where a node is told: in the facts of a part, or in a row of it. */
interface Spot {
  readonly part: Part;
  readonly row?: Row;
  readonly path: string;
}

class Law implements Completeness {
  readonly missing: string[] = [];
  readonly looked: Looked = { definitions: 0, members: 0, limits: 0, values: 0, messages: 0, rows: 0 };
  readonly #protocol: Protocol;
  readonly #entries: Map<string, Entry[]>;
  readonly #listedNames: readonly string[];
  #name = "";

  /** @param listed the names in the tables that stand under no anchor */
  constructor(protocol: Protocol, entries: Map<string, Entry[]>, listed: readonly string[]) {
    this.#protocol = protocol;
    this.#entries = entries;
    this.#listedNames = listed;
  }

  #expect(found: boolean, what: string): void {
    if (!found) this.missing.push(`${this.#name}: ${what}`);
  }

  #entry(kind: string, name: string): Entry | undefined {
    this.#name = `${kind} ${name}`;
    const found = this.#entries.get(anchorName(kind, name)) ?? [];
    this.#expect(found.length === 1, `${found.length} entries`);
    return found[0];
  }

  /** The description of something, word by word. */
  #description(text: string | undefined, where: string, what: string): void {
    for (const line of (text ?? "").split(/[\n\r\u2028\u2029]/u)) {
      const words = shown(line.trim()).replace(/`([^`]+)`/g, "$1");
      this.#expect(where.includes(words), `the description of ${what}`);
    }
  }

  definition({ name, schema, stability, role, pointer }: Definition): void {
    const entry = this.#entry("type", name);
    this.looked.definitions++;
    const part = entry?.parts.get("");
    if (entry === undefined || part === undefined) return;
    this.#expect(entry.title.includes("<kbd>experimental</kbd>") === (stability !== undefined), "the badge");
    this.#expect(role === undefined || part.facts.has("Role"), "the role");
    this.#expect(entry.nodes.length === 1, "the schema node");
    this.#expect(
      entry.sources.some((line) => line.startsWith(shown(pointer))),
      "the source pointer",
    );
    this.#description(schema.description, part.text.map(decode).join("\n"), "the definition");
    this.#node(schema, { part, path: "" }, entry, "");
  }

  /** All facets of a node at its spot, then what is inside. */
  #node(schema: Schema, spot: Spot, entry: Entry, alternative: string): void {
    const { part, row, path } = spot;
    const place = `${alternative === "" ? "" : `alternative ${alternative} `}${path === "" ? "itself" : path}`;
    const limits = splitLimits(row === undefined ? part.facts.get("Limits") : row["Limits"]);
    for (const key of LIMITS) {
      if (schema[key] === undefined) continue;
      this.looked.limits++;
      this.#expect(limits.includes(`${key} ${schema[key]}`), `${key} of ${place}`);
    }
    if (schema.pattern !== undefined) {
      this.looked.limits++;
      this.#expect(limits.includes(`pattern ${shown(schema.pattern)}`), `the pattern of ${place}`);
    }
    if (schema.default !== undefined)
      this.#expect(limits.includes(`default ${jsonOf(schema.default.value)}`), `the default of ${place}`);
    const type = (row === undefined ? part.facts.get("Type") : row["Type"]) ?? "";
    if (schema.ref !== undefined)
      this.#expect(type.includes(`#${anchorName("type", schema.ref)})`), `the type of ${place}`);
    if (schema.constant !== undefined) {
      this.looked.values++;
      this.#expect(codesOf(type).includes(jsonOf(schema.constant.value)), `the value of ${place}`);
    }
    this.#enum(schema, spot, type, place, alternative === "");
    for (const { name, needs } of schema.dependentRequired ?? []) {
      this.looked.limits++;
      const owner = part.rows.find((r) => pathOf(r) === join(path, name));
      const told = decode(owner?.["Limits"] ?? "");
      this.#expect(
        told.includes(`needs ${needs.map(shown).join(" and ")}`),
        `what ${name} of ${place} needs`,
      );
    }
    this.#inside(schema, spot, entry, alternative);
  }

  #enum({ enum: listed }: Schema, { part, row }: Spot, type: string, place: string, outside: boolean): void {
    if (listed === undefined) return;
    const list = row === undefined && outside ? part.bullets : type.split(", ").map((piece) => piece.trim());
    for (const { value, stability } of listed.values) {
      this.looked.values++;
      const told = list.find((line) => codesOf(line).includes(jsonOf(value)));
      this.#expect(told !== undefined, `the value ${jsonOf(value)} of ${place}`);
      this.#expect(
        told?.includes("<kbd>experimental</kbd>") === (stability !== undefined),
        `the badge of the value ${jsonOf(value)} of ${place}`,
      );
    }
    const openness = row === undefined && outside ? (part.facts.get("Type") ?? "") : type;
    this.#expect(/open enum|known: /.test(openness) === listed.open, `the openness of ${place}`);
  }

  #inside(schema: Schema, { part, path }: Spot, entry: Entry, alternative: string): void {
    for (const { name, required, schema: member } of schema.members ?? []) {
      this.looked.members++;
      const at = join(path, name);
      const row = this.#row(part, at);
      if (row === undefined) continue;
      const presence = row["Presence"] ?? "";
      this.#expect(presence.startsWith(required ? "required" : "optional"), `the presence of ${at}`);
      const badge = (row["Member"] ?? "").includes("<kbd>experimental</kbd>");
      this.#expect(badge === (member.stability !== undefined), `the badge of ${at}`);
      const text = decode(row["Description"] ?? "");
      this.#description(member.description, text, at);
      this.#expect(
        text.includes(`Descriptor ${member.descriptor ?? ""}`) || member.descriptor === undefined,
        `the descriptor of ${at}`,
      );
      this.#expect(
        member.capability === undefined || text.includes(`capability ${member.capability}`),
        `the capability of ${at}`,
      );
      this.#node(member, { part, row, path: at }, entry, alternative);
    }
    const inner = (node: Schema | undefined, at: string): void => {
      if (node === undefined || !tells(node)) return;
      const row = this.#row(part, at);
      if (row !== undefined) this.#node(node, { part, row, path: at }, entry, alternative);
    };
    inner(schema.items, `${path}[]`);
    inner(schema.additional, path === "" ? "*" : `${path}.*`);
    schema.union?.arms.forEach((arm, i) => {
      if (!tells(arm)) return;
      if (path !== "") {
        inner(arm, `${path} (alternative ${i + 1})`);
        return;
      }
      const number = alternative === "" ? `${i + 1}` : `${alternative}.${i + 1}`;
      const own = entry.parts.get(number);
      this.#expect(own !== undefined, `alternative ${number}`);
      if (own === undefined) return;
      this.#description(arm.description, own.text.map(decode).join("\n"), `alternative ${number}`);
      this.#node(arm, { part: own, path: "" }, entry, number);
    });
  }

  #row(part: Part, path: string): Row | undefined {
    const rows = part.rows.filter((row) => pathOf(row) === shown(path));
    this.#expect(rows.length === 1, `${rows.length} rows for ${path}`);
    return rows[0];
  }

  messages(): void {
    const { methods, notifications, requests } = this.#protocol;
    const groups = { method: methods, notification: notifications, request: requests };
    for (const [kind, group] of Object.entries(groups)) {
      for (const entry of group) {
        this.looked.messages++;
        const found = this.#entry(kind, entry.name);
        const part = found?.parts.get("");
        if (found === undefined || part === undefined) continue;
        this.#expect(
          found.title.includes("<kbd>experimental</kbd>") === (entry.stability !== undefined),
          "the badge",
        );
        this.#description(entry.description, part.text.map(decode).join("\n"), "it");
        this.#expect(
          found.sources.some((line) => line.startsWith(shown(entry.pointer))),
          "the source pointer",
        );
        const fact = (label: string): string => decode(part.facts.get(label) ?? "");
        const { capability } = entry as { readonly capability?: string };
        this.#expect(fact("Capability") === (capability ?? ""), "the capability");
        this.#expect(fact("Descriptor") === shown(entry.descriptor ?? ""), "the descriptor");
      }
    }
    for (const method of methods) {
      const part = this.#entry("method", method.name)?.parts.get("");
      if (part === undefined) continue;
      const fact = (label: string): string => decode(part.facts.get(label) ?? "");
      this.#expect(fact("Kind").startsWith(method.kind), "the kind");
      this.#expect(
        fact("`commandId`") === (method.kind === "command" ? method.commandId : ""),
        "the commandId",
      );
      const record = { durable: "durable", "host-lifetime": "kept while the host runs" };
      this.#expect(
        fact("Record") === (method.record === undefined ? "" : record[method.record]),
        "the record",
      );
      const strict = method.params === undefined ? "" : method.strict ? "refused" : "ignored";
      this.#expect(fact("Unknown members of the params") === strict, "what becomes of unknown members");
      this.#expect(part.facts.has("Withheld by") === method.withheld.length > 0, "the profiles");
      const reasons = this.#protocol.rejections
        .filter((row) => method.kind === "command" && (row.methods?.includes(method.name) ?? true))
        .map(({ reason }) => shown(reason));
      this.#expect(fact("Rejections") === reasons.join(", "), "the rejections");
    }
    for (const { name, protected: kept } of requests) {
      const part = this.#entry("request", name)?.parts.get("");
      this.#expect(part?.facts.get("Direction")?.startsWith("from the host ") === true, "the direction");
      this.#expect(part?.facts.has("Protected") === kept, "the protection");
    }
    for (const { name, direction, protected: kept, scope } of notifications) {
      const part = this.#entry("notification", name)?.parts.get("");
      if (part === undefined) continue;
      const from = `from the ${direction === "client-to-host" ? "client" : "host"} `;
      this.#expect(part.facts.get("Direction")?.startsWith(from) === true, "the direction");
      this.#expect(part.facts.has("Protected") === kept, "the protection");
      this.#expect(
        direction === "client-to-host" || part.facts.get("Scope")?.includes("view,") === (scope === "view"),
        "the scope",
      );
    }
  }

  tables(): void {
    const { errors, rejections, capabilities, reserved, reservedCapabilities } = this.#protocol;
    for (const { kind, code, retryable, overrideKinds, description, stability } of errors) {
      this.looked.rows++;
      const entry = this.#entry("error", kind);
      const part = entry?.parts.get("");
      if (part === undefined) continue;
      this.#expect(part.facts.get("Code") === String(code), "the code");
      const may = retryable === undefined ? "not said" : retryable ? "yes" : "no";
      this.#expect(part.facts.get("Retryable") === may, "whether it may be tried again");
      this.#expect(
        codesOf(part.facts.get("Other kinds") ?? "").join() === overrideKinds.map(shown).join(),
        "other kinds",
      );
      this.#description(description, part.text.map(decode).join("\n"), "it");
      this.#expect(
        entry?.title.includes("<kbd>experimental</kbd>") === (stability !== undefined),
        "the badge",
      );
    }
    for (const { reason, description, methods } of rejections) {
      this.looked.rows++;
      const part = this.#entry("rejection", reason)?.parts.get("");
      if (part === undefined) continue;
      this.#expect(
        decode(part.facts.get("Answered by") ?? "") === (methods?.map(shown).join(", ") ?? "any command"),
        "its methods",
      );
      this.#description(description, part.text.map(decode).join("\n"), "it");
    }
    for (const { name, description, stability } of capabilities) {
      this.looked.rows++;
      const entry = this.#entry("capability", name);
      this.#description(description, entry?.parts.get("")?.text.map(decode).join("\n") ?? "", "it");
      this.#expect(
        entry?.title.includes("<kbd>experimental</kbd>") === (stability !== undefined),
        "the badge",
      );
    }
    this.#listed(
      "reserved",
      reserved.map(({ identifier }) => identifier),
    );
    this.#listed(
      "reserved capability",
      reservedCapabilities.map(({ name }) => name),
    );
  }

  #listed(what: string, names: readonly string[]): void {
    for (const name of names) {
      this.looked.rows++;
      this.#name = `${what} ${name}`;
      this.#expect(this.#listedNames.includes(shown(name)), "not listed");
    }
  }
}

/** Looks up everything. */
export function lawOf(protocol: Protocol, pages: Pages): Completeness {
  const listed = Object.entries(pages)
    .filter(([page]) => /(?:reserved|capabilities)\.md$/.test(page))
    .flatMap(([, text]) =>
      [...text.matchAll(/^\| ((?:`|<code>).*?) \|/gm)].flatMap(([, cell]) => codesOf(cell as string)),
    );
  const law = new Law(protocol, entriesOf(pages), listed);
  for (const definition of protocol.definitions.values()) law.definition(definition);
  law.messages();
  law.tables();
  return law;
}

function pathOf(row: Row): string {
  return codesOf(row["Member"] ?? "")[0] ?? "";
}

function join(path: string, name: string): string {
  const step = /^[\w$/-]+$/.test(name) ? name : JSON.stringify(name);
  return path === "" ? step : `${path}.${step}`;
}

/** The limits of a cell: separated by commas, which a pattern or a default may have too. */
function splitLimits(cell: string | undefined): string[] {
  const codes: string[] = [];
  const plain = (cell ?? "").replace(/<code>.*?<\/code>|`[^`]*`/g, (code) => {
    codes.push(codesOf(code)[0] as string);
    return "\ue000";
  });
  return plain.split(", ").map((part) => part.replace("\ue000", () => codes.shift() as string));
}

/** Whether a node inside another has facets that the words for the type of that one do not tell. */
function tells(schema: Schema): boolean {
  const { pointer: _, ref: _ref, types: _types, members = [], items, additional, union, ...rest } = schema;
  if (Object.keys(rest).length > 0 || members.length > 0) return true;
  return [items, additional, ...(union?.arms ?? [])].some((node) => node !== undefined && tells(node));
}
