/** What runs beside the database for redemption codes. */

import {
  type RedemptionStatus,
  redemptionStatus,
} from "@tollgate/contract/endpoints/redemptions.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal, refusalOf } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { type Posted, postEntry } from "#modules/ledger/ledger.ts";
import { insertTopUpLog } from "#modules/logs/logs.ts";
import * as repo from "./redemptions.repo.ts";
import { redemptionHash, type RedemptionRow } from "./redemptions.ts";

const { disabled, unused, used } = redemptionStatus.enum;

/** Who makes a change, and when in Unix milliseconds. */
type By = { readonly actor: Actor; readonly nowMs: number };

/** The settings of codes as they are stored. */
type Settings = Pick<RedemptionRow, "expired_time" | "group" | "name" | "quota" | "user_limit">;

type NewBatch = Settings & {
  readonly batch_id: string;
  /** The codes, each as a keyed hash and sealed. */
  readonly codes: readonly Pick<RedemptionRow, "lookup" | "sealed">[];
};

async function createRedemptions(tx: Db, batch: NewBatch, { actor, nowMs }: By): Promise<void> {
  const { codes, ...settings } = batch;
  const rows = codes.map((code) => {
    const row = {
      ...settings,
      ...code,
      user_id: actor.userId,
      status: unused,
      created_time: unixSeconds(nowMs),
      redeemed_time: 0,
      used_user_id: 0,
      DeletedAt: null,
    };
    return { ...row, hash: redemptionHash(row) };
  });
  await tx.insertInto("redemptions").values(rows).execute();
  await appendAudit(tx, {
    actor,
    action: "redemption.create",
    target: `redemption-batch:${batch.batch_id}`,
    detail: { ...settings, count: codes.length },
    nowMs,
  });
}

async function readRedemption(db: Db, id: number): Promise<repo.SealedRedemption> {
  const found = await repo.findRedemption(db, id);
  if (found === undefined) throw notFound();
  return found;
}

async function updateRedemption(
  tx: Db,
  id: number,
  settings: Partial<Settings>,
  by: By,
): Promise<repo.SealedRedemption> {
  const row = await lock(tx, id);
  if (row.status !== unused) throw new Refusal("not-allowed", "只能编辑未使用的兑换码");
  await repo.updateRedemption(tx, row, settings);
  const before = Object.fromEntries(
    Object.entries(row).filter(([name]) => Object.hasOwn(settings, name)),
  );
  await note(tx, "redemption.update", id, { before, after: settings }, by);
  return await readRedemption(tx, id);
}

async function setStatus(
  tx: Db,
  id: number,
  status: RedemptionStatus,
  by: By,
): Promise<repo.SealedRedemption> {
  const row = await lock(tx, id);
  if (row.status === used) throw new Refusal("not-allowed", "已使用的兑换码不能更改状态");
  await repo.updateRedemption(tx, row, { status });
  await note(tx, "redemption.status", id, { before: row.status, after: status }, by);
  return await readRedemption(tx, id);
}

type BatchResult = { readonly id: number; readonly success: boolean; readonly message: string };

/** Changes the state of several codes. If one change is refused, the others are still made. */
async function setStatuses(
  tx: Db,
  ids: readonly number[],
  status: RedemptionStatus,
  by: By,
): Promise<BatchResult[]> {
  const results = new Map<number, BatchResult>();
  // In the order of ids, so that two batches cannot deadlock.
  for (const id of [...new Set(ids)].toSorted((a, b) => a - b)) {
    const message = await refusalOf(() => setStatus(tx, id, status, by));
    results.set(id, { id, success: message === "", message });
  }
  return ids.flatMap((id) => results.get(id) ?? []);
}

async function removeRedemption(tx: Db, id: number, by: By): Promise<void> {
  const row = await lock(tx, id);
  await repo.updateRedemption(tx, row, { DeletedAt: new Date(by.nowMs).toISOString() });
  await note(tx, "redemption.delete", id, { name: row.name, status: row.status }, by);
}

