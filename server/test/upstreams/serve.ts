/**
 * The demo upstream with all providers, in a process of its own: `bun server/test/upstreams/serve.ts --port 0`. Prints one
 * JSON line, `{"url":"http://127.0.0.1:PORT"}`, and serves until SIGTERM or SIGINT.
 */

import { parseArgs } from "node:util";
import { startUpstreams } from "./start.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    hostname: { type: "string", default: "127.0.0.1" },
  },
});
const upstream = startUpstreams({ hostname: values.hostname, port: Number(values.port) });
process.stdout.write(`${JSON.stringify({ url: upstream.url })}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void upstream.stop().then(() => process.exit(0)));
}
