/**
 * Notices about tokens: that one was frozen, and that most of a budget is spent. The latter is the
 * work of a job, of which one run at a time takes place.
 */

import type { Logger } from "#base/logger.ts";
import type { BudgetReceiver } from "./budget-warnings.repo.ts";
import { writeNotice } from "./notice-texts.ts";
import type { Notice, TokenNotices } from "./notifications.ts";
import type { NotificationStore } from "./notifications.store.ts";
import type { SendNotice } from "./send-notice.ts";

type TokenNoticeDeps = {
  readonly store: Pick<
    NotificationStore,
    | "claimBudgetWarnings"
    | "findBudgetNews"
    | "findReceiver"
    | "findRootReceivers"
    | "finishBudgetWarning"
  >;
  readonly sendNotice: SendNotice;
  /** Formats an amount of quota as the console does. */
  readonly showQuota: (quota: number) => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

export function openTokenNotices(deps: TokenNoticeDeps): TokenNotices {
  const { store, sendNotice, showQuota, log } = deps;
  return {
    async tokenFrozen({ userId, name, requestId, cost, held }) {
      try {
        const owner = await store.findReceiver(userId);
        const roots = (await store.findRootReceivers()).filter((root) => root.user_id !== userId);
        const values = [name, showQuota(cost), showQuota(held), requestId];
        for (const receiver of owner === undefined ? roots : [owner, ...roots]) {
          const text = writeNotice("tokenFrozen", receiver.language, [name, ...values]);
          const sent = await sendNotice(receiver, { type: "token_frozen", ...text });
          if (sent.ok) continue;
          log.info(
            { userId: receiver.user_id, reason: sent.reason },
            "a notice on a frozen token was not delivered",
          );
        }
      } catch (error) {
        log.warn({ err: error }, "nobody could be told about a frozen token");
      }
    },
  };
}

/** Returns one run of the job that warns owners of tokens of budgets that are nearly spent. */
export function openBudgetWarnings(deps: TokenNoticeDeps): () => Promise<void> {
  const { store, now } = deps;
  return async () => {
    const news = await store.findBudgetNews(now());
    if (news.length === 0) return;
    for (const receiver of await store.claimBudgetWarnings(news, now())) {
      await warnOfBudget(deps, receiver);
      const { token_id, kind, starts_at } = receiver;
      await store.finishBudgetWarning({ token_id, kind, starts_at });
    }
  };
}

async function warnOfBudget(deps: TokenNoticeDeps, receiver: BudgetReceiver): Promise<void> {
  const { sendNotice, log } = deps;
  const { user_id: userId } = receiver;
  try {
    const sent = await sendNotice(receiver, budgetNotice(deps, receiver));
    if (!sent.ok) {
      log.info({ userId, reason: sent.reason }, "a warning of a budget was not delivered");
    }
  } catch (error) {
    // The error is only logged, because the other owners must still be warned.
    log.warn({ userId, err: error }, "a warning of a budget could not be sent");
  }
}

function budgetNotice({ showQuota }: TokenNoticeDeps, receiver: BudgetReceiver): Notice {
  const { name, kind, spent, limit_quota, ends_at, language } = receiver;
  const reset = new Date(ends_at * 1_000).toISOString().replace(".000Z", "Z");
  const texts = { day: "budgetLowDay", week: "budgetLowWeek", month: "budgetLowMonth" } as const;
  const values = [name, name, showQuota(spent), showQuota(limit_quota), reset];
  return { type: "budget_low", ...writeNotice(texts[kind], language, values) };
}
