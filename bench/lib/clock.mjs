// Time that a process spent, not time that passed: a machine that is busy with something else is charged to nobody.
// The collector's and the compiler's threads count, and so they should.

/** Processor time of this process so far, in ms. */
export function spentMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
