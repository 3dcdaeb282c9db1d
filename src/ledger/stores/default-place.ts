/** Where logs are kept unless told otherwise. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { storeUrl } from "./url.js";

/**
 * The address of the store of this user: files below `$XDG_STATE_HOME/mspkit`, else `~/.local/state/mspkit`. As the
 * XDG specification says, a folder that is not absolute is ignored.
 */
export function defaultStoreUrl(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const state = env["XDG_STATE_HOME"];
  const folder = state !== undefined && isAbsolute(state) ? state : join(homedir(), ".local/state");
  return storeUrl("file", join(folder, "mspkit"), {});
}
