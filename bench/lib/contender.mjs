// The process of one contender: makes the sampler that it is told, and samples whenever it is asked.
import { pathToFileURL } from "node:url";

const [module, argument] = process.argv.slice(2);
const { default: prepare } = await import(pathToFileURL(module).href);
const sample = await prepare(JSON.parse(argument));
process.on("message", async () => process.send(await sample()));
process.on("disconnect", () => process.exit());
