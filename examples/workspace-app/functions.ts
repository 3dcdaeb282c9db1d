/** The functions that rules of the example may call, where an application brings none of its own. */
import type { AppFunction } from "./engine/steps.js";

/** `echo` answers what it gets; `refuse` fails, with the `message` that it gets. */
export const exampleFunctions: Readonly<Record<string, AppFunction>> = {
  echo: (given) => given,
  refuse: ({ message }) => {
    throw new Error(typeof message === "string" ? message : "refused");
  },
};
