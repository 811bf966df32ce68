/** Every handler of the console API with what it needs, by name. */

import type { AddressPolicy } from "#base/address-policy.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import { randomText, type Secrets } from "#base/secrets.ts";
import type { Dialect } from "#db/dialect.ts";
import type { Handler } from "#http/handler.ts";
import type { SessionCookie } from "#http/cookie.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { auditHandlers } from "#modules/audit/audit.handlers.ts";
import {
  type ChannelBalanceDeps,
  openChannelBalances,
} from "#modules/channels/channel-balances.ts";
import { type ChannelDeps, channelHandlers } from "#modules/channels/channels.handlers.ts";
import { openChannelTester } from "#modules/channels/channel-tests.ts";
import type { TestOutcome } from "#modules/channels/channels.ts";
import { contentHandlers } from "#modules/content/content.handlers.ts";
import { groupsOpenTo, visitorGroup } from "#modules/groups/groups.ts";
import { groupHandlers } from "#modules/groups/groups.handlers.ts";
import { type Bootstrap, createRoot } from "#modules/installation/installation.ts";
import { installationHandlers } from "#modules/installation/installation.handlers.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { logHandlers } from "#modules/logs/logs.handlers.ts";
import { openMail } from "#modules/mail/smtp.ts";
import { modelHandlers } from "#modules/models/models.handlers.ts";
import type { ChannelNotices } from "#modules/notifications/channel-notices.ts";
import { openSettingReader, type Outbound } from "#modules/notifications/notifications.ts";
import { type Options, storedText } from "#modules/options/options.ts";
import { optionHandlers } from "#modules/options/options.handlers.ts";
import { pricingHandlers } from "#modules/pricing/pricing.handlers.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { openPasswords } from "#modules/sign-in/passwords.ts";
import { openSessions } from "#modules/sign-in/sessions.ts";
import type { BotCheck } from "#modules/sign-in/bot-check.ts";
import type { CallOutside } from "#modules/sign-in/methods/outside.ts";
import type { Passwords, Sessions } from "#modules/sign-in/sign-in.ts";
import { signInHandlers } from "#modules/sign-in/sign-in.handlers.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import { tokenHandlers } from "#modules/tokens/tokens.handlers.ts";
import { userHandlers } from "#modules/users/users.handlers.ts";
import { findProvider } from "#providers/registry.ts";
import type { Snapshot } from "#relay/snapshot.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import { options as definitions } from "@tollgate/contract/options.ts";
import { tokenKeyLength } from "@tollgate/contract/tokens.ts";
import { openOwnAccount, openStepUp } from "./own-account.ts";
import { openWaysIn } from "./ways-in.ts";

export type ConsoleParts = {
  readonly stores: RemoteStores;
  readonly secrets: Secrets;
  readonly snapshot: Snapshot;
  readonly applyChanges: () => Promise<void>;
  readonly options: Options;
  readonly money: Money;
  readonly limits: RateLimits;
  readonly cookie: SessionCookie;
  /** Names browsers that have no session. */
  readonly browserCookie: SessionCookie;
  readonly policy: AddressPolicy;
  readonly bootstrap: Bootstrap;
  readonly dialect: Dialect;
  readonly version: string;
  readonly log: Logger;
  readonly testChannel: (channelId: number, model: string | null) => Promise<TestOutcome>;
  readonly tryChannel: ChannelDeps["tryChannel"];
  readonly askBalance: ChannelBalanceDeps["askBalance"];
  readonly listUpstreamModels: ChannelDeps["listUpstreamModels"];
  /** Requests to addresses that users name. */
  readonly outbound: Outbound;
  /** Requests to sign-in providers and the bot check. */
  readonly callOutside: CallOutside;
  /** Where this machine reaches the server. */
  readonly localAddress: string;
};

export type ConsoleHandlers = {
  readonly handlers: readonly Handler[];
  readonly sessions: Sessions;
  readonly requireStepUp: SecondFactor["requireStepUp"];
  /** Tells users whose balance runs low: one round of it. */
  readonly warnLowBalances: () => Promise<void>;
  /** Tells subscribers of prices and announcements: one round of it. */
  readonly sendBroadcasts: () => Promise<void>;
  /** Tells root what became of channels. */
  readonly channelNotices: ChannelNotices;
  /** Makes root from the environment; a refusal when there is one. */
  readonly createRoot: (account: { username: string; password: string }) => Promise<number>;
};

/** Characters of an access token: 190 random bits. */
const accessTokenLength = 32;

/** Characters of a session id: 256 random bits. */
const sessionIdLength = 43;

const affCodeLength = 4;

