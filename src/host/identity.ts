/**
 * What a host on Node says of itself.
 */
import { tmpdir } from "node:os";
import { protocol } from "../../generated/msp/experimental/tables.js";
import type { HostIdentity } from "./host-options.js";

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, HostIdentity["platformOs"]>>> = {
  darwin: "macos",
  win32: "windows",
};

/**
 * The identity of a host on this machine. The fingerprint is that of the stable surface that it serves, unless it is to
 * say another.
 * @param home the folder of the host; default: the machine's folder for temporary files
 */
export function identityOf(of: {
  readonly name: string;
  readonly version: string;
  readonly home?: string;
  readonly fingerprint?: string;
}): HostIdentity {
  const { name, version, home = tmpdir(), fingerprint = protocol.fingerprints.stable } = of;
  return {
    serverInfo: { name, version },
    home,
    fingerprint,
    platformFamily: process.platform === "win32" ? "windows" : "unix",
    platformOs: SYSTEMS[process.platform] ?? "linux",
  };
}
