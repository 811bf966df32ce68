/** The part of the console that people use for their own accounts, for tests. */

import { openAddressPolicy } from "#base/address-policy.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import { randomText, type Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { bindStore } from "#db/store.ts";
import type { SessionCookie } from "#http/cookie.ts";
import type { Handler } from "#http/handler.ts";
import { affiliateHandlers } from "#modules/affiliates/affiliates.handlers.ts";
import { affiliateStore } from "#modules/affiliates/affiliates.store.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { notificationHandlers } from "#modules/notifications/notifications.handlers.ts";
import { notificationStore } from "#modules/notifications/notifications.store.ts";
import type { Outbound } from "#modules/notifications/notifications.ts";
import { openSendNotice } from "#modules/notifications/send-notice.ts";
import { passkeyHandlers } from "#modules/second-factor/passkeys.handlers.ts";
import { openSecondFactor } from "#modules/second-factor/proofs.ts";
import { secondFactorHandlers } from "#modules/second-factor/second-factor.handlers.ts";
import { secondFactorStore } from "#modules/second-factor/second-factor.store.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { ownSessionHandlers } from "#modules/sign-in/own-sessions.handlers.ts";
import { signInStore } from "#modules/sign-in/sign-in.store.ts";
import type { Passwords, Sessions } from "#modules/sign-in/sign-in.ts";

const newTicket = (): string => randomText(43);

export function openTestSecondFactor(db: Db, now: () => number): SecondFactor {
  return openSecondFactor({ store: bindStore(secondFactorStore, db), newTicket, now });
}

export type OwnAccountTestParts = {
  readonly db: Db;
  readonly cookie: SessionCookie;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  readonly mail: Mail;
  readonly outbound: Outbound;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly serverAddress: () => string;
  readonly now: () => number;
};

export function ownAccountHandlers(parts: OwnAccountTestParts): Handler[] {
  const { db, cookie, now } = parts;
  const factorDeps = {
    ...parts,
    store: bindStore(secondFactorStore, db),
    newTicket,
    systemName: () => "Tollgate",
  };
  return [
    ...affiliateHandlers({
      ...parts,
      store: bindStore(affiliateStore, db),
      quotaPerUnit: () => "500000",
    }),
    ...notificationHandlers({
      ...parts,
      store: bindStore(notificationStore, db),
      policy: openAddressPolicy({ privateRanges: [], loopback: false }),
      sendNotice: openSendNotice({ ...parts, systemName: factorDeps.systemName }),
    }),
    ...ownSessionHandlers({ store: bindStore(signInStore, db), cookie, now }),
    ...passkeyHandlers(factorDeps),
    ...secondFactorHandlers(factorDeps),
  ];
}
