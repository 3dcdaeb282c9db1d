/**
 * Every rule that a bundle, its configuration or its output can break: declared once, here.
 * `mspkit explain`, `docs/rules.md` and the lint output are made from this table.
 */

/** `error`: the bundle is refused. `warning`: it is used. `note`: something was kept that mspkit does not use. */
export type Severity = "error" | "warning" | "note";

/** What a rule says about itself. */
export interface Rule {
  readonly severity: Severity;
  /** The message; `{name}` stands for a named parameter. */
  readonly message: string;
  /** Why the rule is there. */
  readonly why: string;
  /** What to do about a finding. */
  readonly fix: string;
  /** Later stages rely on it: it can be neither turned off nor excused. */
  readonly needed?: true;
}

/** The rules by id. */
export const rules = {
  "bundle-empty": {
    severity: "error",
    needed: true,
    message: "the file is empty",
    why: "An empty file is most often a write that did not finish, and must not pass for an empty protocol.",
    fix: "Restore the file.",
  },
  "bundle-too-large": {
    severity: "error",
    needed: true,
    message: "the file has {bytes} bytes; at most {limit} are read",
    why: "A bundle is one document that people edit; one of this size is something else, and reading it would cost its memory several times over.",
    fix: "Name the bundle, or split the protocol.",
  },
  "invalid-utf8": {
    severity: "error",
    needed: true,
    message: "the file is not UTF-8 (byte {offset})",
    why: "JSON is UTF-8. Replacing what cannot be read would change names without a word.",
    fix: "Save the file as UTF-8.",
  },
  "json-syntax": {
    severity: "error",
    needed: true,
    message: "not JSON: {problem}",
    why: "A bundle is a JSON document.",
    fix: "Mend the text at the place that is named.",
  },
  "duplicate-key": {
    severity: "error",
    message: 'the key "{key}" stands twice in one object',
    why: "JSON readers keep one of the two and say nothing, so half of an edit would be lost.",
    fix: "Keep one of them.",
  },
  "unknown-dialect": {
    severity: "error",
    message: '$schema names "{found}"; mspkit reads {expected}',
    why: "Other drafts read the same words in other ways.",
    fix: "Write the bundle in the 2020-12 dialect and name it.",
  },
  "unstated-dialect": {
    severity: "warning",
    message: "$schema is {found}; read as {expected}",
    why: "A bundle that does not name its dialect exactly is read as 2020-12 here and may be read otherwise elsewhere.",
    fix: "Write $schema as it is expected.",
  },
  "unknown-top-level-key": {
    severity: "error",
    message: 'a bundle has no top-level key "{key}"{hint}',
    why: "A section that is not read would be lost from every product.",
    fix: "Move the content to a known section, or use an x- annotation where a node allows one.",
  },
  "unknown-keyword": {
    severity: "error",
    message: 'the dialect has no keyword "{keyword}"{hint}',
    why: "A keyword that no product enforces is a promise that nobody keeps.",
    fix: "Use the keywords of schema/dialect.schema.json; say the rest in the description.",
  },
  "unknown-type": {
    severity: "error",
    needed: true,
    message: '"{type}" is not a JSON type{hint}',
    why: "Types, validators and test data would each guess.",
    fix: "Use string, integer, number, boolean, object, array or null.",
  },
  "unknown-mark": {
    severity: "error",
    message: 'the dialect has no mark "{mark}"{hint}',
    why: "A mark that is not understood may carry meaning: stability or openness that would be lost.",
    fix: "Use the marks of schema/dialect.schema.json. Notes of your own may use another x- prefix.",
  },
  "invalid-value": {
    severity: "error",
    needed: true,
    message: "{keyword} {problem}",
    why: "A keyword with a value that it cannot have would be ignored or misread.",
    fix: "Give the keyword a value of the form that the message names.",
  },
  "invalid-pattern": {
    severity: "error",
    needed: true,
    message: "the pattern is not a regular expression: {problem}",
    why: "Patterns are ECMA-262 regular expressions with the unicode flag; one that does not compile checks nothing.",
    fix: "Mend the expression.",
  },
  "contradictory-bounds": {
    severity: "error",
    message: "{lower} is above {upper}, so no value is valid",
    why: "A node that nothing satisfies makes every message with it invalid.",
    fix: "Correct the bounds.",
  },
  "dangling-ref": {
    severity: "error",
    needed: true,
    message: '"{ref}" refers to nothing{hint}',
    why: "References are to definitions of the same bundle: #/$defs/NAME.",
    fix: "Add the definition or correct the reference.",
  },
  "circular-ref": {
    severity: "error",
    needed: true,
    message: "the definition refers to itself with no value in between: {cycle}",
    why: "Such a definition says nothing: resolving it never ends.",
    fix: "Put an object or array between, or remove the reference.",
  },
  "stability-leak": {
    severity: "error",
    needed: true,
    message: 'stable, but reaches the experimental {what} "{name}"',
    why: "Whoever may see a stable message sees all of it, so what it reaches is stable as well.",
    fix: "Mark the place that reaches it as experimental too, or promote the definition.",
  },
  "name-clash": {
    severity: "error",
    needed: true,
    message: '"{name}" becomes {identifier} in code, as does {others}',
    why: "Two definitions under one name would be told apart by their order only.",
    fix: "Rename one of them.",
  },
  "open-union-without-catch-all": {
    severity: "error",
    message: "an open union needs a last arm whose tag is a plain string: {problem}",
    why: "Open means that arms of the future are valid; the last arm says what they look like.",
    fix: "Add the catch-all arm, or mark the union closed.",
  },
  "overlapping-union": {
    severity: "error",
    message: "the arms of the union overlap: {problem}",
    why: "Where two arms take one value, its meaning depends on their order and oneOf refuses it.",
    fix: "Give the arms one required tag with different constants, or different JSON types.",
  },
  "command-id-mismatch": {
    severity: "error",
    message: "marked {marked}, but {problem}",
    why: "The marks of a method and its params are two statements of one fact; clients and hosts are generated from both.",
    fix: "Correct the mark or the params.",
  },
  "unknown-capability": {
    severity: "error",
    message: '"{capability}" is not among the capabilities of the bundle{hint}',
    why: "A gate that nobody can be granted withholds its method for ever.",
    fix: "Name a grantable capability, or add it to the section capabilities.",
  },
  "stable-surface-unknown": {
    severity: "error",
    needed: true,
    message:
      "the manifest beside the bundle says experimental, but nothing in it is marked, so its stable surface cannot be told",
    why: "Treating every node as stable would promise what its owners do not.",
    fix: "Give the folder that holds both stable/ and experimental/, or ask for --surface experimental.",
  },
  "pair-mismatch": {
    severity: "error",
    needed: true,
    message: "stable/ and experimental/ disagree: {problem}",
    why: "The experimental bundle is the stable one and more; where it is not, the marks cannot be derived.",
    fix: "Take both files from one release.",
  },
  "unused-definition": {
    severity: "warning",
    message: 'nothing refers to the definition "{name}"',
    why: "What no message reaches is most often left over from a removal.",
    fix: "Remove it, or say with x-msp-role what it is for.",
  },
  "required-without-property": {
    severity: "warning",
    message: 'requires "{name}", which it does not declare',
    why: "Such a member is required with any value: most often a spelling mistake.",
    fix: "Declare the member or drop it from required.",
  },
  "descriptor-mismatch": {
    severity: "warning",
    message: 'the descriptor "{descriptor}" does not name this place; expected {expected}',
    why: "The descriptor travels in errors, and people search for it.",
    fix: "Name the method, METHOD.MEMBER, or the definition or DEFINITION.MEMBER.",
  },
  "descriptor-missing": {
    severity: "warning",
    message: "experimental without x-msp-descriptor",
    why: "The error that refuses an unopted use names the descriptor.",
    fix: "Add the descriptor.",
  },
  "enum-without-openness": {
    severity: "warning",
    message: "an enum without x-msp-openness is closed",
    why: "Whether values may be added later decides what every reader must do; it should be said.",
    fix: 'Add "x-msp-openness": "open" or "closed".',
  },
  "ack-envelope": {
    severity: "warning",
    message: "the result of a command lacks {missing}",
    why: "A client checks that the acknowledgement echoes its commandId and reads its status.",
    fix: "Add the members commandId and status, required, or excuse the finding.",
  },
  "integer-without-range": {
    severity: "warning",
    message: "an integer without minimum and maximum",
    why: "Languages with sized integers need the range; beyond 2^53 values lose digits.",
    fix: "State the range.",
  },
  "missing-description": {
    severity: "warning",
    message: "no description",
    why: "The bundle is the only source of the reference and of the comments in generated code.",
    fix: "Describe it.",
  },
  "foreign-annotation": {
    severity: "note",
    message: 'the annotation "{name}" is kept and not used',
    why: "Annotations of other tools pass through; the list shows that none was meant to be a mark.",
    fix: "Nothing, if it is meant for another tool.",
  },
  "invalid-config": {
    severity: "error",
    needed: true,
    message: "{problem}",
    why: "A setting that is not understood would be silently without effect.",
    fix: "See schema/config.schema.json.",
  },
  "unused-excuse": {
    severity: "error",
    needed: true,
    message: 'the excuse for {rule} at "{pointer}" excuses nothing',
    why: "An excuse that outlives its finding hides the next one.",
    fix: "Remove it from the configuration.",
  },
  "invalid-acknowledgments": {
    severity: "error",
    needed: true,
    message: "{problem}",
    why: "An acknowledgment that is not understood would let nothing through, or too much.",
    fix: "See schema/acknowledgments.schema.json.",
  },
  "repeated-acknowledgment": {
    severity: "error",
    needed: true,
    message: 'the {what} "{key}" stands here a second time',
    why: "Two entries for one thing give two reasons, and one of them would be forgotten.",
    fix: "Keep one of them.",
  },
  "stale-acknowledgment": {
    severity: "error",
    needed: true,
    message: 'acknowledges the change {change} at "{pointer}", which was not made',
    why: "An acknowledgment that outlives its change would let it through when it comes again, unseen.",
    fix: "Remove it. Where the change was altered, acknowledge what it is now.",
  },
  "mistaken-acknowledgment": {
    severity: "error",
    needed: true,
    message: "{member} is {found}; of the change {change} it has to be {expected}",
    why: "People read the pointer, the rule and the release; the id alone says which change is let through.",
    fix: "Correct the member, or the id.",
  },
  "removal-without-window": {
    severity: "error",
    needed: true,
    message: 'acknowledges a removal at "{pointer}" from release {base}, but {problem}',
    why: "From 1.0.0 on, what is to go is announced in one release and removed in a later one.",
    fix: "Keep what was removed, mark it as deprecated, and announce it among the deprecations.",
  },
  "idle-deprecation": {
    severity: "error",
    needed: true,
    message: 'announces the removal of "{pointer}", which is in no version that is compared',
    why: "An announcement that names nothing announces nothing.",
    fix: "Correct the pointer, or remove the entry when what it names is gone.",
  },
  "schema-rolled-back": {
    severity: "error",
    needed: true,
    message: "the stable surface is that of release {release} again, and {base} is past it",
    why: "An older file that was put back by mistake takes away what others use already, and each of its parts looks fine.",
    fix: "Take the latest schema. Where it is meant, compare with that release instead.",
  },
  "cannot-emit": {
    severity: "error",
    needed: true,
    message: "{product} cannot be made of this node: {problem}",
    why: "A product that left out what it cannot express would pass for complete.",
    fix: "Write the node in a way that the product knows, or leave the product out with --only.",
  },
  "output-not-owned": {
    severity: "error",
    needed: true,
    message: "a file that mspkit did not write stands where {product} belongs",
    why: "Other people's files are never overwritten.",
    fix: "Move the file, or choose another --out.",
  },
  "output-missing": {
    severity: "error",
    needed: true,
    message: "missing; {command} writes it",
    why: "Generated code is committed, so that a clone is complete.",
    fix: "Run the command and commit what it writes.",
  },
  "output-changed": {
    severity: "error",
    needed: true,
    message: "differs from what {command} writes",
    why: "The schema was edited without regenerating, or the file was edited by hand.",
    fix: "Run the command; edit the schema, never the output.",
  },
  "output-extra": {
    severity: "error",
    needed: true,
    message: "listed as generated, but {command} no longer writes it",
    why: "A file left over from an earlier schema still compiles and misleads.",
    fix: "Run the command: it removes the file.",
  },
} as const satisfies Record<string, Rule>;

/** The id of a rule. */
export type RuleId = keyof typeof rules;

type ParamNames<T extends string> = T extends `${string}{${infer P}}${infer Rest}`
  ? P | ParamNames<Rest>
  : never;

/** The parameters that a rule's message names. */
export type MessageParams<Id extends RuleId> = {
  readonly [P in ParamNames<(typeof rules)[Id]["message"]>]: string | number;
};

/** The message of a rule with its parameters filled in. */
export function render<Id extends RuleId>(rule: Id, params: MessageParams<Id>): string {
  const values = params as Readonly<Record<string, string | number>>;
  return rules[rule].message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** Whether a text is the id of a rule. */
export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(rules, text);
}
