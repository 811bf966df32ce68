/**
 * A whole installation for a suite: the built gateway and the demo upstream, each as its own process,
 * with models, prices and a channel. The gateway can be restarted on the same data folder and port.
 */

import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Dialect } from "#db/dialect.ts";
import { addChannel, addToken, addUser, type ConsoleClient, signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  type Settings,
  startGateway,
} from "#test/gateway.ts";
import { type DemoProcess, startDemo } from "./demo-process.ts";

/** Quota units in a US dollar, by default. */
const unitsPerDollar = 500_000;

/**
 * A model of the demo upstream with its price. Tests state the charges that they expect as numbers.
 */
export type PricedModel = {
  readonly name: string;
  readonly script: DemoScript;
  /** Quota units per input token. */
  readonly ratio?: number;
  /** The price of an output token relative to an input token. */
  readonly completionRatio?: number;
  /** Quota units per call, in place of the ratios. */
  readonly perCall?: number;
};

type InstallationOptions = {
  readonly models: readonly PricedModel[];
  readonly env?: Settings;
  /** Where the data folder is made; absent: in the system's temporary folder. */
  readonly parent?: string;
  /** Fields of the channel besides address and models. */
  readonly channel?: Readonly<Record<string, unknown>>;
  /**
   * Gives the URL that the gateway uses instead of the database's, such as that of a proxy between
   * them; PostgreSQL only.
   */
  readonly through?: (databaseUrl: string) => Promise<string>;
};

export type Installation = {
  readonly home: Home;
  readonly demo: DemoProcess;
  /** The gateway's address, which stays the same after a restart. */
  readonly origin: string;
  /** The root user. Its session survives restarts. */
  readonly root: ConsoleClient;
  readonly channelId: number;
  /** The running process of the gateway. */
  gateway(): Gateway;
  /** Restarts the gateway after it ended. @returns milliseconds until it was ready. */
  start(): Promise<number>;
  close(): Promise<void>;
};

export async function openInstallation(
  dialect: Dialect,
  { models, env: given = {}, parent, channel = {}, through }: InstallationOptions,
): Promise<Installation> {
  const home = await makeStartedHome(dialect, parent);
  const direct = home.env["DATABASE_URL"];
  const url = through === undefined || direct === undefined ? undefined : await through(direct);
  const env = url === undefined ? given : { ...given, DATABASE_URL: url };
  const demo = await startDemo();
  let gateway = await startGateway(home, { env }).catch(async (error: unknown) => {
    await demo.stop();
    await home.remove();
    throw error;
  });
  const { origin } = gateway;
  const close = async (): Promise<void> => {
    await gateway.kill();
    await demo.stop();
    await home.remove();
  };
  try {
    const root = await signIn(origin);
    await setOption(root, "ConsoleRequestsPerMinute", "0");
    await addModels(root, demo, models);
    const names = models.map(({ name }) => name).join(",");
    const channelId = await addChannel(root, { base_url: demo.url, models: names, ...channel });
    return {
      home,
      demo,
      origin,
      root,
      channelId,
      gateway: () => gateway,
      async start() {
        const from = performance.now();
        gateway = await startGateway(home, { env, port: Number(new URL(origin).port) });
        return Math.round(performance.now() - from);
      },
      close,
    };
  } catch (error) {
    process.stderr.write(gateway.output());
    await close();
    throw error;
  }
}

/** Registers the models' scripts and adds their prices to the current ones. */
export async function addModels(
  root: ConsoleClient,
  demo: DemoProcess,
  models: readonly PricedModel[],
): Promise<void> {
  for (const { name, script } of models) await demo.script(name, script);
  const maps: Record<string, Record<string, number | string>> = {};
  const put = (key: string, name: string, value: number | string | undefined): void => {
    if (value !== undefined) maps[key] = { ...maps[key], [name]: value };
  };
  for (const { name, ratio, completionRatio, perCall } of models) {
    put("ModelRatio", name, ratio);
    put("CompletionRatio", name, completionRatio);
    put("ModelPrice", name, perCall === undefined ? undefined : dollars(perCall));
  }
  for (const [key, added] of Object.entries(maps)) await mergeOption(root, key, added);
}

export async function setOption(root: ConsoleClient, key: string, value: string): Promise<void> {
  await root.call("PUT", "/api/option/", { key, value });
}

async function mergeOption(
  root: ConsoleClient,
  key: string,
  added: Readonly<Record<string, number | string>>,
): Promise<void> {
  const options = await root.call<{ key: string; value: string }[]>("GET", "/api/option/");
  const text = options.find((option) => option.key === key)?.value ?? "{}";
  // Safe cast: the options of prices are JSON objects, model name → number.
  const present = JSON.parse(text) as Record<string, number>;
  await setOption(root, key, JSON.stringify({ ...present, ...added }));
}

/**
 * Writes an amount in quota units as an exact decimal number of US dollars, the form of a price per
 * call.
 */
function dollars(units: number): string {
  const millionths = String((units * 1_000_000) / unitsPerDollar).padStart(7, "0");
  return `${millionths.slice(0, -6)}.${millionths.slice(-6)}`;
}

export type Spender = {
  readonly client: ConsoleClient;
  readonly tokenId: number;
  /** The key, with the prefix `sk-`. */
  readonly key: string;
};

/** Makes a user with this balance and one token. */
export async function addSpender(
  { root, origin }: Installation,
  quota: number,
  token: Readonly<Record<string, unknown>> = {},
): Promise<Spender> {
  const client = await addUser(root, origin, quota);
  const made = await addToken(client, token);
  return { client, tokenId: made.id, key: made.key };
}
