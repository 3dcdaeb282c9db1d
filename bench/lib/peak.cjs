// Loaded before a program: when it ends, writes the peak resident memory in KiB to a file.
// The counter of getrusage outlives exec and so starts at the parent's size; VmHWM is the program's own.
const { readFileSync, writeFileSync } = require("node:fs");

process.on("exit", () => {
  let kib = process.resourceUsage().maxRSS;
  try {
    kib = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]);
  } catch {
    // no /proc here
  }
  writeFileSync(process.env.BENCH_PEAK_FILE, String(kib));
});
