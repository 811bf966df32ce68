/**
 * The built product in a process of its own, with SQLite on disk, a user with a balance, a token
 * with its own quota, three channels and a price for every model.
 */

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import {
  addChannel,
  addToken,
  addUser,
  type ConsoleClient,
  setRatio,
  signIn,
} from "@tollgate/server/test/console.ts";
import {
  type Build,
  type Gateway,
  type Home,
  makeHome,
  startGateway,
} from "@tollgate/server/test/gateway.ts";
import { modelNames, tlsModelNames, translatedModelNames } from "./cases.ts";
import type { TlsSite } from "#bench/load/tls-site.ts";

/**
 * The folder of the products' data. Not the folder of temporary files: that may be in memory, where
 * a commit costs nothing.
 */
const homes = join(import.meta.dir, "../data/bench");

const channelCount = 3;

/** The type of channels to Anthropic, whose upstream speaks no other format than Messages. */
const messagesType = 14;

/** Balance of a user, in quota units. No load uses a thousandth of it. */
const plenty = 10 ** 13;

type Spender = {
  readonly client: ConsoleClient;
  readonly username: string;
  readonly tokenId: number;
  /** The key of the token, with the prefix `sk-`. */
  readonly key: string;
};

export type Product = {
  readonly home: Home;
  readonly gateway: Gateway;
  readonly port: number;
  readonly root: ConsoleClient;
  /** The user whose token is used by the calls. */
  readonly spender: Spender;
  readonly channelIds: readonly number[];
  /** Adds answered calls to the number of calls that the ledger must show at the end. */
  count(calls: number): void;
  counted(): number;
};

/**
 * Removes the data that earlier runs kept for inspection because they failed or were interrupted.
 */
export function removeLeftovers(): void {
  mkdirSync(homes, { recursive: true });
  for (const name of readdirSync(homes)) {
    if (name.startsWith("tollgate-home-")) rmSync(join(homes, name), { recursive: true });
  }
}

type StartOptions = {
  /** Absent: the product built from this tree. */
  readonly build?: Build;
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: SQLite. */
  readonly dialect?: Dialect;
  /** Replaces the URL of a PostgreSQL database, such as by that of a proxy. */
  readonly databaseUrl?: (url: string) => string;
  /** The upstream that is called over TLS; absent or null: there is none. */
  readonly tls?: Pick<TlsSite, "authorityFile" | "url"> | null;
};

/** Starts the product with fresh data, and prepares prices, channels, a user and a token. */
export async function startProduct(
  upstreamUrl: string,
  { build, env: given = {}, dialect = "sqlite", databaseUrl, tls = null }: StartOptions = {},
): Promise<Product> {
  const made = await makeHome(dialect, homes);
  const home = build === undefined ? made : { ...made, build };
  const url = made.env["DATABASE_URL"];
  const env =
    url === undefined || databaseUrl === undefined
      ? given
      : { ...given, DATABASE_URL: databaseUrl(url) };
  const trusted = tls === null ? {} : { NODE_EXTRA_CA_CERTS: tls.authorityFile };
  const gateway = await startGateway(home, { env: { ...env, ...trusted } });
  const root = await signIn(gateway.origin);
  await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
  for (const name of [...modelNames, ...tlsModelNames, ...translatedModelNames]) {
    await setRatio(root, "ModelRatio", name, 1);
    await setRatio(root, "CompletionRatio", name, 2);
  }
  const channelIds: number[] = [];
  for (let made = 0; made < channelCount; made += 1) {
    channelIds.push(
      await addChannel(root, { base_url: upstreamUrl, models: modelNames.join(",") }),
    );
  }
  const models = translatedModelNames.join(",");
  await addChannel(root, { type: messagesType, base_url: upstreamUrl, models });
  if (tls !== null) await addChannel(root, { base_url: tls.url, models: tlsModelNames.join(",") });
  let counted = 0;
  return {
    home,
    gateway,
    port: Number(new URL(gateway.origin).port),
    root,
    spender: await addSpender(root, gateway.origin),
    channelIds,
    count(calls) {
      counted += calls;
    },
    counted: () => counted,
  };
}

async function addSpender(root: ConsoleClient, origin: string): Promise<Spender> {
  const client = await addUser(root, origin, plenty);
  const { username } = await client.call<{ username: string }>("GET", "/api/user/self");
  const token = await addToken(client, { unlimited_quota: false, remain_quota: plenty / 2 });
  return { client, username, tokenId: token.id, key: token.key };
}

/** Starts the product again on the same port, so sessions and clients stay valid. */
export async function restartProduct(product: Product): Promise<Product> {
  return { ...product, gateway: await startGateway(product.home, { port: product.port }) };
}

/** Stops the product in the regular way, but without its delay for load balancers. */
export async function stopProduct({ gateway }: Product): Promise<void> {
  process.kill(gateway.pid, "SIGINT");
  const code = await gateway.exited;
  if (code !== 0) throw new Error(`the gateway ended with ${code}: ${gateway.output()}`);
}
