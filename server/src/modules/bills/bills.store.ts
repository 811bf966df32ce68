import {
  billTextMax,
  type BillQuestion,
  type BillResult,
} from "@tollgate/contract/endpoints/bills.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { readCalls, readChannels } from "./bill-calls.repo.ts";
import { readBill } from "./bill-lines.ts";
import { compareBill as compareLines } from "./compare-bill.ts";

export const billStore = defineStore({
  reads: { compareBill },
  writes: { addBillPart, beginBill },
});

/** How long a bill is kept, in seconds. */
const keptSeconds = 86_400;

/** Begins a bill, and forgets the earlier ones of the same user, and old ones of all. */
async function beginBill(
  tx: Db,
  { userId, nowMs }: { readonly userId: number; readonly nowMs: number },
): Promise<number> {
  const now = unixSeconds(nowMs);
  const old = await tx
    .selectFrom("bills")
    .select("id")
    .where((eb) =>
      eb.or([eb("created_by", "=", userId), eb("created_at", "<", Math.max(0, now - keptSeconds))]),
    )
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.deleteFrom("bill_parts").where("bill_id", "in", ids).execute();
    await tx.deleteFrom("bills").where("id", "in", ids).execute();
  }
  const { id } = await tx
    .insertInto("bills")
    .values({ created_by: userId, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

type Part = {
  readonly id: number;
  readonly userId: number;
  readonly place: number;
  readonly text: string;
};

/** @throws Refusal `not-found`. */
async function addBillPart(tx: Db, { id, userId, place, text }: Part): Promise<void> {
  await requireBill(tx, id, userId);
  // NUL is no character of a text in PostgreSQL, and none of a bill.
  const stored = text.replaceAll("\0", " ").toWellFormed();
  await tx
    .insertInto("bill_parts")
    .values({ bill_id: id, place, text: stored })
    .onConflict((conflict) => conflict.columns(["bill_id", "place"]).doUpdateSet({ text: stored }))
    .execute();
}

async function requireBill(db: Db, id: number, userId: number): Promise<void> {
  const found = await db
    .selectFrom("bills")
    .select("id")
    .where("id", "=", id)
    .where("created_by", "=", userId)
    .executeTakeFirst();
  if (found === undefined) throw new Refusal("not-found", "账单不存在或已过期，请重新上传");
}

/** @throws Refusal `not-found`; `invalid-input` if the file is no such bill. */
async function compareBill(
  db: Db,
  { id, userId, ...question }: BillQuestion & { readonly id: number; readonly userId: number },
): Promise<BillResult> {
  await requireBill(db, id, userId);
  const parts = await db
    .selectFrom("bill_parts")
    .select("text")
    .where("bill_id", "=", id)
    .orderBy("place")
    .execute();
  return await compareText(db, parts.map(({ text }) => text).join(""), question);
}

/**
 * Lays the text of a bill beside the ledger.
 * @throws Refusal `invalid-input` if it is no such bill.
 */
export async function compareText(
  db: Db,
  text: string,
  question: BillQuestion,
): Promise<BillResult> {
  if (text.length > billTextMax) throw new Refusal("invalid-input", "文件过大，最多 20 MB");
  const bill = readBill(text, question);
  if (!bill.ok) throw new Refusal("invalid-input", bill.message);
  const { start, end } = spanOf(bill.lines, bill.isByCall);
  const { tolerance, channels } = question;
  const calls = await readCalls(db, {
    start: start - tolerance - 1,
    end: end + tolerance + longestCall,
    channels,
  });
  const row = await findPrices(db);
  const prices = row === undefined ? undefined : parsePrices(row);
  if (prices === undefined) throw new Error("no price version in force");
  return compareLines({
    bill,
    question,
    calls,
    channels: await readChannels(db),
    quotaPerUnit: prices.list.QuotaPerUnit,
    start,
    end,
  });
}

/** How long a call may take that began before the bill ended, in seconds. */
const longestCall = 3_600;

const daySeconds = 86_400;

/** Returns the time that a bill is about: its lines, or its whole days. */
function spanOf(lines: readonly { readonly at: number }[], isByCall: boolean) {
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  for (const { at } of lines) {
    start = Math.min(start, at);
    end = Math.max(end, at);
  }
  return isByCall ? { start, end } : { start, end: end + daySeconds - 1 };
}
