#!/usr/bin/env node
// The conformance commands alone, as a program of their own, for test suites that look for one executable.
process.argv.splice(2, 0, "conformance");
require("./mspkit.cjs");
