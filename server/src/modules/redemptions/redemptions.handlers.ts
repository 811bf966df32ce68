/** The console API of redemption codes. */

import { characterCount } from "@tollgate/contract/fields/fields.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import * as contract from "@tollgate/contract/endpoints/redemptions.ts";
import type { z } from "zod";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { anyRedemption, type SealedRedemption } from "./redemptions.repo.ts";
import type { RedemptionStore } from "./redemptions.store.ts";
import { codeColumns, keyKind, sealContext } from "./redemptions.ts";

type RedemptionDeps = {
  readonly store: RedemptionStore;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Names of the groups that exist. */
  readonly listGroups: () => readonly string[];
  /** Writes an amount of quota as the screens do; the name of codes that were given none. */
  readonly showQuota: (quota: number) => string;
  /** Returns a new code. */
  readonly newKey: () => string;
  /** Returns a text that names a batch. */
  readonly newBatchId: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Limits of attempts with codes that could not be redeemed; others are not counted. */
const userMinuteRule: RateRule = {
  name: "redeem-user-minute",
  windowMs: 60_000,
  max: 10,
  exact: true,
};
const userHourRule: RateRule = {
  name: "redeem-user-hour",
  windowMs: 3_600_000,
  max: 30,
  exact: true,
};
const addressRule: RateRule = { name: "redeem-address", windowMs: 3_600_000, max: 60, exact: true };

export function redemptionHandlers(deps: RedemptionDeps): Handler[] {
  return [...listHandlers(deps), ...changeHandlers(deps), redeemHandler(deps)];
}

function listHandlers({ store, secrets }: RedemptionDeps): Handler[] {
  return [
    handle(contract.listRedemptions, async (input) => {
      const window = readPageWindow(input);
      const found = await store.pageRedemptions(anyRedemption, window);
      return { ...window, ...found, items: found.items.map((row) => show(secrets, row)) };
    }),

    handle(contract.searchRedemptions, async ({ keyword, status, used_by, ...input }) => {
      const window = readPageWindow(input);
      const lookup = secrets.lookup(keyKind, keyword);
      const filter = { keyword, lookup, status: status ?? 0, usedBy: used_by };
      const found = await store.pageRedemptions(filter, window);
      return { ...window, ...found, items: found.items.map((row) => show(secrets, row)) };
    }),

    handle(contract.readRedemption, async ({ id }) =>
      show(secrets, await store.readRedemption(id)),
    ),
  ];
}

function show(secrets: Secrets, { lookup, sealed, ...row }: SealedRedemption): contract.Redemption {
  return { ...row, key: secrets.open(sealContext(lookup), sealed), count: 0, DeletedAt: null };
}

function changeHandlers(deps: RedemptionDeps): Handler[] {
  const { store, secrets, now } = deps;
  const byOf = (caller: Caller) => ({ actor: actorOf(caller), nowMs: now() });
  return [
    handle(contract.createRedemptions, (input, caller) => create(deps, input, caller)),

    handle(contract.updateRedemption, async ({ id, ...sent }, caller) => {
      const settings = present(sent);
      if (settings.name !== undefined) refuseName(settings.name);
      if (settings.group !== undefined) refuseGroup(deps, settings.group);
      return show(secrets, await store.updateRedemption(id, settings, byOf(caller)));
    }),

    handle(contract.updateRedemptionStatus, async ({ id, status }, caller) =>
      show(secrets, await store.setStatus(id, status, byOf(caller))),
    ),

    handle(contract.updateRedemptionStatuses, ({ ids, status }, caller) =>
      store.setStatuses(ids, status, byOf(caller)),
    ),

    handle(contract.removeRedemption, ({ id }, caller) => store.removeRedemption(id, byOf(caller))),

    handle(contract.removeRedemptions, ({ ids }, caller) =>
      store.removeRedemptions(ids, byOf(caller)),
    ),
  ];
}

type RedemptionInput = z.output<(typeof contract.createRedemptions)["input"]>;

async function create(
  deps: RedemptionDeps,
  sent: RedemptionInput,
  caller: Caller,
): Promise<string[]> {
  const { store, secrets, newKey, now } = deps;
  const { count = 1, quota, expired_time = 0, user_limit = 0, group = "" } = sent;
  const name = sent.name === undefined || sent.name === "" ? deps.showQuota(quota) : sent.name;
  refuseName(name);
  if (count < 1) throw new Refusal("invalid-input", "兑换码个数必须大于0", { field: "count" });
  if (count > contract.redemptionBatchMax) {
    const most = `一次兑换码批量生成的个数不能大于 ${contract.redemptionBatchMax}`;
    throw new Refusal("invalid-input", most, { field: "count" });
  }
  refuseGroup(deps, group);
  const nowMs = now();
  if (expired_time !== 0 && expired_time * 1_000 <= nowMs) {
    throw new Refusal("invalid-input", "过期时间不能早于现在", { field: "expired_time" });
  }
  const keys = Array.from({ length: count }, newKey);
  const codes = keys.map((key) => codeColumns(secrets, key));
  const settings = { name, quota, group, expired_time, user_limit };
  const batch = { ...settings, batch_id: deps.newBatchId(), codes };
  await store.createRedemptions(batch, { actor: actorOf(caller), nowMs });
  return keys;
}

/** Returns the fields that were sent. */
function present<Fields extends object>(fields: Fields) {
  // Safe cast: only fields that are undefined are left out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}

function refuseName(name: string): void {
  const length = characterCount(name);
  if (length >= 1 && length <= contract.redemptionNameMax) return;
  throw new Refusal("invalid-input", "兑换码名称长度必须在1-20之间", { field: "name" });
}

function refuseGroup({ listGroups }: RedemptionDeps, group: string): void {
  if (group === "" || listGroups().includes(group)) return;
  throw new Refusal("invalid-input", `分组不存在：${group}`, { field: "group" });
}

/**
 * Redeems a code. An attempt counts against the limits until it succeeds, so that many wrong codes
 * that are sent at the same time are limited as well.
 */
function redeemHandler({ store, money, secrets, limits, now }: RedemptionDeps): Handler {
  return handle(contract.redeem, async ({ key }, { userId, clientIp }) => {
    if (key === "") throw new Refusal("invalid-input", "未提供兑换码", { field: "key" });
    const rules: readonly (readonly [RateRule, string])[] = [
      [userMinuteRule, String(userId)],
      [userHourRule, String(userId)],
      [addressRule, addressBlock(clientIp)],
    ];
    const taken: (readonly [RateRule, string])[] = [];
    const giveBack = async () => {
      for (const [rule, about] of taken) await limits.giveBack(rule, about);
    };
    for (const [rule, about] of rules) {
      const { allowed, retryAfterMs } = await limits.take(rule, about);
      if (!allowed) {
        await giveBack();
        throw new Refusal("rate-limited", "兑换尝试次数过多，请稍后再试！", { retryAfterMs });
      }
      taken.push([rule, about]);
    }
    const redeeming = { lookup: secrets.lookup(keyKind, key), userId, clientIp, nowMs: now() };
    const { credited } = await money.creditUser(userId, () => store.redeem(redeeming));
    await giveBack();
    return credited;
  });
}
