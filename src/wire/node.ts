/**
 * The transports that need Node: standard streams, child processes, WebSockets by `ws`.
 */
export {
  type ChildExit,
  type ChildProcessOptions,
  ChildProcessTransport,
  SpawnError,
  spawnHost,
} from "./child-process.js";
export { MissingPackageError } from "./missing-package.js";
export { stdioTransport } from "./stdio.js";
export { type StreamsOptions, StreamsTransport } from "./streams.js";
export {
  acceptedWebSocket,
  connectWebSocket,
  listenWebSocket,
  offeredToken,
  type WebSocketListener,
  type WebSocketListenOptions,
} from "./websocket-node.js";
