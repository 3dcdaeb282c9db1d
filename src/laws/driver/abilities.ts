/** What the abilities of hosts mean, for people. */
import type { Ability } from "./driver.js";

type Named = Exclude<Ability, `serves:${string}`> | "serves:METHOD";

/** Each ability in a few words; `serves:METHOD` stands for one of each method. */
export const ABILITIES: Readonly<Record<Named, string>> = {
  durable: "it says at the handshake that sessions outlive it",
  ephemeral: "it says at the handshake that they do not",
  crash: "it can be killed and started again",
  connections: "it takes several connections at once",
  twoHosts: "a second one can be started on the same store",
  fence: "a session can be taken from the host that has it",
  store: "its store can be had as an object of the kit's own process",
  experimental: "it gives what is experimental to who asks for it",
  quick: "there is a prompt whose turn ends soon, as completed",
  busy: "there is a prompt whose turn goes on until it is interrupted",
  failing: "there is a prompt whose turn starts and fails",
  failingLaunch: "there is a prompt whose turn cannot be launched",
  approval: "there is a prompt whose turn asks for one approval",
  question: "there is a prompt whose turn asks the user one question",
  echo: "the agent repeats the text of a steer as a message",
  "serves:METHOD": "it serves the method",
};
