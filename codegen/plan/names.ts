/**
 * The names of things in generated code: the only place that makes one.
 *
 * A name depends on the definition alone, never on its neighbours or their order; two definitions that would get
 * one name are a finding.
 */

/** Words that cannot name a type or a binding in a module. */
const RESERVED = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof var void while with yield any bigint boolean never number object string
  symbol undefined unknown arguments eval`.split(/\s+/),
);

/** Names that the language, its library or a platform already gives meaning everywhere. */
const GLOBALS = new Set(
  `AggregateError Array ArrayBuffer AsyncGenerator AsyncIterable AsyncIterator Atomics BigInt Boolean Capitalize Date
  Element Error EvalError Event EventTarget Exclude Extract File FinalizationRegistry Function Generator Headers
  Infinity Int16Array Int32Array Int8Array Intl Iterable Iterator JSON Map Math NaN NoInfer NonNullable Notification
  Number Object Omit Parameters Partial Pick Promise PromiseLike Proxy Range RangeError Readonly ReadonlyArray
  ReadonlyMap ReadonlySet Record ReferenceError Reflect RegExp Request Required Response ReturnType Set
  SharedArrayBuffer String Symbol SyntaxError ThisType TypeError URIError URL Uint16Array Uint32Array Uint8Array
  Uncapitalize Uppercase Lowercase WeakMap WeakRef WeakSet WebSocket Window Worker console document globalThis process
  self window constructor prototype __proto__`.split(/\s+/),
);

/** Names that the products themselves export. */
const OWN = new Set(
  `ClientNotification ClientNotificationParams MethodName MethodParams MethodResults ServerNotification
  ServerNotificationParams ServerRequestName ServerRequestParams ServerRequestResults Validate Violation`.split(
    /\s+/,
  ),
);

/**
 * The identifier of a definition: its own name where that can be one. Characters that an identifier cannot have
 * become `_`; a name that is reserved, global or used by the products gets a `_` at its end.
 */
export function typeName(definition: string): string {
  let name = definition.replace(/[^A-Za-z0-9_$]/gu, "_");
  if (name === "" || /^[0-9]/.test(name)) name = `_${name}`;
  return RESERVED.has(name) || GLOBALS.has(name) || OWN.has(name) ? `${name}_` : name;
}

/** A member name as it stands in an object type or literal. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : quote(name);
}

/** The name of one arm of a union that stands in a definition: the union's name and the arm's tag. */
export function armName(union: string, tag: string | undefined): string {
  const words = (tag ?? "other").split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return typeName(union) + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

/** The name of the guard of one arm. */
export function guardName(arm: string): string {
  return `is${arm}`;
}

/** The name of the validator of a definition. */
export function validatorName(definition: string): string {
  return `validate${typeName(definition)}`;
}

/** A string literal that is safe in a script, a module and an HTML page. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u2028\u2029]|<(?=[/!])/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
