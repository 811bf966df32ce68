/** Creates each long-lived object once and passes it to what needs it, by a parameter's name. */

import { budgetGauges, type ByteBudget, openByteBudget } from "#base/memory/byte-budget.ts";
import type { Gauge } from "#base/gauge.ts";
import type { Logger } from "#base/logger.ts";
import type { HistoryPorts } from "#commands/demo-history/write-history.ts";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import type { Language } from "@tollgate/contract/words/languages.ts";
import { type Console, type ConsoleOptions, openConsole } from "#http/edge.ts";
import { type ErrorTexts, openErrorTexts } from "#http/error-texts.ts";
import { newRequestId } from "#base/request-id.ts";
import { callerReference } from "#relay/reference.ts";
import { joinPageSources, type PageSources } from "#http/security-headers.ts";
import type { Job } from "#jobs/job.ts";
import { openAttemptTallies } from "#modules/channel-statistics/attempt-tallies.ts";
import { type Metrics, openMetrics } from "#metrics/metrics.ts";
import { attemptsJob } from "#modules/channel-statistics/attempts-job.ts";
import { openLimits } from "#limits/limits.ts";
import { openNodeHints } from "#limits/node-hints.ts";
import { claimDatabase } from "#modules/installation/installation.ts";
import { booksClock, openBooks } from "#modules/ledger/journal/books.ts";
import { openWriteRing } from "#modules/ledger/lost/write-ring.ts";
import { openLedger, type OpenLedger } from "#modules/ledger/open-ledger.ts";
import type { LogRow } from "#modules/logs/logs.ts";
import type { Options } from "#modules/options/options.ts";
import { hashedKey, hashedKeyKind, tokenKeyKind } from "#modules/tokens/tokens.ts";
import type { Running } from "#ports/running.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { type DemoCall, openDemoCall } from "#relay/playground/demo-call.ts";
import { watchOverload } from "#relay/admission/overload.ts";
import { openPlayground, type Playground } from "#relay/playground/playground.ts";
import { openRelay, type Relay } from "#relay/relay.ts";
import { openHashing } from "#workers/hashing-client.ts";
import { openStoreClient, type RemoteStores } from "#workers/store-client.ts";
import { type OpenTraces, openTraces } from "#workers/traces-client.ts";
import type { Config } from "./config.ts";
import {
  type Core,
  elapsed,
  joinModules,
  openModules,
  type OpenModules,
  openNetworkOf,
  portsOf,
} from "./modules.ts";
import { watchDescriptors } from "#startup/descriptors-watch.ts";
import { openSnapshot } from "./snapshot.ts";
import {
  openThreads,
  startDatabaseWorker,
  startHashingProcess,
  startTracesWorker,
} from "./threads.ts";

export type Context = {
  readonly relay: Relay;
  readonly console: Console;
  readonly playground: Playground;
  /** Null: the program was started without `--demo`. */
  readonly demoCall: DemoCall | null;
  readonly demoCalls: OpenModules["demoCalls"]["face"];
  /** What writes the made-up calls of a demo. */
  readonly history: HistoryPorts;
  readonly metrics: Metrics;
  readonly ledger: OpenLedger;
  readonly installation: OpenModules["installation"]["face"];
  readonly configuration: OpenModules["configuration"]["face"];
  readonly jobs: readonly Job[];
  /** Returns the foreign origins that the console's page may load from, by the present options. */
  readonly pageSources: () => PageSources;
  readonly errorText: ErrorTexts;
  /** Returns the public address that root has set; empty: none. */
  readonly serverAddress: () => string;
  /** Returns whether root wrote a home page, which replaces the console's own. */
  readonly hasOwnHome: () => boolean;
  close(): Promise<void>;
};

/** How often this node applies configuration changes made by other nodes, in milliseconds. */
const changesMs = 1_000;

/** How often configuration changes that every node has applied are removed, in milliseconds. */
const cleaningMs = 60_000;

type Given = {
  readonly config: Config;
  readonly version: string;
  readonly commit: string;
  readonly log: Logger;
  /** Returns the address at which this machine reaches the server. */
  readonly localAddress: () => string;
};