export function openConsoleHandlers(parts: ConsoleParts): ConsoleHandlers {
  const { stores, secrets, options, money, log, applyChanges, snapshot } = parts;
  const passwords = openPasswords();
  const secondFactor = openStepUp(parts);
  const sessions = openSessions({
    store: stores.signIn,
    cookie: parts.cookie,
    secrets,
    now,
    newSessionId: () => randomText(sessionIdLength),
    askSecondFactor: secondFactor.ask,
    log,
  });
  const mail = openMail({ readOption: options.read, log });
  const own = openOwnAccount({ ...parts, mail, passwords, sessions });
  const ways = openWaysIn({ ...parts, mail, passwords, sessions, newAffCode, now });
  const root = { store: stores.installation, passwords, money, newAffCode, applyChanges, now };
  const prices = () => snapshot.prices.list;
  const shown = {
    prices,
    usableGroups: () => options.read("UserUsableGroups"),
    groupOf: (userId: number) => snapshot.findUser(userId)?.group,
    modelsOf: (group: string) => snapshot.modelsOf(group),
  };
  const handlers = [
    ...accountHandlers(parts, { passwords, sessions, secondFactor, checkBot: ways.checkBot }),
    ...own.handlers,
    ...ways.handlers,
    ...auditHandlers({ store: stores.audit }),
    ...channelHandlers(channelDeps(parts, own.channelNotices)),
    ...contentHandlers({ readOption: options.read }),
    ...groupHandlers(shown),
    ...installationHandlers({
      ...root,
      dialect: parts.dialect,
      bootstrap: parts.bootstrap,
      readOption: options.read,
      saveFlags: async (flags, actor) => await saveFlags(parts, flags, actor),
      quotaPerUnit: () => prices().QuotaPerUnit,
      version: parts.version,
      startedAtMs: now(),
    }),
    ...logHandlers({
      store: stores.logs,
      lookupOf: (key) => secrets.lookup(tokenKeyKind, key),
      now,
    }),
    ...modelHandlers({ ...shown, store: stores.models }),
    ...optionHandlers({
      options,
      prices,
      store: stores.options,
      secrets,
      probe: ways.probeOption,
      hasSecondFactor: secondFactor.isSetUp,
      applyChanges,
      now,
    }),
    ...pricingHandlers(shown),
  ];
  const local = { userId: 0, username: "", clientIp: "" };
  return {
    ...own,
    handlers,
    sessions,
    requireStepUp: secondFactor.requireStepUp,
    createRoot: async (account) => await createRoot(root, account, local),
  };
}

const now = Date.now;

const newAffCode = (): string => randomText(affCodeLength);

type AccountParts = {
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly secondFactor: SecondFactor;
  readonly checkBot: BotCheck;
};

/** Those of people: how they sign in, who they are, and their tokens. */
function accountHandlers(
  parts: ConsoleParts,
  { passwords, sessions, secondFactor, checkBot }: AccountParts,
): readonly Handler[] {
  const { stores, secrets, options, money, limits, log, applyChanges, snapshot } = parts;
  return [
    ...signInHandlers({
      store: stores.signIn,
      sessions,
      passwords,
      secrets,
      limits,
      checkBot,
      passwordLoginEnabled: () => options.read("PasswordLoginEnabled"),
      newAccessToken: () => randomText(accessTokenLength),
      saveAccessToken: async (actor, lookup, nowMs) =>
        await stores.users.setAccessToken(actor, lookup, nowMs),
      now,
      log,
    }),
    ...tokenHandlers({
      store: stores.tokens,
      money,
      secrets,
      limits,
      readOption: options.read,
      isUsableGroup: (own, group) => openGroups(parts, own).has(group),
      newKey: () => randomText(tokenKeyLength),
      applyChanges,
      now,
    }),
    ...userHandlers({
      store: stores.users,
      money,
      passwords,
      sessions,
      readSettingText: openSettingReader({ store: stores.notifications, secrets }),
      limits,
      listGroups: () => Object.keys(snapshot.prices.list.GroupRatio),
      quotaForNewUser: () => options.read("QuotaForNewUser"),
      signedInLately: secondFactor.signedInLately,
      newAffCode,
      applyChanges,
      now,
    }),
  ];
}

function openGroups({ options, snapshot }: ConsoleParts, own: string): ReadonlyMap<string, string> {
  return groupsOpenTo({
    usable: options.read("UserUsableGroups"),
    ratios: snapshot.prices.list.GroupRatio,
    own: own === "" ? visitorGroup : own,
  });
}

function channelDeps(parts: ConsoleParts, notices: ChannelNotices): ChannelDeps {
  const { stores, secrets, policy, applyChanges, options, log } = parts;
  const shared = {
    store: stores.channels,
    testRules: () => ({
      automaticDisable: options.read("AutomaticDisableChannelEnabled"),
      automaticEnable: options.read("AutomaticEnableChannelEnabled"),
      slowest: options.read("ChannelDisableThreshold"),
    }),
    applyChanges,
    now: Date.now,
    report: (error: unknown) => log.warn({ err: error }, "background work on a channel failed"),
  };
  const tellsBalance = (type: number) => findProvider(type)?.balance !== undefined;
  return {
    store: stores.channels,
    secrets,
    policy,
    tester: openChannelTester({
      ...shared,
      testChannel: parts.testChannel,
      tested: (round) => void notices.tested(round),
    }),
    balances: openChannelBalances({ ...shared, tellsBalance, askBalance: parts.askBalance }),
    tryChannel: parts.tryChannel,
    listUpstreamModels: parts.listUpstreamModels,
    applyChanges,
    now: Date.now,
  };
}

async function saveFlags(
  { stores, secrets, applyChanges }: ConsoleParts,
  flags: { SelfUseModeEnabled?: boolean; DemoSiteEnabled?: boolean },
  actor: Actor,
): Promise<void> {
  for (const key of ["DemoSiteEnabled", "SelfUseModeEnabled"] as const) {
    const flag = flags[key];
    if (flag === undefined) continue;
    const value = storedText(definitions[key], key, String(flag), secrets);
    await stores.options.saveOption({ key, value, actor, nowMs: Date.now() });
  }
  await applyChanges();
}
