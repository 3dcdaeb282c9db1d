/** Under what a result is remembered. */

/** What a result is remembered under. Two keys are the same exactly when all four parts are. */
export interface CommandKey {
  readonly tenant: string;
  readonly workspace: string;
  /** Of the actor: who gave the command. */
  readonly participant: string;
  /** As it is looked up: a UUID in lower case, or any other text of the allowed form. */
  readonly commandId: string;
}

/**
 * One text for a key: other keys have other texts, whatever is in their parts. It is well-formed and has no NUL, so
 * every database takes it.
 */
export function keyText({ tenant, workspace, participant, commandId }: CommandKey): string {
  return `${part(tenant)}${part(workspace)}${part(participant)}${part(commandId)}`;
}

/** One text for one part of a key, of the same kind. */
export function partText(text: string): string {
  return part(text);
}

// A part says how long it is, so none can be read as two; and whether it is written with escapes, so none of the one
// kind is one of the other.
function part(text: string): string {
  if (isPlain(text)) return `${text.length}:${text}`;
  // JSON has an escape for half of a surrogate pair and for NUL.
  const escaped = JSON.stringify(text);
  return `~${escaped.length}:${escaped}`;
}

function isPlain(text: string): boolean {
  // Every Node that the package runs on has it; the library that TypeScript is told of is older.
  return !text.includes("\0") && (text as string & { isWellFormed(): boolean }).isWellFormed();
}