export async function openContext({ localAddress, ...given }: Given): Promise<Context> {
  const { config, version, commit, log } = given;
  const secrets = openSecrets(config.secretKey);
  const { stores, ...kept } = await openStores(given, secrets);
  const callersChanged = (): void => relay.callersChanged();
  const live = openSnapshot(callersChanged, () => ledger.wentBack());
  const { snapshot, load, applyChanges, reload } = live;
  const ledger = await openLedger({
    ...kept,
    reload,
    tellLoss: async (report) => await opened.notifications.face.databaseBack(report),
    tellRefused: async (count) => await opened.notifications.face.chargesPending(count),
  });
  const counting = openLimits({ ...config, ...ledger, ...stores, secrets, now: elapsed, log });
  const budget = openByteBudget(config.unfinishedBytesMax);
  const network = openNetworkOf(config);
  const hashing = openHashing(startHashingProcess);
  const opener = { config, secrets, log, budget, network, snapshot, ledger, hashing };
  const told = { ...routesOf(() => relay), localAddress, callable: callerReference };
  const own = { together: stores.together, ...told, ...sharedOf(counting) };
  const core = { ...opener, ...own, endpoints: () => handlers.map(({ endpoint }) => endpoint) };
  const ports = portsOf(core, applyChanges, { version, commit });
  const opened = openModules(ports, stores);
  await load(sourcesOf(stores, opened));
  const { handlers, jobs, metrics: gauges, pageSources } = joinModules(opened);
  const traces = tracesOf(config, version);
  const ownGauges = [...(traces?.gauges ?? []), ...gaugesOf(budget, () => relay.ejected())];
  const allGauges = [...ledger.gauges, ...counting.gauges, ...gauges, ...ownGauges];
  const metrics = openMetrics(allGauges, { version, commit });
  const threads = openThreads();
  const errorText = errorTextsOf(ports.options, snapshot, "en");
  const attempts = openAttemptTallies();
  const writeAttempts = attemptsJob({ store: stores.channelStatistics, attempts, now: ledger.now });
  const watched = { metrics: metrics.relay, attempts, traces };
  const deps = { ...relayPorts(core, opened), ...threads.ports, ...watched, errorText };
  const { relay, hints } = openAmongNodes(deps, { ...counting, ...ledger, store: stores.hints });
  kept.passOn.to = hints.heard;
  const edge = edgeOf(core, opened, ports.options);
  return {
    relay,
    metrics,
    ledger,
    errorText: edge.errorText,
    installation: opened.installation.face,
    configuration: opened.configuration.face,
    console: openConsole({ ...edge, handlers }),
    playground: openPlayground({ ...edge, relay, snapshot }),
    demoCall: config.demo ? demoCallOf({ ...edge, ...deps, relay }, opened) : null,
    demoCalls: opened.demoCalls.face,
    history: { ...core, stores, money: ports.money, applyChanges },
    jobs: [
      ...followingJobs(applyChanges, hints.poll),
      watchDescriptors(log, { now: elapsed }),
      cleaningJob(stores, ledger, live.version),
      ...ledger.jobs,
      writeAttempts,
      ...jobs,
    ],
    ...pageOf(ports.options, pageSources),
    serverAddress: edge.serverAddress,
    async close() {
      await storeLast(opened);
      await writeAttempts.run();
      await traces?.close();
      for (const one of [threads, hints, counting, hashing]) one.close();
      // What is not in the books when the store does not commit is written there at the next start.
      await kept.books.barrier()?.catch(() => undefined);
      await stores.close();
    },
  };
}

function sharedOf({ limits, nodeShare, places }: ReturnType<typeof openLimits>) {
  return { limits, nodeShare, places };
}

/** Opens the relay, with what it tells other nodes and hears of them. */
function openAmongNodes(
  deps: Omit<RelayDeps, "tellNodes">,
  nodes: Omit<Parameters<typeof openNodeHints>[0], "heard">,
) {
  const hints = openNodeHints({ ...nodes, heard: (hint) => relay.heard(hint) });
  const relay = openRelay({ ...deps, tellNodes: hints.tell });
  return { relay, hints };
}

function followingJobs(applyChanges: Job["run"], hearNodes: Job["run"]): Job[] {
  const often = { everyMs: changesMs, runs: "every-node" } as const;
  return [
    { name: "apply-changes", ...often, run: applyChanges },
    { name: "hear-nodes", ...often, run: hearNodes },
  ];
}

