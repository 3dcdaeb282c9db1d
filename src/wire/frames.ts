/**
 * The framer: bytes in, frames out. It frames before it decodes, so a character that two chunks share is whole again
 * before anybody looks at it, and a frame that is not UTF-8 costs that frame alone.
 *
 * A frame ends at one LF; one CR before it is dropped; lines of white space are no frames.
 */

/** What a frame may be at most, in bytes, without its line end, unless somebody says otherwise. */
export const DEFAULT_LIMIT_BYTES = 10_485_760;

/** Bytes that are no frame. The stream goes on after each of them. */
export type FrameFault =
  /** More bytes than the limit before the next LF; they are gone but for the first ones, decoded as far as they go. */
  | { readonly kind: "tooLong"; readonly limitBytes: number; readonly prefix: string }
  /** Not UTF-8. `text` has U+FFFD where it is not. */
  | { readonly kind: "notUtf8"; readonly text: string }
  /** The stream ended within a line; what came of it is never carried out. */
  | { readonly kind: "truncated"; readonly bytes: number; readonly text: string };

/** What a reader needs to know. */
export interface FrameReaderOptions {
  /** Bytes that a frame may have, without its line end. Default: {@link DEFAULT_LIMIT_BYTES}. */
  readonly limitBytes?: number;
  /** Gets each frame, without its line end. Must not throw. */
  readonly onFrame: (text: string) => void;
  /** Gets what is no frame, in the same order. Must not throw. */
  readonly onFault: (fault: FrameFault) => void;
}

const LF = 10;
const CR = 13;
/** What is kept of a frame over the limit: enough to find its id in, whatever the limit is. */
const PREFIX_BYTES = 65_536;
/** Only JSON's white space: a BOM or a no-break space makes a line that is no JSON. */
const BLANK = /^[ \t\r]*$/;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

/** Splits a stream of bytes into frames. Holds at most one frame of the limit's size. */
export class FrameReader {
  readonly #limit: number;
  readonly #onFrame: (text: string) => void;
  readonly #onFault: (fault: FrameFault) => void;
  /** The beginning of a line whose end has not come. Copies, since the chunk belongs to who gave it. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Room in the last of `#held` that is not used yet. */
  #room = 0;
  /** Whether the line is over the limit already: its bytes are counted no more, only its end is looked for. */
  #skipping = false;

  constructor({ limitBytes = DEFAULT_LIMIT_BYTES, onFrame, onFault }: FrameReaderOptions) {
    if (!Number.isSafeInteger(limitBytes) || limitBytes < 1)
      throw new RangeError(`limitBytes must be a positive integer, not ${limitBytes}`);
    this.#limit = limitBytes;
    this.#onFrame = onFrame;
    this.#onFault = onFault;
  }

  /** Takes the next bytes of the stream, cut anywhere. They are not kept: the caller may reuse them. */
  push(chunk: Uint8Array): void {
    const last = chunk.lastIndexOf(LF);
    // One whole line, which most chunks of a conversation are.
    const whole = last === chunk.length - 1 && this.#heldBytes === 0 && !this.#skipping;
    if (whole && last > 0 && chunk.indexOf(LF) === last) {
      this.#frame(chunk.subarray(0, last));
      return;
    }
    if (last === -1) {
      this.#hold(chunk);
      return;
    }
    let from = 0;
    if (this.#heldBytes > 0 || this.#skipping) {
      const first = chunk.indexOf(LF);
      this.#hold(chunk.subarray(0, first));
      this.#finishHeld();
      from = first + 1;
    }
    if (from <= last) this.#lines(chunk.subarray(from, last));
    if (last + 1 < chunk.length) this.#hold(chunk.subarray(last + 1));
  }

  /** Says that the stream is over; a line without an end is a fault. */
  end(): void {
    if (this.#skipping) this.#finishHeld();
    else if (this.#heldBytes > 0) {
      const bytes = this.#takeHeld();
      const text = lossy.decode(bytes);
      if (!BLANK.test(text)) this.#onFault({ kind: "truncated", bytes: bytes.length, text });
    }
  }

  /** Whole lines, without the line end of the last one. Decoded at once where nothing speaks against it. */
  #lines(bytes: Uint8Array): void {
    // An LF byte is never part of another character, so decoding first gives the same lines.
    if (bytes.length <= this.#limit) {
      let text: string | undefined;
      try {
        text = strict.decode(bytes);
      } catch {
        text = undefined; // some line is not UTF-8: each is decoded on its own
      }
      if (text !== undefined) {
        for (const line of text.split("\n")) this.#line(line);
        return;
      }
    }
    for (let from = 0; from <= bytes.length; ) {
      const end = bytes.indexOf(LF, from);
      const to = end === -1 ? bytes.length : end;
      this.#frame(bytes.subarray(from, to));
      from = to + 1;
    }
  }

  /** One line as bytes, which may be over the limit or no UTF-8. */
  #frame(bytes: Uint8Array): void {
    const length = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
    if (length > this.#limit) {
      this.#tooLong(bytes.subarray(0, PREFIX_BYTES));
      return;
    }
    let text: string;
    try {
      text = strict.decode(bytes);
    } catch {
      this.#onFault({ kind: "notUtf8", text: lossy.decode(bytes) });
      return;
    }
    this.#line(text);
  }

  #line(text: string): void {
    const frame = text.endsWith("\r") ? text.slice(0, -1) : text;
    if (frame.startsWith("{") || !BLANK.test(frame)) this.#onFrame(frame);
  }

  #tooLong(prefix: Uint8Array): void {
    // The cut may be in the middle of a character; the prefix ends before it.
    const text = lossy.decode(prefix, { stream: true });
    lossy.decode();
    this.#onFault({ kind: "tooLong", limitBytes: this.#limit, prefix: text });
  }

  #hold(bytes: Uint8Array): void {
    // One byte more than the limit may be a CR, which does not count.
    if (!this.#skipping && this.#heldBytes + bytes.length > this.#limit + 1) {
      this.#skipping = true;
      if (this.#heldBytes > PREFIX_BYTES) this.#append(this.#takeHeld(PREFIX_BYTES));
    }
    // Of what is skipped the beginning is kept, the same one however the bytes are cut.
    this.#append(this.#skipping ? bytes.subarray(0, Math.max(0, PREFIX_BYTES - this.#heldBytes)) : bytes);
  }

  /** Copies into blocks that grow with the line, so that a line of single bytes is not a list of single bytes. */
  #append(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      if (this.#room === 0) {
        const size = Math.max(bytes.length - from, Math.min(65_536, Math.max(512, this.#heldBytes)));
        this.#held.push(new Uint8Array(size));
        this.#room = size;
      }
      const block = this.#held.at(-1) as Uint8Array;
      const part = bytes.subarray(from, from + this.#room);
      block.set(part, block.length - this.#room);
      this.#room -= part.length;
      this.#heldBytes += part.length;
      from += part.length;
    }
  }

  /** What is held, or its first bytes; nothing is held afterwards. */
  #takeHeld(most = this.#heldBytes): Uint8Array {
    const blocks = this.#held;
    const length = Math.min(most, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    this.#room = 0;
    if (blocks.length === 1) return (blocks[0] as Uint8Array).subarray(0, length);
    const whole = new Uint8Array(length);
    let at = 0;
    for (const block of blocks) {
      if (at >= length) break;
      whole.set(block.subarray(0, length - at), at);
      at += block.length;
    }
    return whole;
  }

  #finishHeld(): void {
    if (this.#skipping) {
      this.#skipping = false;
      this.#tooLong(this.#takeHeld());
    } else this.#frame(this.#takeHeld());
  }
}
