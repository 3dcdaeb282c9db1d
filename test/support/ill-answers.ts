/** Faults of a host in what it writes, for drivers of flawed hosts: a line goes in, and what becomes of it comes out. */

/** Changes something in every line, from the n-th that has it on; counted over all connections. */
export function from(n: number, pattern: RegExp, replacement: string): () => (line: string) => string {
  let times = 0;
  return () => (line) => (pattern.test(line) && ++times >= n ? line.replace(pattern, replacement) : line);
}

/** Answers a rejection with some reasons by an ack. */
export function ackInsteadOf(...reasons: readonly string[]): () => (line: string) => string {
  return () => (line) => {
    if (!reasons.some((reason) => line.includes(`"reason":"${reason}"`))) return line;
    const { id, error } = JSON.parse(line) as { id: unknown; error?: { data: { commandId: string } } };
    if (error === undefined) return line;
    const { commandId } = error.data;
    const result = { commandId, status: "accepted", turnId: commandId };
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  };
}
