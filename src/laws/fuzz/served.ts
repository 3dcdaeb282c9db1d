/** Which methods a host serves, found out by asking for all of them: fuzzing does that anyway. */
import { methods } from "../../../generated/msp/experimental/tables.js";
import { LawClient } from "../client.js";
import { type Driver, methodsServed } from "../driver/driver.js";
import { errorKind, History } from "../model/history.js";
import { Stand } from "../stand.js";

/**
 * The methods to which a host answers anything but that there is no such method, asked with all that is experimental.
 * What the driver says of it is taken in.
 */
export async function servedAnyhow(driver: Driver): Promise<ReadonlySet<string>> {
  const served = methodsServed(driver).add("initialize");
  const stand = new Stand(driver);
  try {
    const { host = await stand.start() } = stand;
    const client = new LawClient(await host.connect(), {
      history: new History(),
      connection: 0,
      life: 0,
      wake: () => undefined,
    });
    const all = (async () => {
      await client.initialize({ experimental: true });
      await Promise.all(
        Object.keys(methods).map(async (method) => {
          const outcome = await client.send(method, {}).answer;
          if (outcome !== undefined && errorKind(outcome) !== "methodNotFound") served.add(method);
        }),
      );
    })();
    // A host that does not answer is found out by what comes next.
    const patience = new AbortController();
    await Promise.race([all, host.idle?.() ?? late(driver.timeoutMs, patience.signal)]);
    patience.abort();
  } finally {
    await stand.clear();
  }
  return served;
}

function late(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
  });
}
