// Our host, as it is generated.
import { createServer } from "../../dist/generated/msp/stable/server.js";
import { serve } from "./wire-mspkit-host.mjs";

serve(createServer);
