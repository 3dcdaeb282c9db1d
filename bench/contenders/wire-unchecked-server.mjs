// Our host with the server module that it is told: a copy beside validators that find every value valid.
import { pathToFileURL } from "node:url";
import { serve } from "./wire-mspkit-host.mjs";

const { createServer } = await import(pathToFileURL(process.argv[2]).href);
serve(createServer);
