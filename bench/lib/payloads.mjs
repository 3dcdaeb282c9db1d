// Messages as a session sends them, in several shapes of each kind, so that no single shape is what is measured.

const TASK =
  "Cap the backoff of the retry loop in src/net/client.ts at thirty seconds, run the unit tests and say what changed.";

const uuid = (i) => `0192f5c8-7a1e-7c3d-9b2a-${String(i).padStart(12, "0")}`;
const session = uuid(1);
const turn = uuid(3);

const position = (name, sequence) => ({ id: `${name}-${sequence}`, sequence });

const sourceRange = (i) => ({
  first: position("rec", i),
  last: position("rec", i + 2),
  stream: { id: uuid(7), kind: "session" },
});

const output = (i) => ({
  availability: "available",
  byteLen: 20_480 + i,
  digest: `sha256:${"c0ffee12".repeat(8)}`,
  id: `out-${i}`,
  kind: "output",
  mediaType: "text/plain",
  uri: `msp-output://session/${uuid(i)}`,
});

/** What every tool call's item has. */
const toolCall = (i, tool, members) => ({
  kind: "toolCall",
  tool,
  callId: `call-${i}`,
  args: JSON.stringify({ command: ["bash", "-lc", "npm test"], timeout: 60 + i }),
  ...members,
});

const completed = (members) => (i) => ({
  item: {
    itemId: `item-${i}`,
    revision: 3,
    status: "completed",
    turnId: turn,
    recordedAt: "2026-03-01T12:00:00.000Z",
    ...members(i),
  },
  sessionId: session,
  sourceRange: sourceRange(i),
  viewCursor: `v1:${i}:abcdef`,
});

