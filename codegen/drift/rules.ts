/**
 * The rules by which two versions of a protocol are compared: declared once, here. `mspkit explain`, `docs/drift.md`
 * and the reports are made from this table; what applies them stands below `compare/`.
 */

/** What a rule says about itself. */
export interface DriftRule {
  /** What it is about. */
  readonly purpose: string;
  /** Whom such a change breaks, and how. */
  readonly breaks: string;
  /** A least pair that shows it: of nodes, or of what a message says. */
  readonly example: { readonly before: string; readonly after: string };
  /** What to do instead, or about it. */
  readonly fix: string;
}

const READER_LOSES = "A reader of the later version refuses what a sender of the earlier one says.";
const SENDER_GAINS =
  "Where the host sends it, an old client refuses what a new host says. Where the client sends it, nobody is broken: an old host refuses it, and a client knows whom it talks to.";
const RELIED = "No message shows it. An old client may rely on what is gone, so the verdict is unknown.";
const NOBODY = "Nobody.";
const GATE = "Acknowledge it, or keep what was and add the new beside it.";
const NOTHING = "Nothing.";

/** The rules by id. */
export const driftRules = {
  "value-added": {
    purpose: "A word was added to those that are listed.",
    breaks: `${SENDER_GAINS} A reader of an open list takes any word, so there it breaks nobody.`,
    example: { before: '{"enum": ["a"]}', after: '{"enum": ["a", "b"]}' },
    fix: "Open the list before a word is added to it, or add a member beside it.",
  },
  "value-removed": {
    purpose: "A listed word is gone.",
    breaks: `${READER_LOSES} In an open list the word is still taken, and means nothing any more: the verdict is unknown.`,
    example: { before: '{"enum": ["a", "b"]}', after: '{"enum": ["a"]}' },
    fix: GATE,
  },
  "values-opened": {
    purpose: "Words beyond those that are listed are taken now.",
    breaks: SENDER_GAINS,
    example: {
      before: '{"enum": ["a"], "x-msp-openness": "closed"}',
      after: '{"enum": ["a"], "x-msp-openness": "open"}',
    },
    fix: "Let clients that take any word be in use first.",
  },
  "values-closed": {
    purpose: "Words beyond those that are listed are refused now.",
    breaks: READER_LOSES,
    example: {
      before: '{"enum": ["a"], "x-msp-openness": "open"}',
      after: '{"enum": ["a"], "x-msp-openness": "closed"}',
    },
    fix: "Keep the list open.",
  },
  "type-added": {
    purpose: "Values of another type, or not only whole numbers, are allowed now.",
    breaks: SENDER_GAINS,
    example: { before: '{"type": "integer"}', after: '{"type": ["integer", "string"]}' },
    fix: "Add a member of the other type beside it.",
  },
  "type-removed": {
    purpose: "Values of a type, or other than whole numbers, are allowed no more.",
    breaks: READER_LOSES,
    example: { before: '{"type": "number"}', after: '{"type": "integer"}' },
    fix: GATE,
  },
  "null-added": {
    purpose: "Null is allowed now.",
    breaks: SENDER_GAINS,
    example: { before: '{"type": "string"}', after: '{"type": ["string", "null"]}' },
    fix: "Leave the member out where it has no value, as optional members are.",
  },
  "null-removed": {
    purpose: "Null is allowed no more.",
    breaks: READER_LOSES,
    example: { before: '{"type": ["string", "null"]}', after: '{"type": "string"}' },
    fix: "Keep taking null; sending none is everyone's own affair.",
  },
  "member-added": {
    purpose: "A member that need not be there was added.",
    breaks: `${NOBODY} Members that a reader does not know are skipped.`,
    example: { before: '{"properties": {}}', after: '{"properties": {"a": {"type": "string"}}}' },
    fix: NOTHING,
  },
  "required-member-added": {
    purpose: "A member that must be there was added.",
    breaks: READER_LOSES,
    example: {
      before: '{"properties": {}}',
      after: '{"properties": {"a": {"type": "string"}}, "required": ["a"]}',
    },
    fix: "Add it as one that need not be there, and say what its absence means.",
  },
  "member-removed": {
    purpose: "A member that need not be there is gone.",
    breaks: RELIED,
    example: { before: '{"properties": {"a": {"type": "string"}}}', after: '{"properties": {}}' },
    fix: "Mark it as deprecated first, and remove it when the window is over.",
  },
  "required-member-removed": {
    purpose: "A member that must be there is gone.",
    breaks: `${SENDER_GAINS} What is gained is a message without it.`,
    example: {
      before: '{"properties": {"a": {"type": "string"}}, "required": ["a"]}',
      after: '{"properties": {}}',
    },
    fix: "Mark it as deprecated first, and remove it when the window is over.",
  },
  "member-required": {
    purpose: "A member that need not be there must be there now.",
    breaks: READER_LOSES,
    example: {
      before: '{"properties": {"a": {"type": "string"}}}',
      after: '{"properties": {"a": {"type": "string"}}, "required": ["a"]}',
    },
    fix: "Leave it optional; let senders send it always.",
  },
  "member-optional": {
    purpose: "A member that must be there need not be there now.",
    breaks: `${SENDER_GAINS} What is gained is a message without it.`,
    example: {
      before: '{"properties": {"a": {"type": "string"}}, "required": ["a"]}',
      after: '{"properties": {"a": {"type": "string"}}}',
    },
    fix: "Keep sending it.",
  },
  "dependency-added": {
    purpose: "A member needs another one beside it now.",
    breaks: READER_LOSES,
    example: { before: "{}", after: '{"dependentRequired": {"a": ["b"]}}' },
    fix: GATE,
  },
  "dependency-removed": {
    purpose: "A member needs another one beside it no more.",
    breaks: SENDER_GAINS,
    example: { before: '{"dependentRequired": {"a": ["b"]}}', after: "{}" },
    fix: "Keep sending both.",
  },
  "others-restricted": {
    purpose: "Members that are not declared have to be of a shape now.",
    breaks: READER_LOSES,
    example: {
      before: '{"type": "object"}',
      after: '{"type": "object", "additionalProperties": {"type": "string"}}',
    },
    fix: GATE,
  },
  "others-freed": {
    purpose: "Members that are not declared may have any shape now.",
    breaks: SENDER_GAINS,
    example: {
      before: '{"type": "object", "additionalProperties": {"type": "string"}}',
      after: '{"type": "object"}',
    },
    fix: GATE,
  },
  "bound-tightened": {
    purpose: "A bound allows less.",
    breaks: READER_LOSES,
    example: { before: '{"maximum": 10}', after: '{"maximum": 5}' },
    fix: "Keep taking what was allowed.",
  },
  "bound-loosened": {
    purpose: "A bound allows more.",
    breaks: SENDER_GAINS,
    example: { before: '{"maximum": 5}', after: '{"maximum": 10}' },
    fix: "Stay within the old bound towards old peers.",
  },
  "pattern-changed": {
    purpose: "A text has to match another pattern.",
    breaks:
      "Whom, is found by trying texts of both patterns. What no text shows is unknown, since nobody can compare patterns in general.",
    example: { before: '{"pattern": "^a"}', after: '{"pattern": "^b"}' },
    fix: GATE,
  },
  "pattern-added": {
    purpose: "A text has to match a pattern now.",
    breaks: READER_LOSES,
    example: { before: '{"type": "string"}', after: '{"type": "string", "pattern": "^a"}' },
    fix: GATE,
  },
  "pattern-removed": {
    purpose: "A text has to match no pattern any more.",
    breaks: SENDER_GAINS,
    example: { before: '{"type": "string", "pattern": "^a"}', after: '{"type": "string"}' },
    fix: "Stay within the pattern towards old peers.",
  },
  "arm-added": {
    purpose: "An alternative was added.",
    breaks: `${SENDER_GAINS} Readers of an open union take it by its last arm.`,
    example: { before: '{"oneOf": [A]}', after: '{"oneOf": [A, B]}' },
    fix: "Open the union before an arm is added to it.",
  },
  "arm-removed": {
    purpose: "An alternative is gone.",
    breaks: `${READER_LOSES} In an open union the last arm still takes it, and the verdict is unknown.`,
    example: { before: '{"oneOf": [A, B]}', after: '{"oneOf": [A]}' },
    fix: GATE,
  },
  "union-opened": {
    purpose: "Arms of the future are taken now.",
    breaks: SENDER_GAINS,
    example: { before: '{"oneOf": [A]}', after: '{"anyOf": [A, OTHER], "x-msp-openness": "open"}' },
    fix: "Let clients that take any arm be in use first.",
  },
  "union-closed": {
    purpose: "Arms that are not declared are refused now.",
    breaks: READER_LOSES,
    example: { before: '{"anyOf": [A, OTHER], "x-msp-openness": "open"}', after: '{"oneOf": [A]}' },
    fix: "Keep the union open.",
  },
  "shape-changed": {
    purpose: "A node is built in another way and no other rule says how, or it refers to another definition.",
    breaks: "Whom, is found by trying values of both. What no value shows is unknown.",
    example: { before: '{"type": "object"}', after: '{"oneOf": [A, B]}' },
    fix: GATE,
  },
  "keyword-changed": {
    purpose: "A keyword that mspkit does not know came, went or changed.",
    breaks: "Nobody can say: the verdict is unknown.",
    example: { before: "{}", after: '{"unevaluatedProperties": false}' },
    fix: "Say it in keywords of the dialect.",
  },
  "default-changed": {
    purpose: "What the absence of a member means has changed.",
    breaks: RELIED,
    example: { before: '{"default": 1}', after: '{"default": 2}' },
    fix: GATE,
  },
  deprecated: {
    purpose: "Something is marked as deprecated.",
    breaks: NOBODY,
    example: { before: "{}", after: '{"deprecated": true}' },
    fix: NOTHING,
  },
  "definition-added": {
    purpose: "A definition was added.",
    breaks: `${NOBODY} No message names a definition.`,
    example: { before: "{}", after: '{"A": {}}' },
    fix: NOTHING,
  },
  "definition-removed": {
    purpose: "A definition is gone.",
    breaks: "Nobody on the wire: no message names a definition. Code that names its type has to change.",
    example: { before: '{"A": {}}', after: "{}" },
    fix: NOTHING,
  },
  "method-added": {
    purpose: "A method was added.",
    breaks: "Nobody: an old host answers methodNotFound, and a client knows whom it talks to.",
    example: { before: "{}", after: '{"a/b": {"result": R}}' },
    fix: NOTHING,
  },
  "method-removed": {
    purpose: "A method is gone.",
    breaks: "An old client calls it, and a new host answers methodNotFound.",
    example: { before: '{"a/b": {"result": R}}', after: "{}" },
    fix: "Mark it as deprecated first, and remove it when the window is over.",
  },
  "notification-added": {
    purpose: "A notification was added.",
    breaks: "Nobody: who does not know a notification ignores it.",
    example: { before: "{}", after: '{"a/b": {"params": P}}' },
    fix: NOTHING,
  },
  "notification-removed": {
    purpose: "A notification is gone.",
    breaks: RELIED,
    example: { before: '{"a/b": {"params": P}}', after: "{}" },
    fix: "Mark it as deprecated first, and remove it when the window is over.",
  },
  "request-added": {
    purpose: "A request of the host was added.",
    breaks: "An old client answers methodNotFound to what a new host asks.",
    example: { before: "{}", after: '{"a/b": {"params": P, "result": R}}' },
    fix: "Ask only clients that hold a capability for it.",
  },
  "request-removed": {
    purpose: "A request of the host is gone.",
    breaks: "An old host asks it, and a new client answers methodNotFound.",
    example: { before: '{"a/b": {"params": P, "result": R}}', after: "{}" },
    fix: "Keep answering it.",
  },
  "unknown-members-refused": {
    purpose: "A method refuses members that it does not know now.",
    breaks: READER_LOSES,
    example: { before: "{}", after: '{"x-msp-strict": true}' },
    fix: GATE,
  },
  "unknown-members-taken": {
    purpose: "A method skips members that it does not know now.",
    breaks: NOBODY,
    example: { before: '{"x-msp-strict": true}', after: "{}" },
    fix: NOTHING,
  },
  "capability-demanded": {
    purpose: "Something needs a capability now.",
    breaks: "An old client that does not hold it is refused.",
    example: { before: "{}", after: '{"x-msp-capability": "c"}' },
    fix: "Grant it to everyone who asks for what needs it now.",
  },
  "capability-waived": {
    purpose: "Something needs a capability no more.",
    breaks: NOBODY,
    example: { before: '{"x-msp-capability": "c"}', after: "{}" },
    fix: NOTHING,
  },
  "behaviour-changed": {
    purpose: "A mark says otherwise than before how messages are treated.",
    breaks: RELIED,
    example: { before: '{"x-msp-kind": "query"}', after: '{"x-msp-kind": "action"}' },
    fix: GATE,
  },
  "error-added": {
    purpose: "An error was added.",
    breaks: "Nobody: a client takes a kind that it does not know for a plain failure.",
    example: { before: "[]", after: '[{"code": -32050, "kind": "x"}]' },
    fix: NOTHING,
  },
  "error-removed": {
    purpose: "An error is gone.",
    breaks: RELIED,
    example: { before: '[{"code": -32050, "kind": "x"}]', after: "[]" },
    fix: GATE,
  },
  "error-changed": {
    purpose: "An error has another code, other kinds that override it, or another advice on retries.",
    breaks: RELIED,
    example: {
      before: '{"code": -32050, "kind": "x", "retryable": true}',
      after: '{"code": -32050, "kind": "x", "retryable": false}',
    },
    fix: "Add an error of its own.",
  },
  "capability-added": {
    purpose: "A capability was added.",
    breaks: NOBODY,
    example: { before: '{"grantable": []}', after: '{"grantable": ["c"]}' },
    fix: NOTHING,
  },
  "capability-removed": {
    purpose: "A capability is granted no more.",
    breaks: RELIED,
    example: { before: '{"grantable": ["c"]}', after: '{"grantable": []}' },
    fix: GATE,
  },
  "rejection-added": {
    purpose: "A reason was added for which commands are rejected.",
    breaks: "Nobody: a client takes a reason that it does not know for a plain rejection.",
    example: { before: "[]", after: '[{"reason": "x"}]' },
    fix: NOTHING,
  },
  "rejection-removed": {
    purpose: "A reason is gone for which commands are rejected.",
    breaks: RELIED,
    example: { before: '[{"reason": "x"}]', after: "[]" },
    fix: GATE,
  },
} as const satisfies Readonly<Record<string, DriftRule>>;

/** The id of a rule. */
export type DriftRuleId = keyof typeof driftRules;

/** Whether a text is the id of a rule. */
export function isDriftRuleId(id: string): id is DriftRuleId {
  return Object.hasOwn(driftRules, id);
}
