/** The console API of invitations: who came by them, what that earned, turning it into balance. */

import * as contract from "@tollgate/contract/endpoints/affiliates.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { AffiliateStore } from "./affiliates.store.ts";

type AffiliateDeps = {
  readonly store: AffiliateStore;
  readonly money: Money;
  /** Option `QuotaPerUnit`: how many quota units are one US dollar, as decimal text. */
  readonly quotaPerUnit: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function affiliateHandlers({ store, money, quotaPerUnit, now }: AffiliateDeps): Handler[] {
  return [
    handle(contract.readAffCode, (_, { userId }) => store.readAffCode(userId)),

    handle(contract.transferEarnings, async ({ quota = 0 }, { userId, requestId }) => {
      const least = Math.max(1, Math.ceil(Number(quotaPerUnit())));
      if (quota < least) {
        throw new Refusal("invalid-input", `划转失败 转移额度最小为${least}！`, { field: "quota" });
      }
      const tooLittle = "划转失败 邀请额度不足！";
      const what = { account: "invitations", userId, amount: quota, tooLittle } as const;
      await money.moveUser(userId, quota, () =>
        store.transferEarnings({ ...what, requestId, nowMs: now() }),
      );
      return reply(undefined, { message: "划转成功" });
    }),
  ];
}