/** Removes codes and returns how many were removed. Unknown ids are skipped. */
async function removeRedemptions(tx: Db, ids: readonly number[], by: By): Promise<number> {
  let removed = 0;
  for (const id of [...new Set(ids)].toSorted((a, b) => a - b)) {
    const message = await refusalOf(() => removeRedemption(tx, id, by));
    if (message === "") removed += 1;
  }
  return removed;
}

type Redeeming = {
  /** Keyed hash of the code that was sent. */
  readonly lookup: string;
  readonly userId: number;
  readonly clientIp: string;
  readonly nowMs: number;
};

/**
 * Turns a code into quota of a user's balance. The row of the code is locked first, so that of
 * many who send it at the same time one gets its quota.
 * @throws Refusal that does not tell codes that never existed from those that are gone or expired.
 */
async function redeem(
  tx: Db,
  { lookup, userId, clientIp, nowMs }: Redeeming,
): Promise<{ readonly credited: number; readonly posted: Posted }> {
  const row = await repo.lockRedemption(tx, { lookup });
  const seconds = unixSeconds(nowMs);
  const isPast = row !== undefined && row.expired_time !== 0 && row.expired_time <= seconds;
  if (row === undefined || (isPast && row.status === unused)) throw invalid();
  if (row.status === used || row.status === disabled) {
    throw new Refusal("not-allowed", "兑换失败，该兑换码已被使用");
  }
  if (row.group !== "" && row.group !== (await readGroup(tx, userId))) {
    throw new Refusal("not-allowed", "兑换失败，该兑换码只供其他分组使用");
  }
  const { id, quota } = row;
  // The entry comes before the count: it locks the user's balance, so that codes of one batch that
  // the user sends at the same time are counted one after the other.
  const posted = await postEntry(tx, {
    cause: `redeem:${id}`,
    kind: "redeem",
    userId,
    amount: quota,
    // Not the code's name, which the operator chose for other eyes.
    detail: `#${id}`,
    nowMs,
  });
  await repo.updateRedemption(tx, row, {
    status: used,
    redeemed_time: seconds,
    used_user_id: userId,
  });
  if (row.user_limit > 0) {
    const redeemed = await repo.countRedeemed(tx, userId, row.batch_id);
    if (redeemed > row.user_limit) {
      throw new Refusal("not-allowed", `兑换失败，该批兑换码每人最多使用 ${row.user_limit} 个`);
    }
  }
  const content = `通过兑换码充值 ${quota}，兑换码ID ${id}`;
  await insertTopUpLog(tx, { userId, content, clientIp, nowMs });
  return { credited: quota, posted };
}

async function readGroup(tx: Db, userId: number): Promise<string | undefined> {
  const row = await tx
    .selectFrom("users")
    .select("group")
    .where("id", "=", userId)
    .executeTakeFirst();
  return row?.group;
}

async function lock(tx: Db, id: number): Promise<RedemptionRow> {
  const row = await repo.lockRedemption(tx, { id });
  if (row === undefined) throw notFound();
  return row;
}

async function note(
  tx: Db,
  action: string,
  id: number,
  detail: object,
  { actor, nowMs }: By,
): Promise<void> {
  await appendAudit(tx, { actor, action, target: `redemption:${id}`, detail, nowMs });
}

function notFound(): Refusal {
  return new Refusal("not-found", "兑换码不存在");
}

function invalid(): Refusal {
  return new Refusal("not-allowed", "兑换失败，无效的兑换码");
}

export const redemptionStore = defineStore({
  reads: { pageRedemptions: repo.pageRedemptions, readRedemption },
  writes: {
    createRedemptions,
    redeem,
    removeRedemption,
    removeRedemptions,
    setStatus,
    setStatuses,
    updateRedemption,
  },
});

export type RedemptionStore = RemoteStore<typeof redemptionStore>;
