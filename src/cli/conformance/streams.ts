/**
 * The process's own streams, for a command that is a peer on them and not a printer of results.
 */

/** Takes standard input and output over. A reader that is gone then is that command's matter, not the end of it. */
export function ownStreams(): { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream } {
  const { stdin, stdout } = process;
  stdout.removeAllListeners("error");
  stdout.on("error", () => undefined);
  return { input: stdin, output: stdout };
}
