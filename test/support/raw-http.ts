/** Requests of HTTP as bytes: those that no client would send. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { JsonObject } from "../../src/commands/app.js";
import { tokenOf } from "./doors.js";

/** An answer, as it came. */
export interface RawAnswer {
  /** 0 where the connection ended without one. */
  readonly status: number;
  readonly head: string;
  readonly json: JsonObject;
}

/** A connection that is sent these bytes. */
export async function rawSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined); // the server may cut it
  await once(socket, "connect");
  return socket;
}

/** All that comes on a connection until it ends. */
export async function rawAnswer(socket: Socket): Promise<RawAnswer> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  if (!socket.closed) await once(socket, "close");
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  return {
    status,
    head,
    json: /content-type: application\/(?:problem\+)?json/i.test(head) ? JSON.parse(body) : {},
  };
}

/** The head of a request by `orchard/ann`. */
export function headOf(
  url: string,
  verb: string,
  lines: readonly string[],
  token = tokenOf("orchard", "ann"),
): string {
  const { host, pathname, search } = new URL(url);
  const all = [
    `${verb} ${pathname}${search} HTTP/1.1`,
    ...(lines.some((line) => /^host:/i.test(line)) ? [] : [`Host: ${host}`]),
    `Authorization: Bearer ${token}`,
    "Connection: close",
    ...lines,
  ];
  return `${all.join("\r\n")}\r\n\r\n`;
}

/** A POST of JSON with more lines in its head. */
export async function rawPost(url: string, body: unknown, lines: readonly string[]): Promise<RawAnswer> {
  const text = JSON.stringify(body);
  const socket = await rawSocket(url);
  const head = headOf(url, "POST", [
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...lines,
  ]);
  socket.write(head + text);
  return rawAnswer(socket);
}
