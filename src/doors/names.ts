/**
 * What a method of a bundle is called at each door, by one rule each:
 *
 * | door | `event/publish` | `userInput/form/submit` |
 * | --- | --- | --- |
 * | REST, of a protocol of version 1 | `/v1/event/publish` | `/v1/userInput/form/submit` |
 * | WebSocket | `event/publish` | `userInput/form/submit` |
 * | MCP tool, and operation of OpenAPI | `publish_event` | `submit_user_input_form` |
 */

/** The path of a method. */
export function pathOf(method: string, version: number | string): string {
  return `/v${encodeURIComponent(version)}/${method.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The tool of a method: the last segment, which says what is done, before the others, which say to what; in lower case,
 * with `_` between words.
 */
export function toolNameOf(method: string): string {
  const segments = method.split("/").map(snake);
  return [...segments.slice(-1), ...segments.slice(0, -1)].join("_");
}

function snake(segment: string): string {
  return segment
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
}
