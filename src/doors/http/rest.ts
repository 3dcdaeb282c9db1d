/**
 * REST: a path for each method of the bundle. What changes something is a POST with its params as the body. A query whose
 * params are numbers, texts and truth values alone is a GET with its params in the address; any other query is a POST.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Asked, Desk } from "../desk.js";
import { isJsonObject } from "../schema.js";
import { COMMAND_ID, type DoorMethod } from "../surface.js";
import { queryParams } from "./body.js";
import { headerId, oneId } from "./idempotency-key.js";
import { sendProblem } from "./problem.js";
import { identityOf } from "./server.js";

/** The method of HTTP by which a method is asked for. */
export function verbOf(method: DoorMethod): "GET" | "POST" {
  return method.flat === undefined ? "POST" : "GET";
}

/** Adds the routes of all methods. */
export function addRest(server: FastifyInstance, desk: Desk): void {
  for (const method of desk.surface.methods.values()) {
    const { flat } = method;
    const asked = method.kind === "query" ? "query" : "command";
    const answer = (reply: FastifyReply, { result, commandId }: Asked): void => {
      if (result.status === "rejected") sendProblem(reply, result.rejection, { asked, commandId });
      else reply.code(200).header("content-type", "application/json").send(JSON.stringify(result.result));
    };
    server.route({
      method: verbOf(method),
      url: method.path,
      // What it would be to wait for, fastify would wait for too: it only answers.
      handler(request: FastifyRequest, reply: FastifyReply): void {
        let params: unknown = flat === undefined ? request.body : queryParams(request.query, flat);
        if (method.kind === "command") {
          const header = headerId(request.raw);
          if (typeof header === "object") return void sendProblem(reply, header, { asked });
          if (header !== undefined && isJsonObject(params)) {
            const one = oneId(header, params[COMMAND_ID]);
            if ("reason" in one) return void sendProblem(reply, one, { asked });
            params = { ...params, [COMMAND_ID]: one.id };
          }
        }
        desk
          .ask({ actor: identityOf(request), method, params })
          .then((came) => answer(reply, came))
          // Nobody has heard of it: it is the server's.
          .catch((error: unknown) => void reply.send(error));
      },
    });
  }
}
