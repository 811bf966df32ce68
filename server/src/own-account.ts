/** What people do with their own accounts, and what the gateway tells them of it. */

import { openAddressPolicy } from "#base/address-policy.ts";
import { randomText } from "#base/secrets.ts";
import type { Handler } from "#http/handler.ts";
import { affiliateHandlers } from "#modules/affiliates/affiliates.handlers.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { openBroadcasts } from "#modules/notifications/broadcasts.ts";
import { type ChannelNotices, openChannelNotices } from "#modules/notifications/channel-notices.ts";
import { notificationHandlers } from "#modules/notifications/notifications.handlers.ts";
import { openQuotaWarnings } from "#modules/notifications/quota-warnings.ts";
import { openSendNotice } from "#modules/notifications/send-notice.ts";
import { passkeyHandlers } from "#modules/second-factor/passkeys.handlers.ts";
import { openSecondFactor } from "#modules/second-factor/proofs.ts";
import { secondFactorHandlers } from "#modules/second-factor/second-factor.handlers.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { ownSessionHandlers } from "#modules/sign-in/own-sessions.handlers.ts";
import type { Passwords, Sessions } from "#modules/sign-in/sign-in.ts";
import type { ConsoleParts } from "./console-handlers.ts";

export type OwnAccount = {
  readonly handlers: readonly Handler[];
  /** Tells users whose balance runs low: one round of it. */
  readonly warnLowBalances: () => Promise<void>;
  /** Tells subscribers of prices and announcements: one round of it. */
  readonly sendBroadcasts: () => Promise<void>;
  /** Tells root what became of channels. */
  readonly channelNotices: ChannelNotices;
};

export type OwnAccountParts = Pick<
  ConsoleParts,
  "cookie" | "limits" | "log" | "money" | "options" | "outbound" | "secrets" | "snapshot" | "stores"
> & { readonly mail: Mail; readonly passwords: Passwords; readonly sessions: Sessions };

/** Characters of a ticket: 256 random bits. */
const ticketLength = 43;

/** What users name is public, whatever the operator allows channels. */
export const publicPolicy = openAddressPolicy({ privateRanges: [], loopback: false });

const newTicket = (): string => randomText(ticketLength);

export function openStepUp({ stores }: Pick<ConsoleParts, "stores">): SecondFactor {
  return openSecondFactor({ store: stores.secondFactor, newTicket, now: Date.now });
}

export function openOwnAccount(parts: OwnAccountParts): OwnAccount {
  const { stores, money, options, secrets, snapshot, limits, log, mail, outbound } = parts;
  const now = Date.now;
  const quotaPerUnit = (): string => snapshot.prices.list.QuotaPerUnit;
  const systemName = (): string => options.read("SystemName");
  const serverAddress = (): string => options.read("ServerAddress");
  const factorDeps = {
    ...parts,
    store: stores.secondFactor,
    newTicket,
    systemName,
    serverAddress,
    now,
  };
  const sendNotice = openSendNotice({ mail, outbound, secrets, systemName, now });
  const shared = { store: stores.notifications, sendNotice, log };
  return {
    handlers: [
      ...affiliateHandlers({ store: stores.affiliates, money, quotaPerUnit, now }),
      ...notificationHandlers({ ...shared, secrets, policy: publicPolicy, limits }),
      ...passkeyHandlers(factorDeps),
      ...secondFactorHandlers(factorDeps),
      ...ownSessionHandlers({ store: stores.signIn, cookie: parts.cookie, now }),
    ],
    channelNotices: openChannelNotices({ ...shared, limits }),
    sendBroadcasts: openBroadcasts({ ...shared, serverAddress, now }),
    warnLowBalances: openQuotaWarnings({
      ...shared,
      threshold: () => options.read("QuotaRemindThreshold"),
      serverAddress,
      inCurrency: () => options.read("DisplayInCurrencyEnabled"),
      quotaPerUnit,
      now,
    }),
  };
}
