/**
 * The grammar of the test agent: a script in the prompt of a turn, one directive a line. docs/test-agent.md says it in
 * full, and schema/msp/vectors/test-agent.ndjson by example.
 */

/** The version of the grammar. It moves when a prompt comes to mean something else. */
export const SCRIPT_VERSION = 1;

/** The longest wait that a directive may name; milliseconds. What timers of many languages can hold. */
export const LONGEST_WAIT_MS = 2_147_483_647;

/** What a script does, in order. Times are milliseconds. */
export type Step =
  /** Says a text, as one streamed message. */
  | { readonly step: "say"; readonly text: string }
  | { readonly step: "wait"; readonly ms: number }
  /** Calls a tool, which takes so long. */
  | { readonly step: "tool"; readonly name: string; readonly ms: number }
  /** Calls a tool that has to be allowed, in so many stages. */
  | { readonly step: "approve"; readonly stages: number }
  /** Calls a tool that asks one question; `timeoutMs`: after which it is settled as timed out. */
  | { readonly step: "ask"; readonly timeoutMs?: number }
  | { readonly step: "fail" }
  /** The turn is not launched. The only step of its script. */
  | { readonly step: "failLaunch" }
  /** Waits until it is interrupted. */
  | { readonly step: "hang" }
  /** Waits, and hears nothing. */
  | { readonly step: "deaf"; readonly ms: number }
  /** A directive that cannot be read, with its line from 1. The only step of its script. */
  | { readonly step: "malformed"; readonly line: number; readonly text: string };

/** A directive: how it is written, and what it does. The table of docs/test-agent.md. */
export interface Directive {
  readonly form: string;
  readonly does: string;
}

/** The directives, by name. */
export const DIRECTIVES = {
  say: { form: "/say TEXT", does: "says the text: one streamed message" },
  wait: { form: "/wait MS", does: "waits; steers are echoed meanwhile" },
  tool: {
    form: "/tool NAME [MS]",
    does: "calls a tool that takes so long, 0 where left out, and can be stopped and moved to the background",
  },
  approve: {
    form: "/approve [STAGES]",
    does: "calls a tool that asks for approval, 1 to 9 times, once where left out; rejected unless it is allowed",
  },
  ask: {
    form: "/ask [MS]",
    does: "calls a tool that asks one question with two options, settled as timed out after so long where it is said",
  },
  fail: { form: "/fail", does: "fails the turn: `modelError`, retryable" },
  "fail-launch": { form: "/fail-launch", does: "fails the launch of the turn, wherever it stands" },
  hang: { form: "/hang", does: "waits until interrupted; steers are echoed meanwhile" },
  deaf: { form: "/deaf MS", does: "waits and hears nothing meanwhile: neither an interrupt nor a steer" },
} as const satisfies Readonly<Record<string, Directive>>;

type Reader = (rest: string) => Step | undefined;

const READERS: Readonly<Record<keyof typeof DIRECTIVES, Reader>> = {
  say: (rest) => {
    const text = rest.slice(1);
    return isBlank(text) ? undefined : { step: "say", text };
  },
  wait: (rest) => withWords(rest, 1, 1, ([ms]) => timed(ms, (wait) => ({ step: "wait", ms: wait }))),
  tool: (rest) =>
    withWords(rest, 1, 2, ([name, ms]) =>
      name !== undefined && /^[A-Za-z0-9_.-]{1,64}$/.test(name)
        ? timed(ms ?? "0", (wait) => ({ step: "tool", name, ms: wait }))
        : undefined,
    ),
  approve: (rest) =>
    withWords(rest, 0, 1, ([stages = "1"]) =>
      /^[1-9]$/.test(stages) ? { step: "approve", stages: Number(stages) } : undefined,
    ),
  ask: (rest) =>
    withWords(rest, 0, 1, ([ms]) =>
      ms === undefined
        ? { step: "ask" }
        : timed(ms, (timeoutMs) => (timeoutMs === 0 ? undefined : { step: "ask", timeoutMs })),
    ),
  fail: (rest) => withWords(rest, 0, 0, () => ({ step: "fail" })),
  "fail-launch": (rest) => withWords(rest, 0, 0, () => ({ step: "failLaunch" })),
  hang: (rest) => withWords(rest, 0, 0, () => ({ step: "hang" })),
  deaf: (rest) => withWords(rest, 1, 1, ([ms]) => timed(ms, (wait) => ({ step: "deaf", ms: wait }))),
};

/**
 * Reads a script. Every prompt has one: a line that is no directive is text, and all text of a prompt is said as one
 * message, where its first line stands. A line that begins with the name of a directive and goes on otherwise than its
 * form is `malformed`, and the script does nothing else; `/fail-launch` anywhere comes before that.
 */
export function parseScript(prompt: string): readonly Step[] {
  const steps: Step[] = [];
  const text: string[] = [];
  let place: number | undefined;
  let malformed: Step | undefined;
  for (const [index, raw] of prompt.split("\n").entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const directive = directiveOf(line);
    if (directive === undefined) {
      if (place === undefined && isBlank(line)) continue;
      place ??= steps.length;
      text.push(line);
    } else {
      const step = directive.read(directive.rest);
      if (step?.step === "failLaunch") return [step];
      if (step === undefined) malformed ??= { step: "malformed", line: index + 1, text: line };
      else steps.push(step);
    }
  }
  if (malformed !== undefined) return [malformed];
  if (place !== undefined) {
    while (isBlank(text.at(-1) ?? "x")) text.pop();
    steps.splice(place, 0, { step: "say", text: text.join("\n") });
  }
  return steps;
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line);
}

/** The directive that a line names: its name stands first and is followed by nothing, a space or a tab. */
function directiveOf(line: string): { readonly read: Reader; readonly rest: string } | undefined {
  const name = /^\/([a-z-]+)(?=[ \t]|$)/.exec(line)?.[1];
  if (name === undefined || !Object.hasOwn(READERS, name)) return undefined;
  return { read: READERS[name as keyof typeof READERS], rest: line.slice(name.length + 1) };
}

/** The words of the rest of a line, where they are as many as the directive takes. */
function withWords(
  rest: string,
  fewest: number,
  most: number,
  step: (words: readonly string[]) => Step | undefined,
): Step | undefined {
  const words = rest.split(/[ \t]+/).filter((word) => word !== "");
  return words.length < fewest || words.length > most ? undefined : step(words);
}

/** A step with a time, where the word is one. */
function timed(word: string | undefined, step: (ms: number) => Step | undefined): Step | undefined {
  if (word === undefined || !/^[0-9]{1,10}$/.test(word)) return undefined;
  const ms = Number(word);
  return ms > LONGEST_WAIT_MS ? undefined : step(ms);
}
