// Commands over HTTP, each with an id of its own: how many a second, of time that passes or of the server's processor.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { connections } from "../lib/doors-client.mjs";
import { BENCH } from "../lib/places.mjs";

const PATH = "/v1/event/publish";
let minted = 0;

/** Ids without a time: those that were forgotten must not stand in the way of those that come. */
const commandId = (n) => `${n.toString(16).padStart(8, "0")}-7a1e-4000-8000-0192f5c87a1e`;

export default async function prepare({ by, together, calls, of, dir }) {
  const file = join(mkdtempSync(join(dir, "doors-")), "results.db");
  const server = fork(join(BENCH, "contenders/doors-server.mjs"), [by, file]);
  process.on("exit", () => server.kill());
  const [url] = await once(server, "message");
  const open = await connections(url, together);
  await requireOnce(open[0], by);
  const used = async () => {
    server.send("used");
    const [{ user, system }] = await once(server, "message");
    return user + system;
  };
  return async () => {
    let left = calls;
    const [cpu, start] = [await used(), performance.now()];
    await Promise.all(
      open.map(async ({ post }) => {
        while (left-- > 0) {
          const { status } = await post(PATH, bodyOf(commandId(++minted)));
          if (status !== 200) throw new Error(`${by}: ${status}`);
        }
      }),
    );
    const seconds = of === "processor" ? ((await used()) - cpu) / 1e6 : (performance.now() - start) / 1e3;
    return calls / seconds;
  };
}

/** Nothing is compared before it answers the same. */
async function requireOnce({ post }, by) {
  const id = commandId(++minted);
  const { status, body } = await post(PATH, bodyOf(id));
  const expected = { commandId: id, status: "accepted", eventId: "order-1001", position: 1, runIds: [] };
  if (status !== 200 || body !== JSON.stringify(expected)) throw new Error(`${by}: ${status} ${body}`);
  const invalid = await post(PATH, '{"workspaceId":"w","type":"a b","commandId":"c"}');
  if (invalid.status !== 400) throw new Error(`${by}: what is invalid is ${invalid.status}`);
}

const bodyOf = (id) =>
  `{"workspaceId":"orchard","type":"order.placed","eventId":"order-1001","commandId":"${id}","data":{"amount":7,"customer":"c-17","items":[{"sku":"apple","count":3},{"sku":"pear","count":1}]}}`;
