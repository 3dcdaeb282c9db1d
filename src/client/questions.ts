/**
 * Answers the questions of a session through a handler: each question once, however often the host asks.
 */

import type {
  UserInputAnswer,
  UserInputClarification,
  UserInputRequestParams,
} from "../../generated/msp/experimental/types.js";
import { isUnknown } from "./errors.js";
import { laterTurn } from "./waits.js";

/** What a handler does with a question. */
export type QuestionAnswer =
  | { readonly answers: readonly UserInputAnswer[] }
  | { readonly clarification: UserInputClarification }
  /** The agent sees that nobody answered, and goes on. */
  | { readonly cancel: true; readonly reason?: string }
  /** The turn is stopped; answers that are certain may go with it. */
  | { readonly interrupt: true; readonly answers?: readonly UserInputAnswer[] };

/** Answers one question. Undefined leaves it open. What it throws goes to `onError`, and leaves it open. */
export type QuestionHandler = (
  question: UserInputRequestParams,
) => QuestionAnswer | undefined | Promise<QuestionAnswer | undefined>;

/** Sends an answer under a command id. */
export type Answer = (userInputId: string, answer: QuestionAnswer, commandId: string) => Promise<unknown>;

/** The open questions of a session, and who answers them. */
export class Questions {
  readonly #open = new Map<string, UserInputRequestParams>();
  readonly #asked = new Set<string>();
  /** Answers of which nobody here knows whether they arrived. They are sent again when the host asks again. */
  readonly #lost = new Map<string, { readonly answer: QuestionAnswer; readonly commandId: string }>();
  readonly #answer: Answer;
  readonly #mint: () => string;
  readonly #onError: (error: unknown) => void;
  #handler: QuestionHandler | undefined;

  constructor(answer: Answer, mint: () => string, onError: (error: unknown) => void) {
    this.#answer = answer;
    this.#mint = mint;
    this.#onError = onError;
  }

  /** Sets who answers; what is open and was not answered is asked now. */
  handle(handler: QuestionHandler | undefined): void {
    this.#handler = handler;
    for (const question of this.#open.values()) this.#ask(question);
  }

  /** The host asks: as a notification, as a request, or both, in either order. */
  requested(question: UserInputRequestParams): void {
    const { userInputId } = question;
    if (!this.#open.has(userInputId)) this.#open.set(userInputId, question);
    const lost = this.#lost.get(userInputId);
    if (lost !== undefined) {
      this.#lost.delete(userInputId);
      void this.#send(userInputId, lost.answer, lost.commandId);
    }
    this.#ask(question);
  }

  /** It is settled, by whomever. Only this takes a question off: not the end of its turn. */
  settled(userInputId: string): void {
    this.#open.delete(userInputId);
    this.#asked.delete(userInputId);
    this.#lost.delete(userInputId);
  }

  /** Nothing can be answered any more. */
  clear(): void {
    this.#open.clear();
    this.#asked.clear();
    this.#lost.clear();
  }

  #ask(question: UserInputRequestParams): void {
    const handler = this.#handler;
    const { userInputId } = question;
    if (handler === undefined || this.#asked.has(userInputId)) return;
    this.#asked.add(userInputId);
    void (async () => {
      try {
        // A request that came along is receipted first.
        await laterTurn();
        const answer = await handler(question);
        if (answer !== undefined && this.#open.has(userInputId))
          await this.#send(userInputId, answer, this.#mint());
      } catch (error) {
        this.#onError(error);
      }
    })();
  }

  async #send(userInputId: string, answer: QuestionAnswer, commandId: string): Promise<void> {
    try {
      await this.#answer(userInputId, answer, commandId);
    } catch (error) {
      if (isUnknown(error)) this.#lost.set(userInputId, { answer, commandId });
      this.#onError(error);
    }
  }
}
