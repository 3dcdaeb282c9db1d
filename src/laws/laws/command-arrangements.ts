/** Small steps that arrange commands: a turn that is over, what a question can be answered, what can be chosen. */
import { CaseVoid } from "../broken.js";
import type { Prompts } from "../driver/driver.js";
import type { JsonObject, Told } from "../model/history.js";
import { completed, type Trial } from "../trial.js";

/** A turn that is over; its id. */
export async function firstOf(trial: Trial, sessionId: string, prompt: keyof Prompts): Promise<string> {
  const { turnId } = await trial.turn(sessionId, trial.prompts[prompt] ?? "");
  await trial.need(completed(String(turnId)), "a turn did not end");
  return String(turnId);
}

/** Whether a message is an event of a session. */
export const isOf =
  (method: string, sessionId: string) =>
  (told: Told): boolean =>
    told.method === method && told.params["sessionId"] === sessionId;

/** The ids of what can be chosen at an approval, what approves first. */
export function choices(asked: JsonObject): readonly string[] {
  const offered = (asked["availableChoices"] ?? []) as readonly JsonObject[];
  const yes = offered.filter(({ decision }) => decision === "approved");
  const ids = [...yes, ...offered.filter((choice) => !yes.includes(choice))].map(({ choiceId }) =>
    String(choiceId),
  );
  if (ids.length === 0) throw new CaseVoid("an approval offers nothing to choose");
  return ids;
}

/** An answer to every question that is asked: the first option, or a text where there is none. */
export function answersTo(asked: JsonObject): JsonObject {
  const questions = (asked["questions"] ?? []) as readonly JsonObject[];
  return {
    answers: questions.map(({ id, options, selection }) => {
      const [first] = (options ?? []) as readonly JsonObject[];
      const questionId = String(id);
      if (first === undefined) return { questionId, freeText: "yes" };
      const { mode } = (selection ?? {}) as JsonObject;
      return mode === "multiple"
        ? { questionId, selectedLabels: [first["label"]] }
        : { questionId, selectedLabel: first["label"] };
    }),
  };
}
