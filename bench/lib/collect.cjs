// Collects garbage when it is told to. For a process whose past is not what is measured: with `node --expose-gc`.
process.on("SIGUSR2", () => globalThis.gc());
