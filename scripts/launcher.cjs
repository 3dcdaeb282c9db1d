#!/usr/bin/env node
// Starts the program from V8's code cache, which the build writes beside it: a third of a short run is compiling.
// A cache of another V8, or none, is no harm: the program is compiled as usual.
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script, constants } = require("node:vm");

const filename = join(__dirname, "program.cjs");
const cache = join(__dirname, "program.cache");
const writing = process.env.MSPKIT_WRITE_CODE_CACHE === "1";
let cachedData;
try {
  if (!writing) cachedData = readFileSync(cache);
} catch {}
const source = readFileSync(filename, "utf8").replace(/^#!.*/, "");
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename,
  cachedData,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext().call(exports, exports, require, module, filename, __dirname);
if (writing) process.on("exit", () => writeFileSync(cache, script.createCachedData()));
