/**
 * Notifications: the events that users are notified of, planned broadcasts, and the interface of
 * this module for other modules.
 */

import { notifyType, showSettings, usualWay } from "@tollgate/contract/kinds/notice-ways.ts";
import { noticeEvent, type UserSetting } from "@tollgate/contract/endpoints/notifications.ts";
import { plainText } from "#base/plain-text.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { dropPlanned, planBroadcast } from "./planned-broadcasts.repo.ts";
import type { NotificationStore } from "./notifications.store.ts";
import { openSettings } from "./settings.ts";

/** Sends a request to an address that a user entered; refuses addresses that are not public. */
export type Outbound = (request: {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request's body; empty: it has none. */
  readonly body: string;
}) => Promise<
  /** `text` is the body of the answer, at most a few kilobytes. */
  | { readonly ok: true; readonly text: string }
  /** `reason` is written to the log, so it does not contain the address. */
  | { readonly ok: false; readonly reason: string }
>;

/** A notice before the sender of a notification way formats it. */
export type Notice = {
  /** Name of the event, which programs can read in a webhook. */
  readonly type:
    | "announcement"
    | "budget_low"
    | "channel_balances"
    | "channel_test"
    | "charges_pending"
    | "database_back"
    | MoneyEvent
    | "periodic_contact"
    | "price_change"
    | "promotion"
    | "quota_exceed"
    | "test"
    | "token_frozen"
    | `below_cost_${number}`
    | `channel_balance_${number}`
    | `channel_update_${number}_${1 | 2 | 3}`
    | `price_draft_${number}`;
  readonly title: string;
  /** The text of the notice. It contains `{{value}}` once for each of `values`, in their order. */
  readonly content: string;
  readonly values: readonly string[];
};

/** What the notifications module offers to other modules. */
export type Notifications = ChannelNotices &
  LossNotices &
  PriceNotices &
  TokenNotices & { readonly readSettingText: ReadSettingText };

/** Notifies root about what the ledger could not keep. The promises never reject. */
export type LossNotices = {
  /** Calls were answered, and the books have refused what they cost. */
  chargesPending(count: number): Promise<void>;
  /** What a database that went back has lost. */
  databaseBack(lost: {
    readonly charges: readonly { readonly acknowledged: number; readonly again: number }[];
    readonly writes: readonly {
      readonly atMs: number;
      readonly written: readonly { readonly what: string }[];
    }[];
  }): Promise<void>;
};

/** Notifies root about scheduled syncs of prices. The promise never rejects. */
export type PriceNotices = {
  /** A scheduled sync has found changes that only a person may accept. */
  pricesWait(draft: {
    readonly sourceId: number;
    readonly name: string;
    /** How many prices wait, and how many the rules have let through. */
    readonly waiting: number;
    readonly accepted: number;
  }): Promise<void>;
};

/** Notices about tokens to their owners and to root. The promises never reject. */
export type TokenNotices = {
  /** A token was frozen, because a call cost far more than it held. Amounts in quota units. */
  tokenFrozen(frozen: {
    readonly userId: number;
    readonly name: string;
    readonly requestId: string;
    readonly cost: number;
    readonly held: number;
  }): Promise<void>;
};

export type ChannelSwitch = {
  readonly channelId: number;
  readonly name: string;
  /** The new status of the channel: 1 enabled, 2 only a person enables it again, 3 a test may. */
  readonly status: 1 | 2 | 3;
  /** Why the channel is disabled, in words for people. */
  readonly reason: string;
};

/**
 * Notifies root about channels. The promises resolve when every root user was notified, and never
 * reject.
 */
/** What calls of a model at a channel were charged within a day, and what they cost. */
export type ChannelLoss = {
  readonly channelId: number;
  readonly name: string;
  readonly model: string;
  readonly charged: number;
  readonly cost: number;
};

export type ChannelNotices = {
  switched(change: ChannelSwitch): Promise<void>;
  /** A channel's account at its provider has little left, in the provider's currency. */
  balanceLow(low: {
    readonly channelId: number;
    readonly name: string;
    readonly balance: number;
  }): Promise<void>;
  /** Calls of a model were sold for less than the channel charges. Amounts in quota units. */
  belowCost(loss: ChannelLoss): Promise<void>;
  /** Called when a test of all channels has ended. */
  tested(round: { readonly total: number; readonly failed: number }): Promise<void>;
  /** Called when an update of all balances has ended. */
  balancesRead(round: { readonly total: number; readonly failed: number }): Promise<void>;
};

/** JSON text of a user's notification settings, without secrets; `""`: nothing was saved. */
export type ReadSettingText = (userId: number) => Promise<string>;

export function openSettingReader(deps: {
  readonly store: Pick<NotificationStore, "findSetting">;
  readonly secrets: Secrets;
}): ReadSettingText {
  return async (userId) => {
    const row = await deps.store.findSetting(userId);
    if (row === undefined) return "";
    const shown: UserSetting = {
      notify_type: notifyType.safeParse(row.notify_type).data ?? usualWay,
      events: noticeEvent.options.filter((event) => row[event] === 1),
      quota_warning_threshold: row.quota_warning_threshold,
      ...showSettings(openSettings(deps.secrets, userId, row.settings)),
    };
    return JSON.stringify(shown);
  };
}

/** Removes a user's notification settings, in the transaction that deletes the user. */
export async function forgetSetting(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom("notification_settings").where("user_id", "=", userId).execute();
}

/** The longest announcement, in characters. */
const announcementMax = 500;

/** The ways in which money moves that its user is told of. */
export const moneyEvents = [
  "order_paid",
  "order_refunded",
  "rerated_less",
  "rerated_more",
  "debt",
  "dividend",
  "withdrawal_paid",
  "withdrawal_rejected",
] as const;
type MoneyEvent = (typeof moneyEvents)[number];

/**
 * Plans a notice about money that moved, in the transaction that moves it. A cause is told of once.
 */
export async function tellMoney(
  tx: Db,
  moved: {
    /** The cause of the ledger entry, or another text that is unique to this move. */
    readonly cause: string;
    readonly userId: number;
    readonly event: MoneyEvent;
    /** Quota units that were credited, taken back or paid out. */
    readonly quota: number;
    /**
     * The amount of money as people read it, such as `¥73.00`, or of a re-rate what root says of it;
     * empty where there is none.
     */
    readonly money: string;
  },
): Promise<void> {
  const { cause, event, money, quota, userId } = moved;
  await tx
    .insertInto("money_notices")
    .values({ cause, user_id: userId, kind: event, quota, money, claimed_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Plans a broadcast about changed prices, in the transaction that changes them. */
export async function tellPrices(tx: Db, nowMs: number): Promise<void> {
  await planBroadcast(tx, "price_change", { content: "", nowMs });
}

/**
 * Plans a broadcast of root's announcement, in the transaction that saves it. An empty announcement
 * is not sent, and removes the planned one.
 */
export async function tellNotice(tx: Db, notice: string, nowMs: number): Promise<void> {
  const content = plainText(notice, announcementMax);
  if (content === "") await dropPlanned(tx, "announcement");
  else await planBroadcast(tx, "announcement", { content, nowMs });
}

/**
 * Plans a broadcast of root's promotion, in the transaction that saves it. An empty one is not
 * sent, and removes the planned one.
 */
export async function tellPromotion(tx: Db, text: string, nowMs: number): Promise<void> {
  const content = plainText(text, announcementMax);
  if (content === "") await dropPlanned(tx, "promotion");
  else await planBroadcast(tx, "promotion", { content, nowMs });
}
