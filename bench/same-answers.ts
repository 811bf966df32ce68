/**
 * Measures whether the response time reveals that an account exists. Signs in with a wrong
 * password, and asks for password resets, alternating between accounts that exist and accounts that
 * do not. `bun bench/same-answers.ts` prints the medians and their difference.
 */

import { Database } from "bun:sqlite";
import { parseArgs } from "node:util";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { signIn } from "@tollgate/server/test/console.ts";
import { makeHome, startGateway } from "@tollgate/server/test/gateway.ts";
import { median } from "./statistics.ts";

const { values } = parseArgs({ options: { tries: { type: "string", default: "200" } } });
const tries = Number(values.tries);

/**
 * Password resets that are requested for each kind of account: few enough that the product's limit
 * of e-mails in an hour is not reached.
 */
const resetTries = Math.min(tries, 90);
/** The first tries are slower and do not count. */
const firstTries = 5;
/** Pause after a try, until the e-mail that it may have caused is sent. */
const settleMs = 40;
/** The product limits wrong passwords per account and hour, so several accounts share the tries. */
const triesEach = 40;

const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, _session, done) {
    stream.on("end", () => done());
    stream.resume();
  },
});
await new Promise<void>((resolve) => mailServer.listen(0, "127.0.0.1", resolve));
const mailAddress = mailServer.server.address();
if (mailAddress === null || typeof mailAddress === "string") throw new Error("no port");

const home = await makeHome("sqlite");
const gateway = await startGateway(home, { env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1/32" } });
const root = await signIn(gateway.origin);
for (const [key, value] of [
  ["ServerAddress", gateway.origin],
  ["SMTPServer", "127.0.0.1"],
  ["SMTPPort", String(mailAddress.port)],
  ["SMTPAccount", "gate@example.com"],
] as const) {
  await root.call("PUT", "/api/option/", { key, value });
}

const known: string[] = [];
const wanted = firstTries + Math.max(resetTries, Math.ceil(tries / triesEach));
for (let made = 0; made < wanted; made += 1) {
  const username = `known${made}`;
  await root.call("POST", "/api/user/", { username, password: "a long enough password" });
  known.push(username);
}
// Writes the e-mail addresses into the database, because users can bind one only with a mailed
// code.
const db = new Database(join(home.dataDir, "tollgate.db"));
db.exec("UPDATE users SET email = username || '@example.com' WHERE role = 1");
db.close();

/** Each try comes from another address, so that no limit per address is reached. */
let client = 0;
async function timeOf(path: string, body?: object): Promise<number> {
  client += 1;
  const from = performance.now();
  const answer = await fetch(gateway.origin + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": `198.${18 + (client >> 16)}.${(client >> 8) & 255}.${client & 255}`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.text();
  if (answer.status === 429) {
    throw new Error("a limit was reached, so the times cannot be compared");
  }
  return performance.now() - from;
}

async function compare(
  what: string,
  count: number,
  [there, absent]: readonly [(at: number) => Promise<number>, (at: number) => Promise<number>],
): Promise<void> {
  const times = { there: [] as number[], absent: [] as number[] };
  for (let at = 0; at < firstTries + count; at += 1) {
    // The account that exists and the one that does not take turns in going first, because a try
    // may slow down the one that follows it.
    const turns = at % 2 === 0 ? (["there", "absent"] as const) : (["absent", "there"] as const);
    for (const turn of turns) {
      await Bun.sleep(settleMs);
      const ms = await (turn === "there" ? there : absent)(at);
      if (at >= firstTries) times[turn].push(ms);
    }
  }
  const [a, b] = [median(times.there), median(times.absent)];
  const apart = (100 * Math.abs(a - b)) / Math.max(a, b);
  process.stdout.write(
    `${what}, ${count} tries: there ${a.toFixed(2)} ms, absent ${b.toFixed(2)} ms, ` +
      `${apart.toFixed(1)} % apart\n`,
  );
}

const nameAt = (at: number): string => known[at % known.length] ?? "";
const login = async (username: string): Promise<number> =>
  await timeOf("/api/user/login", { username, password: "not the password" });
await compare("sign-in", tries, [
  async (at) => await login(nameAt(at)),
  async (at) => await login(`no${at % known.length}`),
]);
const reset = async (email: string): Promise<number> =>
  await timeOf(`/api/reset_password?email=${encodeURIComponent(email)}`);
await compare("reset", resetTries, [
  async (at) => await reset(`${nameAt(at)}@example.com`),
  async (at) => await reset(`nobody${at}@example.com`),
]);

await gateway.stop("SIGINT");
await home.remove();
mailServer.close();
process.exit(0);
