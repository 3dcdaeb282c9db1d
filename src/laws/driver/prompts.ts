/** The prompts of the scripted test agent: a host that offers it needs no others. */
import type { Prompts } from "./driver.js";

/** What makes the scripted test agent do what laws need. */
export const SCRIPTED_PROMPTS: Required<Prompts> = {
  quick: "hello",
  busy: "/hang",
  failing: "/fail",
  failingLaunch: "/fail-launch",
  approval: "/approve",
  question: "/ask",
};
