// The least that frames: cuts bytes at LF, decodes each line. No limit, no CR, no check of the bytes.

/** Takes chunks of bytes, gives lines of text. */
export function lineReader(onLine) {
  let rest;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = bytes.indexOf(10); to !== -1; to = bytes.indexOf(10, from)) {
      onLine(bytes.utf8Slice(from, to));
      from = to + 1;
    }
    rest = from < bytes.length ? bytes.subarray(from) : undefined;
  };
}
