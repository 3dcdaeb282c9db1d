/** Requests to change to a protocol that is not spoken here. */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { endWithProblem } from "../http/problem.js";
import { refusal } from "../reasons.js";

/** Lines of a head that Node is sure to give whole. */
const MOST_LINES = 1_000;

/**
 * Has such a request answered as if it did not ask for another protocol (RFC 9110, 7.8). Some clients ask for HTTP/2 in every
 * one. Node gives away the sockets of all upgrades where it gives away any: the server gets this one back, with the request
 * but for the header.
 */
export function answerPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== "upgrade") lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  if (lines.length > MOST_LINES) {
    endWithProblem(socket, refusal("malformed_request"));
    return;
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
