/** Rejections as problem details (RFC 9457): the members of the error of JSON-RPC beside those of the standard. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Rejection } from "../../commands/app.js";
import { type AskedFor, type RejectionData, reasonRow, rejectionData } from "../reasons.js";

/** Its media type. */
export const PROBLEM_TYPE = "application/problem+json";

/** A problem. */
export interface Problem extends RejectionData {
  /** A URI that stands for the reason. */
  readonly type: string;
  /** For people. */
  readonly title: string;
  readonly status: number;
}

/** What stands before a reason in the type of a problem. */
export const PROBLEM_URN = "urn:mspkit:problem:";

/** A rejection as a problem. */
export function problemOf(rejection: Rejection, asked: AskedFor): Problem {
  return {
    type: `${PROBLEM_URN}${encodeURIComponent(rejection.reason)}`,
    title: rejection.message,
    status: reasonRow(rejection.reason, asked.asked).status,
    ...rejectionData(rejection, asked),
  };
}

/** The headers that go with a problem. */
export function problemHeaders({ status, retryAfterMs }: Problem): Record<string, string> {
  const headers: Record<string, string> = { "content-type": PROBLEM_TYPE };
  if (retryAfterMs !== undefined)
    headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
  if (status === 401) headers["www-authenticate"] = "Bearer";
  return headers;
}

/** Answers a rejection. */
export function sendProblem(
  reply: FastifyReply,
  rejection: Rejection,
  asked: AskedFor = { asked: "query" },
): FastifyReply {
  const problem = problemOf(rejection, asked);
  return reply.code(problem.status).headers(problemHeaders(problem)).send(JSON.stringify(problem));
}

/** How long the other side may take to read the last answer and to end its half; milliseconds. */
const LINGER_MS = 1_000;

/** Answers a rejection on a connection that fastify has not, or not any more, and ends it. */
export function endWithProblem(socket: Duplex, rejection: Rejection): void {
  socket.on("error", () => undefined); // it may be gone before it is answered
  socket.end(rawProblem(rejection));
  // Cut at once with bytes that nobody has read, the other side might lose the answer.
  socket.resume();
  // One that never ends its half would be kept for ever.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  cut.unref();
  socket.once("close", () => clearTimeout(cut));
}

/** The whole answer, which says that the connection ends. */
function rawProblem(rejection: Rejection): string {
  const problem = problemOf(rejection, { asked: "query" });
  const body = JSON.stringify(problem);
  const headers = {
    ...problemHeaders(problem),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}
