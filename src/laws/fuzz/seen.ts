/** What a host has told so far, to be used again, and how the frames that use it become text. */

/** Names under which a host tells ids, cursors and the like. */
const TEXTS = /"(\w+(?:Id|Cursor|Ref)|id|label)":"([^"\\]{1,200})"/g;
const OBJECTS = /"(\w+Id)":(\{[^{}]{1,300}\})/g;
const PLACES = /"\{\{object:(\w+):(\d+)\}\}"|\{\{(\w+)(?::(\w+))?(?::(\d+))?\}\}/g;
/** Values that are kept of a name; older ones are replaced. */
const KEPT = 64;
/** Stands for what nobody has told yet: an id that no host knows. */
const UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057";
/** A longer line is a page or a history, and has nothing that smaller ones had not. */
const LONGEST = 20_000;

/** What was told and used in one case. */
export class Seen {
  readonly #texts = new Map<string, string[]>();
  readonly #objects = new Map<string, string[]>();
  readonly #commands: string[] = [];
  readonly #mint: () => string;
  #told = 0;

  constructor(mint: () => string) {
    this.#mint = mint;
  }

  /** Takes a line of the host. */
  note(raw: string): void {
    if (raw.length > LONGEST) return;
    this.#told++;
    for (const [, name, value] of raw.matchAll(TEXTS)) this.#keep(this.#texts, name!, value!);
    if (raw.includes('Id":{'))
      for (const [, name, value] of raw.matchAll(OBJECTS)) this.#keep(this.#objects, name!, value!);
  }

  /** The text of a frame as it is sent. */
  resolve(text: string, nextId: () => number): string {
    if (!text.includes("{{")) return text;
    return text.replace(PLACES, (whole, object, index, word, name, number) => {
      if (object !== undefined) return pick(this.#objects.get(object as string), Number(index)) ?? "{}";
      switch (word as string) {
        case "id":
          return String(nextId());
        case "new":
          return this.#new();
        case "command":
          return pick(this.#commands, Number(name)) ?? this.#new();
        case "seen":
          return pick(this.#texts.get(name as string), Number(number)) ?? UNKNOWN;
        case "long":
          return "x".repeat(Number(name));
        case "deep":
          return `${"[".repeat(Number(name))}${"]".repeat(Number(name))}`;
        default:
          return whole as string;
      }
    });
  }

  #new(): string {
    const id = this.#mint();
    this.#commands.push(id);
    return id;
  }

  #keep(table: Map<string, string[]>, name: string, value: string): void {
    const list = table.get(name);
    if (list === undefined) table.set(name, [value]);
    else if (list.at(-1) === value) return;
    else if (list.length < KEPT) list.push(value);
    else list[this.#told % KEPT] = value;
  }
}

function pick(list: readonly string[] | undefined, index: number): string | undefined {
  return list === undefined || list.length === 0 ? undefined : list[index % list.length];
}
