/** What is bundled of the host: it gets store and agent from the trial, which are never patched. */
import { Host } from "../../src/host/host.js";
import type { HostOptions } from "../../src/host/host-options.js";

export { throughStore } from "./through-store.js";

/** Makes a host. */
export function makeHost(options: HostOptions): Host {
  return new Host(options);
}