/** How long the texts of calls may take to be stored when the gateway stops, in milliseconds. */
const textsMaxMs = 10_000;

/** Opens the stores, with what the ledger needs of them and of the configuration. */
async function openStores({ config, log }: Pick<Given, "config" | "log">, secrets: Secrets) {
  const writes = openWriteRing(Date.now);
  const books = openBooks(booksClock);
  // What other nodes tell is lost until the relay is there to hear it.
  const passOn = { to: (_: string): void => {} };
  const stores = await openStoreClient(config.database, startDatabaseWorker, {
    onDeath(reason) {
      // After such a bug it is unknown which of the worker's tasks were done. So the process ends,
      // and a new one reads from the tables what was done.
      log.fatal({ reason }, "a bug ended a database worker, so the process ends");
      process.exit(1);
    },
    onWritten: writes.note,
    onHeard: (text) => passOn.to(text),
    behindBooks: (kind) => (kind === "read" ? books.readBarrier() : books.barrier()),
  });
  await prepareDatabase(stores, secrets, log);
  const { dialect } = config.database;
  const { dataDir } = config;
  return { stores, dialect, store: stores.ledger, dataDir, log, writes, books, passOn };
}

/** Stores what the modules have gathered and not stored yet. */
async function storeLast({
  issuers,
  keptAnswers,
  tokens,
  transcripts,
}: OpenModules): Promise<void> {
  const queues = [issuers, keptAnswers].map(({ face }) => face.drained());
  // The texts of calls can be missed, so they do not hold up the end.
  const texts = Promise.race([transcripts.face.drained(), Bun.sleep(textsMaxMs)]);
  await Promise.all([tokens.face.saveUse(), ...queues, texts]);
}

type OpenStores = Awaited<ReturnType<typeof openStoreClient>>;

async function prepareDatabase(stores: OpenStores, secrets: Secrets, log: Logger): Promise<void> {
  for (const notice of stores.notices) log.warn(notice);
  await claimDatabase(stores.installation, secrets);
  await stores.pricing.installPrices(Date.now());
}

function gaugesOf(budget: ByteBudget, read: () => number): Gauge[] {
  const ejected = { name: "tollgate_channels_ejected", help: "Channels left out.", read };
  return [ejected, ...budgetGauges(budget)];
}

/** Opens the traces of calls; null: the environment names no collector for them. */
function tracesOf({ traces }: Config, version: string): OpenTraces | null {
  if (traces === null) return null;
  return openTraces({ ...traces, version, random: Math.random, start: startTracesWorker });
}

/** Returns the functions that load the parts of the relay's snapshot. */
function sourcesOf({ changes }: Pick<RemoteStores, "changes">, opened: OpenModules) {
  return {
    ...changes,
    ...opened.channels.snapshot,
    ...opened.options.snapshot,
    ...opened.pricing.snapshot,
    ...opened.tokens.snapshot,
    ...opened.users.snapshot,
  };
}

/** Makes the job that removes the configuration changes that every node has applied. */
function cleaningJob(
  stores: Pick<RemoteStores, "changes" | "ledger">,
  { nodeId }: OpenLedger,
  snapshotVersion: () => number,
): Job {
  return {
    name: "clean-changes",
    everyMs: cleaningMs,
    runs: "every-node",
    async run() {
      await stores.ledger.noteConfigVersion(nodeId, snapshotVersion());
      await stores.changes.cleanChanges();
    },
  };
}

function relayPorts(
  core: Core,
  { channels, issuers, keptAnswers, logs, pricing, tasks, tokens, transcripts, users }: OpenModules,
): Omit<
  RelayDeps,
  "attempts" | "errorText" | "metrics" | "readApart" | "tellNodes" | "tokenizer" | "traces"
