/**
 * Short stories that chance would rarely tell: what has to happen in an order before a host can answer some errors.
 * Each is a list of parts; whatever else chance puts beside them does no harm.
 */
import type { Prompts } from "../driver/driver.js";
import type { FuzzFrame } from "./frame.js";

type Step = readonly [method: string, params: Readonly<Record<string, unknown>>];
interface Story {
  readonly name: string;
  readonly parts: readonly (readonly Step[])[];
}

const SESSION = "{{seen:sessionId:0}}";
const own = { sessionId: SESSION, commandId: "{{new}}" };
const turn = (text: string): Step => ["turn/start", { ...own, input: [{ type: "text", text }] }];
/** Asks something harmless, so that what the host does of itself comes to pass meanwhile. */
const wait: readonly Step[] = [
  ["session/read", { sessionId: SESSION }],
  ["usage/read", {}],
];
const part = (type: string, more: object): Step => ["turn/start", { ...own, input: [{ type, ...more }] }];

function stories({ approval, question, quick = "hello", busy = quick }: Prompts): readonly Story[] {
  const out: Story[] = [
    {
      name: "references",
      parts: [
        [],
        [
          part("skill", { selector: "nobody" }),
          part("video", { uploadId: "{{new}}" }),
          ["turn/start", { ...own, input: [], userShell: { commandText: "true" } }],
        ],
      ],
    },
    {
      name: "places",
      parts: [
        [],
        [turn(quick)],
        wait,
        [
          ["view/page", { sessionId: SESSION, limit: 1, anchor: "latestCompaction" }],
          ["view/page", { sessionId: SESSION, limit: 1_000, direction: "backward" }],
          ["view/page", { sessionId: SESSION, limit: 1, cursor: "nowhere" }],
          ["item/readOutput", { sessionId: SESSION, itemId: "{{seen:itemId:0}}", outputRef: "x" }],
          ["item/readOutput", { sessionId: SESSION, itemId: "{{new}}", outputRef: "x" }],
          ["session/fork", { ...own, cutPoint: { lastTurnId: "{{new}}" } }],
          ["session/fork", { ...own, cutPoint: { lastTurnId: "{{seen:turnId:0}}" } }],
          ["turn/cancel", { ...own, turnId: "{{new}}" }],
        ],
      ],
    },
    {
      name: "gone",
      parts: [
        [],
        [["session/leave", { ...own, stop: true }]],
        wait,
        wait,
        [turn(quick), ["session/resume", { sessionId: "{{new}}", commandId: "{{new}}" }]],
      ],
    },
    { name: "queue", parts: [[], [turn(busy), turn(quick), turn(quick)], wait, [["turn/interrupt", own]]] },
  ];
  if (approval !== undefined) {
    const decide = (more: object): Step => [
      "approval/decide",
      {
        ...own,
        approvalId: "{{seen:approvalId:0}}",
        requirementId: "{{object:currentRequirementId:0}}",
        choiceId: "{{seen:choiceId:0}}",
        ...more,
      },
    ];
    const stale = { approvalId: "{{seen:approvalId:0}}", sourceIndex: 77 };
    out.push({
      name: "approval",
      parts: [
        [],
        [turn(approval)],
        wait,
        wait,
        [
          decide({ choiceId: "nobody offers it" }),
          decide({ requirementId: stale }),
          decide({ approvalId: "nobody's" }),
        ],
        [decide({})],
        [decide({})],
      ],
    });
  }
  if (question !== undefined) {
    const settle = (method: string, more: object): Step => [
      method,
      { ...own, userInputId: "{{seen:userInputId:0}}", ...more },
    ];
    const wrong = { answers: [{ questionId: "nobody asked", selectedLabel: "x" }] };
    out.push({
      name: "question",
      parts: [
        [],
        [turn(question)],
        wait,
        wait,
        [settle("userInput/answer", wrong), settle("userInput/cancel", { userInputId: "nobody's" })],
        [settle("userInput/cancel", {})],
        [settle("userInput/answer", wrong), settle("userInput/clarify", { clarification: "x" })],
      ],
    });
  }
  return out;
}

/** The parts of the n-th of the stories, which come round again, as far as a host serves what is in them. */
export function story(
  n: number,
  prompts: Prompts,
  served: ReadonlySet<string>,
): readonly (readonly FuzzFrame[])[] {
  const all = stories(prompts);
  const { name, parts } = all[n % all.length] as Story;
  // What is not served has nothing to come of it that would have to be waited for.
  if (!parts.flat().some(([method]) => served.has(method))) return [];
  return parts.map((steps) =>
    steps
      .filter(([method]) => served.has(method))
      .map(([method, params]) => ({
        kind: "script" as const,
        text: `{"jsonrpc":"2.0","id":{{id}},"method":"${method}","params":${JSON.stringify(params)}}`,
        why: `story of ${name}`,
      })),
  );
}
