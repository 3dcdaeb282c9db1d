// A fresh process: how long a module takes to import.
import { pathToFileURL } from "node:url";

const url = pathToFileURL(process.argv[2]).href;
const start = performance.now();
await import(url);
console.log(JSON.stringify({ ms: performance.now() - start }));
