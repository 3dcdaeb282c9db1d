/** A host that is nothing but its answers, in simulation: one that refuses everything, one that says yes to all. */
import fc from "fast-check";
import { methods as samples } from "../../generated/msp/experimental/arbitraries.js";
import { errors } from "../../generated/msp/experimental/tables.js";
import { Host } from "../../src/host/host.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import { type EmbeddedHost, embeddedDriver } from "../../src/laws/simulation/embedded.js";
import { FrameReader } from "../../src/wire/frames.js";

/** A request as it was read. */
export interface Asked {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * A driver whose host answers a line that is a request by the lines that `answer` gives, and nothing else. It is said to
 * be able to do what the embedded host can.
 */
export async function answeringDriver(answer: (asked: Asked) => readonly string[]): Promise<Driver> {
  let asked = false;
  const driver = await embeddedDriver({
    makeHost: (options) => (asked ? answering(answer) : new Host(options)),
  });
  asked = true;
  return { ...driver, name: "a host that is nothing but its answers" };
}

function answering(answer: (asked: Asked) => readonly string[]): EmbeddedHost {
  return {
    accept: (transport) => {
      const reader = new FrameReader({
        onFrame: (raw) => {
          const asked = requestOf(raw);
          if (asked !== undefined) for (const line of answer(asked)) transport.write(`${line}\n`);
        },
        onFault: () => undefined,
      });
      transport.open({
        bytes: (chunk) => reader.push(chunk),
        drained: () => undefined,
        ended: () => void transport.close(),
      });
    },
    close: async () => undefined,
  };
}

function requestOf(raw: string): Asked | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(raw);
  } catch {
    return undefined;
  }
  if (typeof frame !== "object" || frame === null || !("id" in frame)) return undefined;
  const { id, method = "", params = {} } = frame as { id: unknown; method?: unknown; params?: never };
  return { id, method: String(method), params };
}

const results = new Map<string, unknown>();

/** A result that fits a method; for one that there is not, an object. */
export function anyResult(method: string): Record<string, unknown> {
  const known: Readonly<Record<string, { readonly result: { readonly valid: fc.Arbitrary<unknown> } }>> =
    samples as never;
  if (!Object.hasOwn(known, method)) return {};
  let result = results.get(method);
  if (result === undefined) {
    [result] = fc.sample(known[method]!.result.valid, { seed: 1, numRuns: 1 });
    results.set(method, result);
  }
  return { ...(result as object) };
}

/** The line of a result. */
export function resultLine({ id }: Asked, result: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** The line of an error. */
export function errorLine({ id }: Asked, kind: keyof typeof errors): string {
  const { code } = errors[kind];
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: kind, data: { kind } } });
}

/** What is said at a handshake: a host that has everything. */
export function welcome(asked: Asked): object {
  const { capabilities = {} } = asked.params as { capabilities?: { experimentalApi?: boolean } };
  const { maxLimits: _, ...result } = anyResult("initialize");
  return {
    ...result,
    serverInfo: { name: "answers", version: "1" },
    sessionDurability: "durable",
    grantedCapabilities: [],
    experimentalApi: capabilities.experimentalApi === true,
  };
}
