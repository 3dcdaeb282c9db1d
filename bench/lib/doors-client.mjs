// The least that asks a server of HTTP: connections that are kept, each with one request at a time.
import { connect } from "node:net";

/** Whom the door lets in. */
export const TOKEN = "a-token-for-the-bench";

/** Connections to a server. */
export async function connections(url, count) {
  const { hostname, port, host } = new URL(url);
  const open = Array.from({ length: count }, () => connection(Number(port), hostname, host));
  await Promise.all(open.map(({ ready }) => ready));
  return open;
}

function connection(port, hostname, host) {
  const socket = connect(port, hostname).setNoDelay(true);
  let text = "";
  let answered;
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
    const end = text.indexOf("\r\n\r\n");
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)[1]);
    if (text.length < end + 4 + length) return;
    const answer = { status: Number(text.slice(9, 12)), body: text.slice(end + 4) };
    text = "";
    answered(answer);
  });
  return {
    ready: new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject)),
    post: (path, body) =>
      new Promise((resolve) => {
        answered = resolve;
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }),
    end: () => socket.destroy(),
  };
}
