/** The official SDK of MCP, loaded when it is used. */
import { MissingPackageError } from "../../wire/missing-package.js";

/** What is used of it. */
export interface McpSdk {
  readonly Server: typeof import("@modelcontextprotocol/sdk/server/index.js").Server;
  readonly StdioServerTransport: typeof import("@modelcontextprotocol/sdk/server/stdio.js").StdioServerTransport;
  readonly StreamableHTTPServerTransport: typeof import("@modelcontextprotocol/sdk/server/streamableHttp.js").StreamableHTTPServerTransport;
  readonly types: typeof import("@modelcontextprotocol/sdk/types.js");
}

/** Loads it. Rejects with a {@link MissingPackageError} where it is not installed. */
export async function loadMcpSdk(): Promise<McpSdk> {
  try {
    const [{ Server }, { StdioServerTransport }, { StreamableHTTPServerTransport }, types] =
      await Promise.all([
        import("@modelcontextprotocol/sdk/server/index.js"),
        import("@modelcontextprotocol/sdk/server/stdio.js"),
        import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
        import("@modelcontextprotocol/sdk/types.js"),
      ]);
    return { Server, StdioServerTransport, StreamableHTTPServerTransport, types };
  } catch (error) {
    throw new MissingPackageError("@modelcontextprotocol/sdk", error);
  }
}
