/**
 * What a host may still say when its input has ended: that its sessions close, and the ends of what was under way.
 * Nothing else is part of an orderly shutdown.
 */
import type { ServerNotification } from "../../../generated/msp/experimental/types.js";
import { type Frame, isObject } from "../differences.js";

/** Told of a session as a whole, at any shutdown. */
const FAREWELL: ReadonlySet<string> = new Set<ServerNotification>([
  "session/closed",
  "session/statusChanged",
  "session/listChanged",
]);

/** What is open in a conversation, by the host's frames. */
export class OpenEnds {
  readonly #turns = new Set<unknown>();
  readonly #asked = new Set<unknown>();
  readonly #items = new Set<unknown>();
  #halted = false;

  /** Takes a frame of the host that is part of the conversation. */
  note(frame: Frame): void {
    const { method, params } = frame;
    if (!isObject(params) || Object.hasOwn(frame, "id")) return;
    const item = isObject(params["item"]) ? params["item"] : {};
    switch (method as ServerNotification) {
      case "turn/started":
        this.#turns.add(params["turnId"]);
        return;
      case "turn/completed":
        this.#turns.delete(params["turnId"]);
        return;
      case "item/started":
        this.#items.add(item["itemId"]);
        return;
      case "item/completed":
        this.#items.delete(item["itemId"]);
        return;
      case "approval/requested":
        this.#asked.add(params["approvalId"]);
        return;
      case "approval/resolved":
        this.#asked.delete(params["approvalId"]);
        return;
      case "userInput/requested":
        this.#asked.add(params["userInputId"]);
        return;
      case "userInput/settled":
        this.#asked.delete(params["userInputId"]);
    }
  }

  /** Whether a frame belongs to an orderly shutdown; what it ends is not open any more. */
  ends(frame: Frame): boolean {
    const { method, params } = frame;
    if (typeof method !== "string" || !isObject(params) || Object.hasOwn(frame, "id")) return false;
    if (FAREWELL.has(method)) return method !== "session/closed" || params["reason"] === "hostShutdown";
    const item = isObject(params["item"]) ? params["item"] : {};
    switch (method as ServerNotification) {
      case "turn/completed":
        if (params["terminal"] === "completed" || !this.#turns.delete(params["turnId"])) return false;
        this.#halted = true;
        return true;
      case "item/completed":
        return item["status"] !== "completed" && this.#items.delete(item["itemId"]);
      case "approval/resolved":
        return this.#asked.delete(params["approvalId"]);
      case "userInput/settled":
        return this.#asked.delete(params["userInputId"]);
      case "session/goalChanged":
        // A goal whose turn is stopped is paused, before or after the turn's end.
        return (
          (this.#halted || this.#turns.size > 0) &&
          isObject(params["goal"]) &&
          params["goal"]["status"] === "paused"
        );
      default:
        return false;
    }
  }
}