const SHAPES = {
  "turn/start": [
    (i) => ({ commandId: uuid(i), input: [{ type: "text", text: TASK }], sessionId: session }),
    (i) => ({
      commandId: uuid(i),
      ifBusy: "queue",
      input: [{ type: "text", text: `${TASK} (${i})` }],
      reasoningEffort: "high",
      sessionId: session,
      tokenBudget: 150_000,
    }),
    (i) => ({
      commandId: uuid(i),
      displayText: "cap the backoff",
      ifBusy: "steer",
      input: [
        { type: "text", text: TASK },
        { type: "image", mediaType: "image/png", uploadId: `up-${i}`, width: 1280, height: 720 },
        { type: "skill", selector: "review", source: "project", arguments: "--fast" },
      ],
      sessionId: session,
      workspaceRoots: ["/home/dev/app", "/home/dev/lib"],
    }),
    (i) => ({
      commandId: uuid(i),
      input: [{ type: "text", text: "run the tests" }],
      sessionId: session,
      userShell: { commandText: "npm test" },
    }),
  ],
  "turn/steer": [
    (i) => ({
      commandId: uuid(i),
      expectedTurnId: turn,
      input: [{ type: "text", text: TASK }],
      sessionId: session,
    }),
    (i) => ({
      commandId: uuid(i),
      expectedTurnId: turn,
      input: [{ type: "text", text: TASK }],
      reasoningEffort: "medium",
      sessionId: session,
      tokenBudget: 4_000 + i,
    }),
  ],
  "session/start": [
    (i) => ({ commandId: uuid(i), workspaceRoot: "/home/dev/app" }),
    (i) => ({
      approvalMode: "onRequest",
      commandId: uuid(i),
      modelId: "model-large-1",
      providerId: null,
      recoveryMode: "on",
      workspaceRoot: "/home/dev/app",
      workspaceRoots: ["/home/dev/app", "/home/dev/lib"],
    }),
    (i) => ({
      approvalMode: null,
      commandId: uuid(i),
      config: {
        mcpServers: {
          files: {
            transport: "stdio",
            command: "node",
            args: ["server.js", "--root", "/srv"],
            env: { LOG: "info", TZ: "UTC" },
            framing: "lineDelimitedJson",
            mode: "required",
          },
          search: {
            transport: "streamableHttp",
            url: "https://search.example/mcp",
            headers: { "x-key": `k${i}` },
          },
        },
      },
      limits: {
        sandboxEnabled: true,
        sandboxNetwork: "restricted",
        shellEnabled: true,
        workspaceTrusted: true,
        writesEnabled: false,
      },
      modelId: "model-large-1",
      permissionProfile: "default",
      sessionId: session,
      workspaceRoot: "/home/dev/app",
    }),
    (i) => ({
      commandId: uuid(i),
      sessionId: session,
      workspaceRoot: "/home/dev/app",
      worktree: { mode: "create", baseRef: "main" },
    }),
  ],
  "item/completed": [
    completed(() => ({
      kind: "agentMessage",
      text: TASK.repeat(4),
      messagePhase: "finalAnswer",
      generationId: 4,
      usage: { cachedTokens: 1_100, inputTokens: 3_300, outputTokens: 480, reasoningTokens: 96 },
    })),
    completed((i) => ({
      kind: "userMessage",
      text: TASK,
      commandId: uuid(i),
      displayText: TASK,
      attachments: [{ mediaType: "image/png", type: "image", width: 640, height: 480 }],
    })),
    completed((i) =>
      toolCall(i, "shell", {
        displayLabel: { active: "Running npm test", done: "Ran npm test", neutral: "npm test" },
        durationMs: 5_100,
        exitCode: 0,
        outputRef: output(i),
        truncated: false,
        visibleOutput: "ok ".repeat(80),
      }),
    ),
    completed((i) => ({
      kind: "reasoning",
      providerItemId: `rs_${i}`,
      summary: ["read the client", "found the loop", "chose a cap"],
    })),
    completed((i) =>
      toolCall(i, "apply_patch", {
        approvalId: `ap-${i}`,
        displayLabel: { active: "Patching", done: "Patched", neutral: "Patch" },
        durationMs: 90,
        patchRef: output(i),
        patchSummary: { added: 31, files: 2, removed: 12 },
      }),
    ),
    completed((i) =>
      toolCall(i, "cron", {
        durationMs: 12,
        toolReceipt: {
          family: "cron",
          operation: "create",
          outcome: "created",
          details: { jobId: `j${i}`, nextFireAtMs: 1_772_366_400_000 },
        },
      }),
    ),
    completed((i) => ({
      kind: "subagent",
      subagentId: `sub-${i}`,
      role: "worker",
      objective: TASK,
      controlStatus: "closed",
      depth: 1,
      result: { artifactRefs: [], evidenceRefs: ["e1", "e2"], summary: TASK },
      statusProgress: { current: 4, total: 4 },
      children: [{ attempt: 1, childId: "c1", status: "completed", durationMs: 900 }],
    })),
    completed(() => ({
      kind: "webSearch",
      query: "capped exponential backoff",
      results: [1, 2, 3, 4, 5].map((n) => ({ title: `Result ${n}`, url: `https://results.example/${n}` })),
    })),
  ],
};

/** The kinds of message, each with the definition of its params. */
export const KINDS = {
  "turn/start": "TurnStartParams",
  "turn/steer": "TurnSteerParams",
  "session/start": "SessionStartParams",
  "item/completed": "ItemCompletedParams",
};

/** 64 messages of a kind as texts. */
export function texts(kind) {
  const shapes = SHAPES[kind];
  return Array.from({ length: 64 }, (_, i) => JSON.stringify(shapes[i % shapes.length](i)));
}

/**
 * Copies of the messages, each broken in one place: every member in turn, wherever it stands, gets a value of
 * another type or goes away.
 */
export function* mutants(kind) {
  for (const text of new Set(texts(kind).slice(0, SHAPES[kind].length))) {
    const paths = [];
    collect(JSON.parse(text), [], paths);
    for (const path of paths) {
      for (const junk of [undefined, null, 7, "junk", true, [], {}]) {
        const value = JSON.parse(text);
        const holder = path.slice(0, -1).reduce((at, key) => at[key], value);
        if (junk !== undefined) holder[path.at(-1)] = junk;
        else if (Array.isArray(holder)) holder.splice(path.at(-1), 1);
        else delete holder[path.at(-1)];
        yield value;
      }
    }
  }
}

function collect(value, path, paths) {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    paths.push([...path, key]);
    collect(value[key], [...path, key], paths);
  }
}
