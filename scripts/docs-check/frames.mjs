// Frames that a page shows are frames of the golden sessions.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { blocks, PROJECT } from "./pages.mjs";

/** Blocks of code, in which a frame may be made up of expressions. */
const CODE = new Set(["ts", "js", "sh"]);

/** The frames of all golden sessions, as values. */
export function goldenFrames(root = join(PROJECT, "schema/msp/transcripts")) {
  return readdirSync(root).flatMap((scenario) =>
    readFileSync(join(root, scenario, "transcript.ndjson"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(JSON.parse(line).raw)),
  );
}

/** A text as JSON; undefined where it is none. */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value that is a frame, or would be taken for one by a reader. */
function isFrame(value) {
  if (typeof value !== "object" || value === null) return false;
  if ("jsonrpc" in value) return true;
  return !("type" in value) && ("method" in value ? "params" in value : "id" in value && "result" in value);
}

/** The frames of a block, one in all or one a line, each with its line; undefined for what should be one and is not JSON. */
function framesOf({ line, code }) {
  const whole = json(code);
  if (whole !== undefined) return isFrame(whole) ? [{ line, value: whole }] : [];
  return code.split("\n").flatMap((text, i) => {
    const value = json(text);
    return value === undefined
      ? text.includes('"jsonrpc"')
        ? [{ line: line + i, value }]
        : []
      : isFrame(value)
        ? [{ line: line + i, value }]
        : [];
  });
}

/** The frames of some pages that no golden session has, as problems, and how many were looked at. */
export function strangeFrames(pages, golden = goldenFrames()) {
  const problems = [];
  let shown = 0;
  for (const [page, text] of pages) {
    for (const block of blocks(text)) {
      if (CODE.has(block.language)) continue;
      for (const { line, value } of framesOf(block)) {
        shown++;
        if (value === undefined) problems.push(`${page}:${line}: the frame is not one JSON value`);
        else if (!golden.some((frame) => isDeepStrictEqual(frame, value)))
          problems.push(`${page}:${line}: no golden session has this frame`);
      }
    }
  }
  return { problems, shown };
}
