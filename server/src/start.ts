/** Starts the parts of a gateway in the order of their dependencies, and stops it. */

import { descriptorsMax } from "#base/process/descriptors.ts";
import type { Logger } from "#base/logger.ts";
import { Refusal } from "#base/refusal.ts";
import { openFolderWarning } from "#db/data-folder.ts";
import { lockDataDir } from "#db/owner-lock.ts";
import { listen, type Listener } from "#http/listen.ts";
import { taskFolders } from "#platforms/registry.ts";
import { openProxies } from "#http/proxies.ts";
import { newRequestId } from "#base/request-id.ts";
import { startJobs } from "#jobs/job.ts";
import { ConfigError } from "#startup/config-error.ts";
import { fewDescriptorsWarning } from "#startup/descriptors-watch.ts";
import type { Config } from "./config.ts";
import { type Context, openContext } from "./context.ts";
import { openPages } from "#pages/pages.ts";
import { plainHttpWarning, tellOfUnknownProxy } from "#http/plain-http.ts";
import { findWebFiles } from "#pages/web-files.ts";
import { commit, version } from "#startup/version.ts";

export type Running = {
  readonly origin: string;
  readonly context: Context;
  /** The link by which root can be created; null: the gateway is set up already. */
  readonly setupLink: string | null;
  /** Warnings that the operator must see. */
  readonly warnings: readonly string[];
  /**
   * Drains and stops the gateway; resolves when nothing runs.
   *
   * @param graceMs how long it still takes calls while it reports not ready, so that load balancers
   *   notice.
   * @returns what was not stored, in words for the operator; null: everything was.
   */
  stop(graceMs: number): Promise<string | null>;
};

/**
 * Where the built console is: inside the executable; when run from sources, in the output folder of
 * the last build. The paths are relative to this folder; see
 * docs/decisions/2026-11-21-three-ways-to-run.md.
 */
const webFolders = ["./web/", "../../dist/web/"].map((path) => new URL(path, import.meta.url));

export async function start(config: Config, log: Logger): Promise<Running> {
  const unlock = lockDataDir(config.dataDir);
  // The port 0 asks for any that is free, which is known once the server listens.
  let { port } = config;
  const localAddress = () => `http://localhost:${port}${config.basePath}`;
  const context = await openContext({ config, version, commit, log, localAddress });
  await makeRoot(config, context, log);
  let draining = false;
  const proxies = openProxies(config.trustedProxies, tellOfUnknownProxy(log));
  const listener = listen({
    host: config.host,
    port: config.port,
    keepAliveSeconds: config.keepAliveSeconds,
    basePath: config.basePath,
    taskFolders,
    newRequestId: () => newRequestId(Date.now()),
    clientIp: proxies.clientIp,
    seen: (peer, headers) => ({
      secure: !config.plainHttp || proxies.overHttps(peer, headers),
      basePath: proxies.basePath(peer, headers) ?? config.basePath,
    }),
    errorText: context.errorText,
    onBug: (error, requestId) => log.error({ err: error, requestId }, "an answer failed"),
    routes: {
      relay: context.relay.answer,
      console: context.console,
      playground: context.playground,
      demoCall: context.demoCall,
      other: openPages({
        ready: () => !draining && context.ledger.ready(),
        metrics: context.metrics.text,
        metricsCidrs: config.metricsCidrs,
        sources: context.pageSources,
        hasOwnHome: context.hasOwnHome,
        files: findWebFiles(webFolders),
      }),
    },
  });
  port = listener.port;
  const origin = originOf(listener) + config.basePath;
  const stopJobs = startJobs(context.jobs, log);
  const { isSetUp, makeSetupToken } = context.installation;
  const setupToken = (await isSetUp()) ? null : await makeSetupToken();
  return {
    origin,
    context,
    warnings: [
      plainHttpWarning(config, context.serverAddress()),
      openFolderWarning(config.dataDir, config.database.dialect),
      fewDescriptorsWarning(descriptorsMax()),
    ].filter((line) => line !== null),
    setupLink: setupToken === null ? null : `${origin}/setup#token=${setupToken}`,
    async stop(graceMs) {
      draining = true;
      void context.ledger.noteDraining();
      listener.startDraining();
      context.relay.stopTaking("sessions");
      await Bun.sleep(graceMs);
      listener.refuseCalls();
      context.relay.stopTaking("calls");
      await context.relay.drain(listener.busy);
      const left = await storeRest(context, stopJobs, log);
      listener.stop();
      unlock();
      return left;
    },
  };
}

/**
 * How long a shutdown waits for the database to commit what calls have done, in steps after each of
 * which it is told, and how long for everything else. A database that is away or frozen must not
 * keep the process from ending.
 */
const commitSteps = 3;
const commitStepMs = 10_000;
const closeMaxMs = 5_000;

/** Stores what is not stored yet. @returns what could not be stored; null: nothing. */
async function storeRest(
  { ledger: { queue }, close }: Context,
  stopJobs: () => Promise<void>,
  log: Logger,
): Promise<string | null> {
  const jobsEnded = await within(closeMaxMs, stopJobs());
  const drained = queue.drained();
  let isCommitted = await within(0, drained);
  for (let step = 0; !isCommitted && step < commitSteps; step += 1) {
    isCommitted = await within(commitStepMs, drained);
    const operations = queue.pendingIds().length;
    if (!isCommitted) log.warn({ operations }, "the shutdown waits for the database to commit");
  }
  const ids = [...new Set(queue.pendingIds())];
  const isClosed = await within(closeMaxMs, close());
  if (!isCommitted && ids.length > 0) {
    return (
      `The database (DATABASE_URL) did not store the end of calls in time, so these are not ` +
      `charged (${ids.length}): ${ids.slice(0, idsMax).join(", ")}`
    );
  }
  if (jobsEnded && isClosed) return null;
  return "The database (DATABASE_URL) could not be used at the end; no charge is lost.";
}

/** The most calls that are named. */
const idsMax = 20;

/**
 * Waits for work, but not for ever.
 *
 * @returns whether the work was done within the time. Work that failed was not done.
 */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function makeRoot(config: Config, context: Context, log: Logger): Promise<void> {
  if (config.root === null || (await context.installation.isSetUp())) return;
  try {
    await context.installation.createRoot(config.root);
  } catch (error) {
    // If another node has created root first, nothing is left to do.
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "invalid-input") {
      throw new ConfigError(
        "TOLLGATE_ROOT_PASSWORD is one of the passwords that attackers try first.",
      );
    }
    if (error.code !== "already-set-up") throw error;
    log.info("a root user exists already");
  }
}

function originOf({ host, port }: Listener): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
