/**
 * The names of things in generated code: the only place that makes one.
 *
 * A name depends on the definition alone, never on its neighbours or their order; two definitions that would get
 * one name are a finding.
 */

/** Words that cannot name a type or a binding in a module, or that mean something else where a type is expected. */
const RESERVED = new Set(
  `as await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in infer instanceof interface intrinsic keyof let new null package private protected
  public readonly return static super switch this throw true try typeof unique var void while with yield any bigint
  boolean never number object string symbol undefined unknown arguments eval`.split(/\s+/),
);

/** Names that the language, its library or a platform already gives meaning everywhere. */
const GLOBALS = new Set(
  `AggregateError AggregateErrorConstructor Array ArrayBuffer ArrayBufferConstructor ArrayBufferLike
  ArrayBufferTypes ArrayBufferView ArrayConstructor ArrayIterator ArrayLike AsyncDisposable AsyncDisposableStack
  AsyncDisposableStackConstructor AsyncGenerator AsyncGeneratorFunction AsyncGeneratorFunctionConstructor
  AsyncIterable AsyncIterableIterator AsyncIterator AsyncIteratorObject Atomics Awaited BigInt BigInt64Array
  BigInt64ArrayConstructor BigIntConstructor BigIntToLocaleStringOptions BigUint64Array BigUint64ArrayConstructor
  Boolean BooleanConstructor BuiltinIteratorReturn CallableFunction Capitalize ClassAccessorDecoratorContext
  ClassAccessorDecoratorResult ClassAccessorDecoratorTarget ClassDecorator ClassDecoratorContext
  ClassFieldDecoratorContext ClassGetterDecoratorContext ClassMemberDecoratorContext ClassMethodDecoratorContext
  ClassSetterDecoratorContext ConcatArray ConstructorParameters DataView DataViewConstructor Date DateConstructor
  DecoratorContext DecoratorMetadata DecoratorMetadataObject Disposable DisposableStack DisposableStackConstructor
  Element Error ErrorConstructor ErrorOptions EvalError EvalErrorConstructor Event EventTarget Exclude Extract
  File FinalizationRegistry FinalizationRegistryConstructor FlatArray Float16Array Float16ArrayConstructor
  Float32Array Float32ArrayConstructor Float64Array Float64ArrayConstructor Function FunctionConstructor Generator
  GeneratorFunction GeneratorFunctionConstructor Headers IArguments ImportAssertions ImportAttributes
  ImportCallOptions ImportMeta Infinity InstanceType Int16Array Int16ArrayConstructor Int32Array
  Int32ArrayConstructor Int8Array Int8ArrayConstructor Intl Iterable IterableIterator Iterator IteratorConstructor
  IteratorObject IteratorResult IteratorReturnResult IteratorYieldResult JSON Lowercase Map MapConstructor
  MapIterator Math MethodDecorator NaN NewableFunction NoInfer NonNullable Notification Number NumberConstructor
  Object ObjectConstructor Omit OmitThisParameter ParameterDecorator Parameters Partial Pick Promise
  PromiseConstructor PromiseConstructorLike PromiseFulfilledResult PromiseLike PromiseRejectedResult
  PromiseSettledResult PromiseWithResolvers PropertyDecorator PropertyDescriptor PropertyDescriptorMap PropertyKey
  Proxy ProxyConstructor ProxyHandler Range RangeError RangeErrorConstructor Readonly ReadonlyArray ReadonlyMap
  ReadonlySet ReadonlySetLike Record ReferenceError ReferenceErrorConstructor Reflect RegExp RegExpConstructor
  RegExpExecArray RegExpIndicesArray RegExpMatchArray RegExpStringIterator Request Required Response ReturnType
  Set SetConstructor SetIterator SharedArrayBuffer SharedArrayBufferConstructor String StringConstructor
  StringIterator SuppressedError SuppressedErrorConstructor Symbol SymbolConstructor SyntaxError
  SyntaxErrorConstructor TemplateStringsArray ThisParameterType ThisType TypeError TypeErrorConstructor
  TypedPropertyDescriptor URIError URIErrorConstructor URL Uint16Array Uint16ArrayConstructor Uint32Array
  Uint32ArrayConstructor Uint8Array Uint8ArrayConstructor Uint8ClampedArray Uint8ClampedArrayConstructor
  Uncapitalize Uppercase WeakKey WeakKeyTypes WeakMap WeakMapConstructor WeakRef WeakRefConstructor WeakSet
  WeakSetConstructor WebSocket Window Worker __proto__ console constructor document globalThis process prototype
  self window`.split(/\s+/),
);

/** Names that the products themselves export. */
const OWN = new Set(
  `ClientNotification ClientNotificationParams Invalid Samples fc MethodName MethodParams MethodResults ServerNotification
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
  return typeName(union + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(""));
}

/** The name of the guard of one arm. */
export function guardName(arm: string): string {
  return `is${arm}`;
}

/** The name of the validator of a definition. */
export function validatorName(definition: string): string {
  return `validate${typeName(definition)}`;
}

/**
 * The member of a client that stands for one word of a method's name. The client's own members, and `then`, which
 * would make a promise of it, get a `_` at their end, and so do the names that come of that.
 */
export function clientMember(word: string): string {
  return /^(?:handle|notify|on|then)_*$/.test(word) ? `${word}_` : word;
}

/** A string literal that is safe in a script, a module and an HTML page. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u2028\u2029]|<(?=[/!])/gu,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The group of a message among the pages of the reference: what stands before the first `/` of its name. */
export function familyOf(message: string): string {
  const slash = message.indexOf("/");
  return slash > 0 ? message.slice(0, slash) : "general";
}

/** Names that a file may not have on every platform, whatever follows the point. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The name of a page without its ending: small letters, digits and hyphens. Two names may share a page. */
export function pageName(name: string): string {
  const stem = name
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/g, "");
  if (stem === "") return "other";
  return DEVICES.test(stem) ? `${stem}-page` : stem;
}

/** The anchor of an entry in the reference; entries of one kind with different names have different ones. */
export function anchorName(kind: string, name: string): string {
  const safe = name.replace(/[^A-Za-z0-9_-]/gu, (c) =>
    c === "/" ? "." : `~${(c.codePointAt(0) ?? 0).toString(16)}~`,
  );
  return `${kind}.${safe}`;
}
