/** `tollgate health`: asks the gateway of this machine whether it is ready, for containers. */

import { openAddressPolicy } from "#base/address-policy.ts";
import { ask } from "#network/ask.ts";
import { openNetwork } from "#network/network.ts";

/** How long the gateway may take, in milliseconds: less than a health check usually gets. */
const answerMaxMs = 4_000;

/** Names for every address of a machine, of which one is as good as another. */
const everywhere: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns the exit code: 0 when the gateway takes calls. */
export async function runHealth(env: Environment, tell: (line: string) => void): Promise<number> {
  const host = env["HOST"] || "127.0.0.1";
  const shown = everywhere[host] ?? (host.includes(":") ? `[${host}]` : host);
  const url = `http://${shown}:${env["PORT"] || "3000"}${env["TOLLGATE_BASE_PATH"] ?? ""}/readyz`;
  const network = openNetwork({
    policy: openAddressPolicy({ privateRanges: ["0.0.0.0/0", "::/0"], loopback: true }),
    resolve: async () => ["127.0.0.1", "::1"],
    nowMs: () => performance.now(),
  });
  const ms = answerMaxMs;
  const limits = { connectMs: ms, firstByteMs: ms, betweenChunksMs: ms, totalMs: ms };
  const question = { method: "GET", url, headers: {}, body: null, answerBytesMax: 10_000 } as const;
  const answer = await ask(network.transport, { ...question, limits, proxy: null });
  if (!answer.ok) {
    tell(`${url} cannot be reached: ${answer.reason}.`);
    return 1;
  }
  if (answer.status === 200) return 0;
  tell(`${url} answers ${answer.status}: the gateway takes no calls now.`);
  return 1;
}
