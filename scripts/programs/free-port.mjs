/** Finds a port for a temporary server. */

import { createServer } from "node:net";

/** @returns {Promise<number>} a TCP port that is free at the moment */
export async function freePort() {
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
