/** Refunds of orders: how much quota they take, and the entries that take it and give it back. */

import { moneyText } from "@tollgate/contract/money/money.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { restoreRebate, takeRebateBack } from "#modules/affiliates/affiliates.ts";
import { type Posted, postEntry } from "#modules/ledger/ledger.ts";
import { insertTopUpLog } from "#modules/logs/logs.ts";
import { tellMoney } from "#modules/notifications/notifications.ts";
import { findOrder, lockOrder } from "./orders.repo.ts";
import {
  type OrderRow,
  refundCause,
  refundHash,
  type RefundRow,
  restoreCause,
} from "./payments.ts";
import type { ReversalFact } from "./processors/processor.ts";

/** The end of a refund that this server asked for. */
export type RefundEnd = {
  readonly id: number;
  readonly state: "done" | "refused";
  /** What the processor said, without keys. */
  readonly answer: string;
  /** The processor's own id of the refund; empty: not known. */
  readonly externalId: string;
};

type By = { readonly actor: Actor; readonly nowMs: number };

/** Money and quota of an order that earlier refunds took. */
type Taken = { readonly money: number; readonly quota: number };

async function takenBefore(db: Db, orderId: number): Promise<Taken> {
  const sums = await db
    .selectFrom("order_refunds")
    .select((eb) => [
      eb.fn.sum<number>("money").as("money"),
      eb.fn.sum<number>("quota").as("quota"),
    ])
    .where("order_id", "=", orderId)
    .where("state", "<>", "refused")
    .executeTakeFirstOrThrow();
  return { money: Number(sums.money ?? 0), quota: Number(sums.quota ?? 0) };
}

/**
 * Computes the quota that a refund takes: the refunded share of the order, rounded half up, less
 * what earlier refunds took. So the refunds of a whole order take exactly its quota.
 */
function quotaOfRefund(
  order: Pick<OrderRow, "money" | "quota">,
  before: Taken,
  money: number,
): number {
  const total = BigInt(before.money + money);
  const paid = BigInt(order.money);
  const share = (2n * BigInt(order.quota) * total + paid) / (2n * paid);
  return Number(share) - before.quota;
}

export type PlannedRefund = { readonly money: number; readonly quota: number };

/** Plans a refund of `money`, or of all that is left. */
export async function planRefund(
  db: Db,
  order: OrderRow,
  money: number | undefined,
): Promise<PlannedRefund> {
  if (order.paid_at === 0) throw new Refusal("not-allowed", "该订单尚未支付");
  const before = await takenBefore(db, order.id);
  const left = order.money - before.money;
  const wanted = money ?? left;
  if (wanted < 1 || wanted > left) {
    const most = moneyText(left, order.currency);
    throw new Refusal("invalid-input", `最多可退款 ${most}`, { field: "money" });
  }
  return { money: wanted, quota: quotaOfRefund(order, before, wanted) };
}

/**
 * Takes the quota of a refund from the balance, before the processor is asked for it, so that
 * nobody spends quota whose money is on its way back. What the user has spent already, or what
 * running calls hold, becomes a debt.
 * @throws Refusal `stale` when another refund came between.
 */
export async function beginRefund(
  tx: Db,
  number: string,
  { most, ...planned }: PlannedRefund & { readonly most: number },
  reason: string,
  by: By,
): Promise<{ readonly id: number; readonly posted: Posted | null }> {
  const order = await lockOrder(tx, number);
  if (order === undefined) throw new Refusal("not-found", "订单不存在");
  const now = await planRefund(tx, order, planned.money);
  if (now.quota !== planned.quota) throw new Refusal("stale", "订单数据已变化，请刷新后重试");
  const { actor, nowMs } = by;
  const id = await insertRefund(tx, {
    order_id: order.id,
    kind: "refund",
    external_id: "",
    money: planned.money,
    quota: planned.quota,
    state: "asked",
    reason,
    answer: "",
    created_by: actor.userId,
    created_at: unixSeconds(nowMs),
    ended_at: 0,
  });
  const posted = await takeBack(tx, order, { id, ...planned, most }, nowMs);
  await appendAudit(tx, {
    actor,
    action: "order.refund",
    target: `order:${order.id}`,
    detail: { number, refund: id, ...planned, reason },
    nowMs,
  });
  return { id, posted };
}

