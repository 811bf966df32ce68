/** All modules, and how they are opened. A new module is a folder and a line in `modules`. */

import { lookup } from "node:dns/promises";
import { openAddressPolicy } from "#base/address-policy.ts";
import type { ByteBudget } from "#base/memory/byte-budget.ts";
import type { Logger } from "#base/logger.ts";
import { systemRandom } from "#base/random.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { SharedPlaces } from "#limits/shared-places.ts";
import { affiliatesModule } from "#modules/affiliates/affiliates.module.ts";
import { agentsModule } from "#modules/agents/agents.module.ts";
import { apiDocumentModule } from "#modules/api-document/api-document.module.ts";
import { auditModule } from "#modules/audit/audit.module.ts";
import { billsModule } from "#modules/bills/bills.module.ts";
import { channelStatisticsModule } from "#modules/channel-statistics/channel-statistics.module.ts";
import { channelsModule } from "#modules/channels/channels.module.ts";
import { checklistModule } from "#modules/checklist/checklist.module.ts";
import { configurationModule } from "#modules/configuration/configuration.module.ts";
import { contentModule } from "#modules/content/content.module.ts";
import { conversationsModule } from "#modules/conversations/conversations.module.ts";
import { costsModule } from "#modules/costs/costs.module.ts";
import { dashboardModule } from "#modules/dashboard/dashboard.module.ts";
import { demoCallsModule } from "#modules/demo-calls/demo-calls.module.ts";
import { groupsModule } from "#modules/groups/groups.module.ts";
import { identitiesModule } from "#modules/identities/identities.module.ts";
import { importModule } from "#modules/import/import.module.ts";
import { installationModule } from "#modules/installation/installation.module.ts";
import { issuersModule } from "#modules/issuers/issuers.module.ts";
import { keptAnswersModule } from "#modules/kept-answers/kept-answers.module.ts";
import type { OpenLedger } from "#modules/ledger/open-ledger.ts";
import { liveModule } from "#modules/live/live.module.ts";
import { logsModule } from "#modules/logs/logs.module.ts";
import { mailModule } from "#modules/mail/mail.module.ts";
import { modelsModule } from "#modules/models/models.module.ts";
import { openInOrder, type OpenedModule, type Ports } from "#modules/module.ts";
import { newAccountsModule } from "#modules/new-accounts/new-accounts.module.ts";
import { notificationsModule } from "#modules/notifications/notifications.module.ts";
import { optionsModule } from "#modules/options/options.module.ts";
import { organisationsModule } from "#modules/organisations/organisations.module.ts";
import { openOptions } from "#modules/options/options.ts";
import { passwordsModule } from "#modules/passwords/passwords.module.ts";
import { paymentsModule } from "#modules/payments/payments.module.ts";
import { pricingModule } from "#modules/pricing/pricing.module.ts";
import { redemptionsModule } from "#modules/redemptions/redemptions.module.ts";
import { registrationModule } from "#modules/registration/registration.module.ts";
import { reratesModule } from "#modules/rerates/rerates.module.ts";
import { routesModule } from "#modules/routes/routes.module.ts";
import { secondFactorModule } from "#modules/second-factor/second-factor.module.ts";
import { sessionsModule } from "#modules/sessions/sessions.module.ts";
import { signInModule } from "#modules/sign-in/sign-in.module.ts";
import { tasksModule } from "#modules/tasks/tasks.module.ts";
import { hashedKey, hashedKeyKind, tokenKeyKind } from "#modules/tokens/tokens.ts";
import { tokensModule } from "#modules/tokens/tokens.module.ts";
import { transcriptsModule } from "#modules/transcripts/transcripts.module.ts";
import { usersModule } from "#modules/users/users.module.ts";
import { viewsModule } from "#modules/views/views.module.ts";
import { type Network, openNetwork } from "#network/network.ts";
import { openProxies } from "#network/proxy.ts";
import { openKeyJudge } from "#relay/probes/key-judge.ts";
import { openProbes } from "#relay/probes/probes.ts";
import type { Snapshot } from "#ports/snapshot.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import type { Config } from "./config.ts";

/** Returns the milliseconds of a monotonic clock. */
export const elapsed = (): number => performance.now();

/**
 * One line per module, sorted. A module gets the store of the same name from `workers/stores.ts`.
 */
export const modules = {
  affiliates: affiliatesModule,
  agents: agentsModule,
  apiDocument: apiDocumentModule,
  audit: auditModule,
  bills: billsModule,
  channelStatistics: channelStatisticsModule,
  channels: channelsModule,
  checklist: checklistModule,
  configuration: configurationModule,
  content: contentModule,
  conversations: conversationsModule,
  costs: costsModule,
  dashboard: dashboardModule,
  demoCalls: demoCallsModule,
  groups: groupsModule,
  identities: identitiesModule,
  imports: importModule,
  installation: installationModule,
  issuers: issuersModule,
  keptAnswers: keptAnswersModule,
  live: liveModule,
  logs: logsModule,
  mail: mailModule,
  models: modelsModule,
  newAccounts: newAccountsModule,
  notifications: notificationsModule,
  options: optionsModule,
  organisations: organisationsModule,
  passwords: passwordsModule,
  payments: paymentsModule,
  pricing: pricingModule,
  redemptions: redemptionsModule,
  registration: registrationModule,
  rerates: reratesModule,
  routes: routesModule,
  secondFactor: secondFactorModule,
  sessions: sessionsModule,
  signIn: signInModule,
  tasks: tasksModule,
  tokens: tokensModule,
  transcripts: transcriptsModule,
  users: usersModule,
  views: viewsModule,
} as const;

