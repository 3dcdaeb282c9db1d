/**
 * The wire: frames, messages and peers, for any platform. What needs Node is in `mspkit/wire/node`.
 */
export { type Dispatcher, dispatchTo } from "./dispatch.js";
export type { ErrorObject, RequestId, Trace } from "./envelope.js";
export {
  AnsweredError,
  isAnsweredError,
  isWireError,
  WireError,
  type WireErrorKind,
  type WireErrorRow,
  type WireErrorRows,
  wireErrors,
} from "./errors.js";
export type { ProtocolFault } from "./faults.js";
export { DEFAULT_LIMIT_BYTES, type FrameFault, FrameReader, type FrameReaderOptions } from "./frames.js";
export { type InProcessOptions, inProcess } from "./in-process.js";
export { MAX_DEPTH } from "./parse.js";
export { Peer } from "./peer.js";
export type {
  Answer,
  NotificationListener,
  NotifyOptions,
  PeerOptions,
  RequestInfo,
  RequestListener,
  RequestOptions,
} from "./peer-options.js";
export type { Receiver, Transport } from "./transport.js";
export { WebSocketClosedError, type WebSocketLike, webSocketTransport } from "./websocket.js";