/** Stores a refund with its hash, and returns its number. */
async function insertRefund(tx: Db, values: Omit<RefundRow, "hash" | "id">): Promise<number> {
  const { id } = await tx
    .insertInto("order_refunds")
    .values({ ...values, hash: "" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await changeRefund(tx, { id, ...values }, {});
  return id;
}

/** Changes a refund whose row is locked, and its hash. */
async function changeRefund(
  tx: Db,
  row: Omit<RefundRow, "hash">,
  change: Partial<Pick<RefundRow, "answer" | "ended_at" | "external_id" | "state">>,
): Promise<void> {
  await tx
    .updateTable("order_refunds")
    .set({ ...change, hash: refundHash({ ...row, ...change }) })
    .where("id", "=", row.id)
    .execute();
}

/** Takes the quota of a refund from the user, and tells the user. */
async function takeBack(
  tx: Db,
  order: OrderRow,
  refund: PlannedRefund & { readonly id: number; readonly most: number },
  nowMs: number,
): Promise<Posted | null> {
  const { number, user_id: userId, currency } = order;
  const cause = refundCause(refund.id);
  const posted =
    refund.quota === 0
      ? null
      : await postEntry(tx, {
          cause,
          kind: "payment_refund",
          userId,
          amount: -refund.quota,
          most: refund.most,
          detail: number,
          nowMs,
        });
  await takeRebateBack(tx, order, { id: refund.id, quota: refund.quota }, nowMs);
  const money = `${moneyText(refund.money, currency)} ${currency.toUpperCase()}`;
  const owed = posted?.owed ?? 0;
  const taken = refund.quota - owed;
  const content =
    owed === 0
      ? `订单 ${number} 退款 ${money}，扣除额度 ${taken}`
      : `订单 ${number} 退款 ${money}，扣除额度 ${taken}，欠费额度 ${owed}`;
  const { quota } = refund;
  await tellMoney(tx, { cause, userId, event: "order_refunded", quota, money });
  if (owed > 0) {
    const debt = posted?.debt ?? 0;
    await tellMoney(tx, { cause: `debt:${cause}`, userId, event: "debt", quota: debt, money: "" });
  }
  await insertTopUpLog(tx, { userId, content, nowMs });
  return posted;
}

/** Ends a refund: it is done, or it was refused and its quota is given back. */
export async function endRefund(
  tx: Db,
  { id, state, answer, externalId }: RefundEnd,
  nowMs: number,
): Promise<{ readonly posted: Posted | null }> {
  const refund = await lockRefund(tx, id);
  if (refund === undefined) throw new Refusal("not-found", "退款不存在");
  // A message of the processor may have ended it in the same way meanwhile.
  if (refund.state === state) return { posted: null };
  if (refund.state !== "asked") throw new Refusal("not-allowed", "该退款已结束");
  const external_id = externalId === "" ? refund.external_id : externalId;
  await changeRefund(tx, refund, { state, answer, external_id, ended_at: unixSeconds(nowMs) });
  return { posted: state === "done" ? null : await giveBack(tx, refund, nowMs) };
}

/** Ends a refund as root knows it to have ended, and writes an audit log entry. */
export async function endRefundByHand(
  tx: Db,
  { id, state, orderId }: Pick<RefundEnd, "id" | "state"> & { readonly orderId: number },
  { actor, nowMs }: By,
): Promise<{ readonly posted: Posted | null }> {
  const refund = await lockRefund(tx, id);
  if (refund === undefined || refund.order_id !== orderId) {
    throw new Refusal("not-found", "退款不存在");
  }
  if (refund.state !== "asked") throw new Refusal("not-allowed", "该退款已结束");
  const { answer, external_id: externalId, money, quota } = refund;
  const ended = await endRefund(tx, { id, state, answer, externalId }, nowMs);
  await appendAudit(tx, {
    actor,
    action: "order.end-refund",
    target: `order:${orderId}`,
    detail: { refund: id, state, money, quota },
    nowMs,
  });
  return ended;
}

async function lockRefund(tx: Db, id: number): Promise<RefundRow | undefined> {
  const query = tx.selectFrom("order_refunds").selectAll().where("id", "=", id);
  return await lockRows(tx, query).executeTakeFirst();
}

/** Gives the quota of a refund back: lowers the user's debt, and credits what is left. */
async function giveBack(tx: Db, refund: RefundRow, nowMs: number): Promise<Posted | null> {
  const { id, quota } = refund;
  if (quota === 0) return null;
  const order = await tx
    .selectFrom("orders")
    .select(["number", "user_id"])
    .where("id", "=", refund.order_id)
    .executeTakeFirstOrThrow();
  const posted = await postEntry(tx, {
    cause: restoreCause(id),
    kind: "payment_restored",
    userId: order.user_id,
    amount: quota,
    detail: order.number,
    nowMs,
  });
  await restoreRebate(tx, id, nowMs);
  const content =
    refund.kind === "dispute"
      ? `订单 ${order.number} 拒付撤销，退回额度 ${quota}`
      : `订单 ${order.number} 退款未成功，退回额度 ${quota}`;
  await insertTopUpLog(tx, { userId: order.user_id, content, nowMs });
  return posted;
}

/** Keeps what the processor said about a refund of which it is not known whether it is done. */
export async function noteRefund(
  tx: Db,
  id: number,
  answer: string,
  externalId: string,
): Promise<void> {
  const refund = await lockRefund(tx, id);
  if (refund === undefined) return;
  const known = externalId === "" ? {} : { external_id: externalId };
  await changeRefund(tx, refund, { answer, ...known });
}

type PlannedReversal = { readonly userId: number; readonly quota: number };

/**
 * Returns whose quota a refund or dispute takes, and how much; undefined: its payment is not that
 * of an order here.
 */
export async function planReversal(
  db: Db,
  processor: string,
  fact: ReversalFact,
): Promise<PlannedReversal | undefined> {
  const order = await findOrder(db, fact.number);
  if (order === undefined || !isPaymentOf(order, processor, fact)) return undefined;
  const known = await findReversal(db, order, fact);
  const quota = known === undefined ? (await shareOf(db, order, fact.money)).quota : 0;
  return { userId: order.user_id, quota };
}

function isPaymentOf(order: OrderRow, processor: string, fact: ReversalFact): boolean {
  const isPaid = order.paid_at !== 0 && order.external_id === fact.externalId;
  return isPaid && order.processor === processor && order.currency === fact.currency;
}

/** Computes what money that goes back takes: not more than what is left of the order. */
async function shareOf(db: Db, order: OrderRow, wanted: number): Promise<PlannedRefund> {
  const before = await takenBefore(db, order.id);
  const money = Math.min(wanted, order.money - before.money);
  return { money, quota: quotaOfRefund(order, before, money) };
}

/** Finds the row of a refund or dispute: by the processor's id, or the one that asked for it. */
async function findReversal(
  db: Db,
  order: OrderRow,
  { id, ownRefund, kind }: ReversalFact,
): Promise<RefundRow | undefined> {
  const rows = await db
    .selectFrom("order_refunds")
    .selectAll()
    .where("order_id", "=", order.id)
    .where("kind", "=", kind)
    .execute();
  return (
    rows.find((row) => row.external_id === id) ??
    rows.find((row) => row.id === ownRefund && row.external_id === "")
  );
}

type Reversed = { readonly posted: Posted | null; readonly verdict: string };

/**
 * Applies what a processor says of a refund or dispute, which it may say often. The row of the
 * order is locked.
 * @param most how much the balance may lose at most.
 */
export async function reverseOrder(
  tx: Db,
  order: OrderRow,
  { fact, most, nowMs }: { readonly fact: ReversalFact; readonly most: number; nowMs: number },
): Promise<Reversed> {
  const { id, kind, state } = fact;
  const now = unixSeconds(nowMs);
  const found = await findReversal(tx, order, fact);
  // Root may be ending it now.
  const known = found && (await lockRefund(tx, found.id));
  const ended_at = state === "asked" ? 0 : now;
  if (known !== undefined) {
    const row = { ...known, external_id: id };
    const isNew = known.state !== "refused" && state !== "asked" && known.state !== state;
    const change = isNew ? { external_id: id, state, ended_at } : { external_id: id };
    await changeRefund(tx, known, change);
    if (!isNew) return { posted: null, verdict: "repeated" };
    const posted = state === "refused" ? await giveBack(tx, row, nowMs) : null;
    return { posted, verdict: `${kind} ${state}` };
  }
  const share = await shareOf(tx, order, fact.money);
  const isOver = state === "refused";
  const refundId = await insertRefund(tx, {
    order_id: order.id,
    kind,
    external_id: id,
    ...(isOver ? { money: fact.money, quota: 0 } : share),
    state,
    reason: "",
    answer: "",
    created_by: 0,
    created_at: now,
    ended_at,
  });
  if (isOver) return { posted: null, verdict: `${kind} ${state}` };
  const posted = await takeBack(tx, order, { id: refundId, ...share, most }, nowMs);
  return { posted, verdict: `${kind} ${state}` };
}

/** Finds and locks the order of a payment; undefined: it is not that of an order here. */
export async function lockPaid(
  tx: Db,
  processor: string,
  fact: ReversalFact,
): Promise<OrderRow | undefined> {
  const order = await lockOrder(tx, fact.number);
  return order !== undefined && isPaymentOf(order, processor, fact) ? order : undefined;
}
