/**
 * Sends simultaneous sign-ins to the product, as users who do not exist, which costs as much as a
 * wrong password. A process of its own, at the lowest priority and with requests made beforehand,
 * so that its own work disturbs the measurement little: `bun sign-in-burst.ts <port> <round> <kind>`.
 * Each sign-in has a connection of its own. It prints the number of answers by status.
 */

import { setPriority } from "node:os";

const signIns = 300;

/** The lowest priority of ordinary programs. */
const niceness = 19;

/** What the sign-ins are refused for: the password, after hashing, or an empty name, before it. */
export type BurstKind = "hashed" | "unhashed";

const [port = "", round = "", kind = "hashed"] = process.argv.slice(2);

function request(index: number): Buffer {
  const username = kind === "hashed" ? `nobody-${round}-${index}` : "";
  const body = JSON.stringify({ username, password: "not a password" });
  const head = [
    "POST /api/user/login HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    // The product limits the attempts of one address, so each sign-in names another one.
    `x-forwarded-for: 10.${Number(round) % 256}.${index >> 8}.${index & 255}`,
    `content-length: ${body.length}`,
    "connection: close",
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

async function signIn(bytes: Buffer): Promise<string> {
  const answer = Promise.withResolvers<string>();
  let text = "";
  await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(bytes),
      data: (_, part) => void (text += part.toString("latin1")),
      close: () => answer.resolve(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1] ?? "none"),
      error: (_, error) => answer.reject(error),
    },
  });
  return await answer.promise;
}

if (import.meta.main) {
  setPriority(niceness);
  const requests = Array.from({ length: signIns }, (_, index) => request(index));
  const counts: Record<string, number> = {};
  for (const status of await Promise.all(requests.map(signIn))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  process.stdout.write(JSON.stringify(counts));
  process.exit(0);
}