> {
  const { secrets, network, ledger, snapshot } = core;
  return {
    ...core,
    ticker: network.ticker,
    transport: network.transport,
    now: ledger.now,
    random: Math.random,
    newRequestId: () => newRequestId(Date.now()),
    lookupOf: (key) => secrets.lookup(tokenKeyKind, key),
    hashedLookupOf: (key) => secrets.lookup(hashedKeyKind, hashedKey(key)),
    endUserOf: (name) => secrets.lookup("end-user", name),
    priceOf: pricing.face.priceOf,
    reserve(request) {
      if (request.tokenId > 0) tokens.face.noteUse(request.tokenId);
      const { spendRules, timeZone } = snapshot.options;
      if (spendRules.userHour > 0 || spendRules.gatewayMinute > 0 || request.budgets !== null) {
        return ledger.reserveWithin(request, { spendRules, timeZone });
      }
      return ledger.holds.reserve(request);
    },
    recordFailure: ledger.holds.recordFailure,
    shedsLoad: watchOverload(elapsed),
    answers: keptAnswers.face,
    issuers: issuers.face,
    openTranscript: transcripts.face.open,
    tasks: tasks.face,
    freezeToken: tokens.face.freezeToken,
    markToken: tokens.face.markToken,
    adoptKey: tokens.face.adoptKey,
    readSpending: async (whose) =>
      "tokenId" in whose
        ? await tokens.face.readSpending(whose.tokenId)
        : await users.face.readSpending(whose.userId),
    async findCall({ id, userId, tokenId }) {
      const found = await logs.face.find(userId, id);
      return found?.row.token_id === tokenId ? foundCall(found.row) : null;
    },
    suspectChannel: (channel, reason) => channels.face.suspect(channel.id, reason),
    disableChannel: (channel, _key, reason) => channels.face.disable(channel.id, reason),
  };
}

/** Brings a log row to the form in which the relay tells of a call. */
function foundCall(row: LogRow) {
  return {
    model: row.model_name,
    created_at: new Date(row.created_at * 1_000).toISOString(),
    streamed: row.is_stream === 1,
    tokens_prompt: row.prompt_tokens,
    tokens_completion: row.completion_tokens,
    generation_time: row.use_time * 1_000,
    quota: row.reversed === 1 ? 0 : row.quota,
  };
}

/**
 * Error messages show amounts in dollars or in quota units, as root has set for screens.
 *
 * @param byDefault the language for callers that name none, where root has chosen none.
 */
function errorTextsOf(
  { read }: Options,
  snapshot: Pick<RelayDeps["snapshot"], "prices">,
  byDefault: Language,
): ErrorTexts {
  return openErrorTexts({
    language() {
      const chosen = read("ApiErrorLanguage");
      return chosen === "auto" ? byDefault : chosen;
    },
    showQuota(quota) {
      if (!read("DisplayInCurrencyEnabled")) return String(quota);
      return `$${(quota / Number(snapshot.prices.list.QuotaPerUnit)).toFixed(6)}`;
    },
  });
}

/** Returns what the answers with the console's page depend on, by the present options. */
const pageOf = (options: Options, sources: () => readonly PageSources[]) => ({
  pageSources: () => joinPageSources(sources()),
  hasOwnHome: () => options.read("HomePageContent").trim() !== "",
});

/** Opens the guard of requests that carry a session or an access token. */
function edgeOf(
  core: Core,
  { organisations, sessions, secondFactor }: OpenModules,
  options: Options,
): Omit<ConsoleOptions, "handlers"> {
  return {
    ...core,
    errorText: errorTextsOf(options, core.snapshot, "zh"),
    authenticate: sessions.face.authenticate,
    requireStepUp: secondFactor.face.requireStepUp,
    actFor: organisations.face.actFor,
    requestsPerMinute: () => options.read("ConsoleRequestsPerMinute"),
    serverAddress: () => options.read("ServerAddress"),
  };
}

/** What modules ask of the relay, which opens after them because it needs them. */
function routesOf(relay: () => Relay) {
  const running: Running = {
    list: (filter, most) => relay().running.list(filter, most),
    stop: (filter, by) => relay().running.stop(filter, by),
    isDraining: () => relay().running.isDraining(),
  };
  const explainRoute: Core["explainRoute"] = (asked) => relay().explain(asked);
  return { channelStanding: (id: number) => relay().standing(id), explainRoute, running };
}

/** Opens the call that the demo makes for its visitors, by the key of its account. */
function demoCallOf(
  deps: Omit<Parameters<typeof openDemoCall>[0], "key">,
  { demoCalls }: OpenModules,
): DemoCall {
  return openDemoCall({ ...deps, key: () => demoCalls.face.account()?.key ?? null });
}
