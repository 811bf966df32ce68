/** Makes each long-lived thing once and passes it on by name. */

import { lookup } from "node:dns/promises";
import { type AddressPolicy, judgeAddress, openAddressPolicy } from "#base/address-policy.ts";
import type { Logger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { openSecrets, randomText, SecretError, type Secrets } from "#base/secrets.ts";
import { openBrowserCookie, openSessionCookie } from "#http/cookie.ts";
import { type Console, type ConsoleOptions, openConsole } from "#http/edge.ts";
import { newRequestId } from "#http/request-id.ts";
import type { PageSources } from "#http/security-headers.ts";
import { openBootstrap } from "#modules/installation/installation.ts";
import type { ChannelNotices } from "#modules/notifications/channel-notices.ts";
import type { Outbound } from "#modules/notifications/notifications.ts";
import { openOptions, type Options } from "#modules/options/options.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import { openAddressBook } from "#network/address-book.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { openOverload, tickMs as overloadTickMs } from "#relay/guards/overload.ts";
import { openPlayground, type Playground } from "#relay/playground/playground.ts";
import { openRelay, type Relay } from "#relay/relay.ts";
import { openTicker, type Ticker } from "#network/ticker.ts";
import { openTransport, type Transport } from "#network/transport.ts";
import { openStoreClient, type StoreClient } from "#workers/store-client.ts";
import { openTokenizer } from "#workers/tokenizer-client.ts";
import { type OpenLedger, openLedger } from "./modules/ledger/open-ledger.ts";
import { openProbes } from "./relay/probes/probes.ts";
import { openPriceLookup } from "#modules/pricing/price-lookup.ts";
import type { Config } from "./config.ts";
import {
  type ConsoleHandlers,
  type ConsoleParts,
  openConsoleHandlers,
} from "./console-handlers.ts";
import { type Metrics, openMetrics } from "./metrics/metrics.ts";
import { publicPolicy } from "./own-account.ts";
import { type LiveSnapshot, openSnapshot } from "./snapshot.ts";
import { snapshotSources } from "./snapshot-sources.ts";
import { openOutsideCalls } from "./outside-calls.ts";
import { pageSources } from "./page-sources.ts";
import { startDatabaseWorker, startTokenizerWorker } from "./threads.ts";
import { openTokenUsage } from "./modules/tokens/token-usage.ts";
import { openDetour, openOutbound } from "./modules/notifications/outbound.ts";

export type Context = {
  readonly relay: Relay;
  readonly console: Console;
  readonly playground: Playground;
  readonly handlers: ConsoleHandlers;
  readonly installation: {
    isSetUp(): Promise<boolean>;
    /** @throws Refusal. */
    createRoot(account: { username: string; password: string }): Promise<number>;
  };
  readonly metrics: Metrics;
  readonly ledger: OpenLedger;
  readonly stores: StoreClient;
  readonly applyChanges: () => Promise<void>;
  /** Notes which tokens were used; kept in memory for a minute. */
  readonly saveTokenUse: () => Promise<void>;
  /** Secret of the one-time set-up link. */
  readonly setupToken: string;
  /** What the console's page takes from elsewhere, as the options are now. */
  readonly pageSources: () => PageSources;
  close(): Promise<void>;
};

const setupTokenLength = 43;

const monotonic = (): number => performance.now();

export async function openContext(config: Config, version: string, log: Logger): Promise<Context> {
  const secrets = openSecrets(config.secretKey);
  const remote = await openStoreClient(config.database, startDatabaseWorker, (reason) => {
    // Nothing is known of what it was doing; a fresh process asks the tables.
    log.fatal({ reason }, "a database worker ended by a bug, and the process with it");
    process.exit(1);
  });
  const stores = { ...remote, channels: watchSwitches(remote, () => handlers.channelNotices) };
  await claim(stores, secrets);
  const { dialect } = config.database;
  const ledger = await openLedger({ dialect, store: stores.ledger, dataDir: config.dataDir, log });
  const options = openOptions(secrets, (key, reason) =>
    log.error({ option: key, reason }, "an option is out of range and was left out of account"),
  );
  const live = await openSnapshot(snapshotSources(stores, secrets, options, log));
  const ejected = {
    name: "tollgate_channels_ejected",
    help: "Channels left out.",
    read: () => relay.ejected(),
  };
  const metrics = openMetrics([...ledger.gauges, ejected]);
  const limits = openRateLimits({ now: monotonic });
  const shared = { config, secrets, stores, ledger, options, live, metrics, limits, log };
  const network = openNetwork(config);
  const tokenizer = openTokenizer(startTokenizerWorker);
  const tokenUsage = openTokenUsage(stores.tokens, live.applyChanges);
  const relay = openRelay({
    ...relayPorts(shared, network),
    countTokens: tokenizer.count,
    markToken: tokenUsage.markToken,
    reserve(request) {
      if (request.tokenId > 0) tokenUsage.noteUse(request.tokenId);
      return ledger.holds.reserve(request);
    },
  });
  const setupToken = randomText(setupTokenLength);
  const handlers = openConsoleHandlers(consoleParts(shared, network, { version, setupToken }));
  const edge = edgeParts(shared, handlers);
  return {
    relay,
    handlers,
    metrics,
    ledger,
    stores,
    setupToken,
    installation: { isSetUp: stores.installation.isSetUp, createRoot: handlers.createRoot },
    console: openConsole({ ...edge, handlers: handlers.handlers }),
    playground: openPlayground({
      ...edge,
      relay,
      snapshot: live.snapshot,
    }),
    applyChanges: live.applyChanges,
    saveTokenUse: tokenUsage.saveUse,
    pageSources: () => pageSources(options.read),
    async close() {
      tokenizer.close();
      await stores.close();
    },
  };
}

/** The store of channels, whose automatic switches root is told of, whoever asked for them. */
function watchSwitches(
  { channels }: StoreClient,
  notices: () => ChannelNotices,
): StoreClient["channels"] {
  return {
    ...channels,
    async switchAutomatically(change) {
      const switched = await channels.switchAutomatically(change);
      const channel = switched ? await channels.findChannel(change.channelId) : undefined;
      if (channel !== undefined) void notices().switched({ ...change, name: channel.name });
      return switched;
    },
  };
}

/** Watches how late this thread is; the timer keeps nothing alive. */
function watchOverload(): RelayDeps["shedsLoad"] {
  const overload = openOverload(monotonic());
  setInterval(() => overload.tick(monotonic()), overloadTickMs).unref();
  return overload.shedsLoad;
}

type Network = {
  readonly policy: AddressPolicy;
  readonly ticker: Ticker;
  readonly transport: Transport;
  /** To addresses that users name. */
  readonly outbound: Outbound;
};

function openNetwork(config: Config): Network {
  const ticker = openTicker(monotonic);
  const policy = openAddressPolicy({
    privateRanges: config.privateUpstreams,
    loopback: config.hostIsLoopback,
  });
  const transportBy = (judged: AddressPolicy): Transport => {
    const addresses = openAddressBook({
      allows: (address) => judgeAddress(address, judged),
      resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
      nowMs: monotonic,
    });
    return openTransport({ addresses, ticker });
  };
  const outbound = openOutbound(transportBy(publicPolicy));
  return { policy, ticker, transport: transportBy(policy), outbound };
}

function consoleParts(
  shared: Shared,
  { policy, transport, outbound }: Network,
  made: { readonly version: string; readonly setupToken: string },
): ConsoleParts {
  const { config, live, ledger, options } = shared;
  const { snapshot, applyChanges } = live;
  return {
    ...shared,
    ...openProbes({ transport, snapshot, now: Date.now, nowMs: monotonic }),
    outbound: openDetour({
      direct: outbound,
      toWorker: openOutbound(transport),
      worker: () => ({ url: options.read("WorkerUrl"), key: options.read("WorkerValidKey") }),
    }),
    snapshot,
    applyChanges,
    money: ledger.holds.money,
    cookie: openSessionCookie(!config.plainHttp),
    browserCookie: openBrowserCookie(!config.plainHttp),
    callOutside: openOutsideCalls(transport),
    localAddress: `http://localhost:${config.port}`,
    policy,
    bootstrap: openBootstrap(made.setupToken, monotonic),
    dialect: config.database.dialect,
    version: made.version,
  };
}

/** Ties the database to this secret key and makes what every installation begins with. */
async function claim(stores: StoreClient, secrets: Secrets): Promise<void> {
  if (!(await stores.installation.claimSecretKey(secrets.fingerprint))) {
    throw new SecretError(
      "TOLLGATE_SECRET_KEY is not the one this database was made with; nothing sealed in it " +
        "could be opened. Restore the right key (on SQLite: secret.key in the data directory).",
    );
  }
  await stores.pricing.installPrices(Date.now());
}

type Shared = {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly stores: StoreClient;
  readonly ledger: OpenLedger;
  readonly options: Options;
  readonly live: LiveSnapshot;
  readonly metrics: Metrics;
  readonly limits: ReturnType<typeof openRateLimits>;
  readonly log: Logger;
};

function relayPorts(
  { secrets, stores, ledger, live, metrics, limits, log }: Shared,
  { ticker, transport }: Network,
): Omit<RelayDeps, "countTokens" | "markToken" | "reserve"> {
  return {
    ticker,
    transport,
    snapshot: live.snapshot,
    now: Date.now,
    random: Math.random,
    newRequestId: () => newRequestId(Date.now()),
    lookupOf: (key) => secrets.lookup(tokenKeyKind, key),
    priceOf: openPriceLookup(live.snapshot),
    recordFailure: ledger.holds.recordFailure,
    limits,
    shedsLoad: watchOverload(),
    readSpending: openSpending(stores),
    disableChannel(channel, _key, reason) {
      const change = { channelId: channel.id, status: 3, reason, nowMs: Date.now() } as const;
      stores.channels
        .switchAutomatically(change)
        .then(async (switched) => (switched ? await live.applyChanges() : undefined))
        .catch((error: unknown) =>
          log.error({ channelId: channel.id, err: error }, "a channel could not be disabled"),
        );
    },
    log,
    metrics: metrics.relay,
  };
}

function openSpending({ tokens, users }: StoreClient): RelayDeps["readSpending"] {
  return async (whose) => {
    if ("tokenId" in whose) {
      const { remain_quota, used_quota } = await tokens.readToken(whose.tokenId, null);
      return { remain: remain_quota, used: used_quota };
    }
    const { quota, used_quota } = await users.readSelf(whose.userId);
    return { remain: quota, used: used_quota };
  };
}

/** What guards a call that comes with a session. */
function edgeParts(
  { config, options, limits, log }: Shared,
  { sessions, requireStepUp }: ConsoleHandlers,
): Omit<ConsoleOptions, "handlers"> {
  return {
    authenticate: sessions.authenticate,
    requireStepUp,
    limits,
    requestsPerMinute: () => options.read("ConsoleRequestsPerMinute"),
    serverAddress: () => options.read("ServerAddress"),
    secure: !config.plainHttp,
    log,
  };
}
