import { expect, test } from "vitest";
import { bundleOf, planOf, planOfFile, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { mistakesOf } from "../../../support/typescript.js";

test("params, results and names are found by method, in every direction", async () => {
  const program = `import type * as t from "./types.js";
export const params: Same<
  t.MethodParams,
  { find: t.FindParams; move: t.MoveParams; open: undefined; ping: undefined; stocktake: undefined; tree: undefined }
> = true;
export const results: Same<
  t.MethodResults,
  {
    find: t.FindResult; move: t.MoveResult; open: t.PingResult; ping: t.PingResult;
    stocktake: t.Stocktake; tree: t.TreeResult;
  }
> = true;
export const names: Same<t.MethodName, "find" | "move" | "open" | "ping" | "stocktake" | "tree"> = true;
export const asked: Same<t.ServerRequestParams, { confirm: t.ConfirmParams }> = true;
export const answered: Same<t.ServerRequestResults, { confirm: t.ConfirmResult }> = true;
export const requests: Same<t.ServerRequestName, "confirm"> = true;
export const told: Same<t.ServerNotificationParams, { happened: t.EventParams }> = true;
export const tells: Same<t.ServerNotification, "happened"> = true;
export const said: Same<t.ClientNotificationParams, { watching: undefined }> = true;
export const says: Same<t.ClientNotification, "watching"> = true;

type Arguments<M extends t.MethodName> = t.MethodParams[M] extends undefined ? [] : [t.MethodParams[M]];
declare function call<M extends t.MethodName>(method: M, ...args: Arguments<M>): t.MethodResults[M];
export const total: number = call("find", {}).total;
call("ping");
call("ping", {}); // error 2554
call("find"); // error 2554
export const nothing: t.MethodName = "nothing"; // error 2322
`;
  expect(mistakesOf(await textOf(planOfFile(DEPOT_SCHEMA), "types"), program)).toEqual([]);
});

test("the maps of MSP have every message of the surface, and no other", async () => {
  for (const surface of ["stable", "experimental"] as const) {
    const plan = planOfFile(MSP_SCHEMA, surface);
    const { methods, requests, notifications } = plan.protocol;
    const words = (entries: readonly { name: string }[]): string =>
      entries.length === 0 ? "never" : entries.map(({ name }) => JSON.stringify(name)).join(" | ");
    const sent = (direction: string): string => words(notifications.filter((n) => n.direction === direction));
    expect(methods.length).toBeGreaterThanOrEqual(70);
    const program = `import type * as t from "./types.js";
export const methods: Same<t.MethodName, ${words(methods)}> = true;
export const results: Same<keyof t.MethodResults, t.MethodName> = true;
export const requests: Same<t.ServerRequestName, ${words(requests)}> = true;
export const answers: Same<keyof t.ServerRequestResults, t.ServerRequestName> = true;
export const fromHost: Same<t.ServerNotification, ${sent("host-to-client")}> = true;
export const fromClient: Same<t.ClientNotification, ${sent("client-to-host")}> = true;
export const steer: Same<t.MethodParams["turn/steer"], t.TurnSteerParams> = true;
export const usage: Same<t.MethodParams["usage/read"], undefined> = true;
`;
    expect(mistakesOf(await textOf(plan, "types"), program)).toEqual([]);
  }
});

test("a bundle without messages has empty maps, and method names are of any spelling", async () => {
  const none = `import type { ClientNotification, MethodName, ServerNotification, ServerRequestName } from "./types.js";
export const names: Same<ClientNotification | MethodName | ServerNotification | ServerRequestName, never> = true;
`;
  expect(mistakesOf(await textOf(planOf(bundleOf({})), "types"), none)).toEqual([]);
  const result = { $ref: "#/$defs/R" };
  const methods = Object.fromEntries(["__proto__", "a/b", 'q"', "delete"].map((name) => [name, { result }]));
  const program = `import type { MethodName, MethodResults, R } from "./types.js";
export const names: Same<MethodName, "__proto__" | "a/b" | 'q"' | "delete"> = true;
export const result: Same<MethodResults["__proto__"], R> = true;
`;
  const types = await textOf(planOf(bundleOf({ R: { type: "string" } }, { methods })), "types");
  expect(mistakesOf(types, program)).toEqual([]);
});
