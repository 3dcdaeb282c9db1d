#!/usr/bin/env node
// The conformance commands alone, as a program of their own, for test suites that look for one executable.
// In the place of the path: the program asks there under which name it runs, and a link may have any.
process.argv.splice(1, 1, __filename, "conformance");
require("./mspkit.cjs");
