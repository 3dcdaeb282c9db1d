#!/usr/bin/env node
// Starts the program from V8's code cache, which the build writes beside it: a third of a short run is compiling.
// A cache of another V8, or none, is no harm: the program is compiled as usual.
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const filename = join(__dirname, "program.cjs");
const cache = join(__dirname, "program.cache");
const writing = process.env.MSPKIT_WRITE_CODE_CACHE === "1";
let cachedData;
try {
  if (!writing) cachedData = readFileSync(cache);
} catch {}
const source = readFileSync(filename, "utf8").replace(/^#!.*/, "");
// Code from a cache cannot import by itself (Node gives it no loader), so the launcher lends it this function.
const wrapped = `(function (exports, require, module, __filename, __dirname, __import) {${source}\n})`;
const script = new Script(wrapped, { filename, cachedData });
const lend = (specifier) => import(specifier);
script.runInThisContext().call(exports, exports, require, module, filename, __dirname, lend);
if (writing) process.on("exit", () => writeFileSync(cache, script.createCachedData()));