type Modules = typeof modules;
type Name = keyof Modules;

/** What each module provides, by module name. */
export type OpenModules = { readonly [Each in Name]: ReturnType<Modules[Each]["open"]> };

type FaceOf<Each extends Name> = OpenModules[Each] extends { readonly face: infer Face }
  ? Face
  : never;

type GivenTo<Each extends Name> = Ports & {
  readonly store: Each extends keyof RemoteStores ? RemoteStores[Each] : undefined;
  readonly needs: {
    readonly [Needed in Extract<Modules[Each]["needs"][number], Name>]: FaceOf<Needed>;
  };
};

/** A compile-time check that `openModules` gives each module everything it needs. */
const checked: {
  readonly [Each in Name]: {
    readonly needs: readonly Name[];
    readonly open: (given: GivenTo<Each>) => OpenedModule;
  };
} = modules;

/**
 * Opens every module after the modules it needs.
 *
 * @param instead modules that replace others, for tests.
 */
export function openModules(
  ports: Ports,
  stores: RemoteStores,
  instead: Partial<Modules> = {},
): OpenModules {
  const storeOf: Readonly<Record<string, unknown>> = stores;
  const opened = openInOrder({ ...checked, ...instead }, (name, needs) => {
    return { ...ports, store: storeOf[name], needs };
  });
  // Safe cast: there is one entry per module, created by the module's own `open`.
  return opened as OpenModules;
}

/** Joins the handlers and the jobs of all modules. */
export function joinModules(opened: OpenModules) {
  const all = Object.values<OpenedModule>(opened);
  return {
    handlers: all.flatMap(({ handlers = [] }) => handlers),
    jobs: all.flatMap(({ jobs = [] }) => jobs),
    metrics: all.flatMap(({ metrics = [] }) => metrics),
    pageSources: () => all.flatMap(({ pageSources }) => (pageSources ? [pageSources()] : [])),
  };
}

/** Objects that are created before the modules. */
export type Core = {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly limits: RateLimits;
  readonly nodeShare: (limit: number) => number;
  readonly places: SharedPlaces | null;
  /** The memory of what arrives and is not complete. */
  readonly budget: ByteBudget;
  readonly network: Network;
  readonly snapshot: Snapshot;
  readonly ledger: OpenLedger;
  readonly hashing: Ports["hashing"];
  readonly together: Ports["together"];
  readonly channelStanding: Ports["channelStanding"];
  readonly explainRoute: Ports["explainRoute"];
  readonly running: Ports["running"];
  readonly callable: Ports["callable"];
  readonly endpoints: () => readonly Endpoint[];
  readonly localAddress: () => string;
};

/** Builds the ports that the modules get when the real server runs; tests build others. */
export function portsOf(
  core: Core,
  applyChanges: () => Promise<void>,
  program: Pick<Ports["program"], "commit" | "version">,
): Ports {
  const { config, secrets, log, network, snapshot, ledger } = core;
  return {
    ...core,
    options: openOptions(
      secrets,
      (key, reason) =>
        log.error({ option: key, reason }, "an option is out of range and was ignored"),
      config.basePath,
    ),
    money: ledger.holds.money,
    nodeId: ledger.nodeId,
    clock: { now: ledger.now, elapsed },
    random: systemRandom,
    applyChanges,
    probes: openProbes({
      transport: network.transport,
      snapshot,
      now: ledger.now,
      nowMs: elapsed,
    }),
    judgeKey: openKeyJudge({
      snapshot,
      limits: core.limits,
      lookupOf: (key) => secrets.lookup(tokenKeyKind, key),
      hashedLookupOf: (key) => secrets.lookup(hashedKeyKind, hashedKey(key)),
      now: ledger.now,
    }),
    program: {
      ...program,
      dialect: config.database.dialect,
      localAddress: core.localAddress,
      basePath: config.basePath,
      demo: config.demo,
      secretKeyFile: config.secretKeyFile,
      priceCatalogueFile: config.priceCatalogueFile,
      processorUrls: config.processorUrls,
    },
  };
}

/**
 * Opens a network that connects to public addresses, and to private ones that the operator allows.
 */
export function openNetworkOf(config: Config): Network {
  return openNetwork({
    policy: openAddressPolicy({
      privateRanges: config.privateUpstreams,
      loopback: config.hostIsLoopback,
    }),
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    nowMs: elapsed,
    findProxy: openProxies(config.proxies),
  });
}
