/**
 * Writes charges again that the database had acknowledged and lost, because it went back to an
 * earlier state. Each is bounded by what its user has free now; what cannot be charged any more is
 * told by name.
 */

import { charge, chargedUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import { findCharged } from "#modules/ledger/applied.ts";
import { applyBatch } from "#modules/ledger/batch.ts";
import { decodeBatch } from "#modules/ledger/batch-text.ts";
import type { Batch, Operation } from "#modules/ledger/operations.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";

/** A charge that the database had lost. */
export type LostCharge = {
  readonly requestId: string;
  readonly userId: number;
  /** What was charged before, in quota units. */
  readonly acknowledged: number;
  /** What was charged again; the rest is written off. */
  readonly again: number;
  /** Why nothing was charged again; empty: something was, or there is nothing left to charge. */
  readonly reason: string;
};

type Settle = Operation & { readonly type: "settle" };

/**
 * Compares charges with the database and writes those again that it lacks.
 *
 * @param text a batch as `encodeBatch` writes it, of settlements whose `charged` is what was
 *   acknowledged, and of reversals.
 * @returns the charges that were missing.
 */
export async function chargeAgain(tx: Db, text: string): Promise<LostCharge[] | "fenced"> {
  const batch = decodeBatch(text);
  const reversed = new Set(
    batch.operations.flatMap((one) => (one.type === "reverse" ? [one.id] : [])),
  );
  const settles = batch.operations.flatMap((one) => (one.type === "settle" ? [one] : []));
  const present = await findCharged(tx, [...settles.map(({ id }) => id), ...reversed]);
  // What was charged and given back need not be charged again.
  const missing = settles.filter(({ id }) => !present.has(id) && !reversed.has(id));
  const known = await readKnown(tx, missing);
  const judged = missing.map((one) => judge(one, known));
  const operations = judged.flatMap((one) => ("settle" in one ? [one.settle] : []));
  const reversals = batch.operations.filter((one) => one.type === "reverse" && present.has(one.id));
  const answer = await apply(tx, { ...batch, operations: [...operations, ...reversals] });
  if (answer === "fenced") return answer;
  const lost = judged.flatMap((one) => ("lost" in one ? [one.lost] : []));
  const again = operations.map((settle, index): LostCharge => {
    const result = answer[index];
    const charged = result?.type === "settled" ? result.charged : 0;
    return { ...lostOf(settle, ""), again: charged };
  });
  return [...again, ...lost];
}

async function apply(tx: Db, batch: Batch) {
  if (batch.operations.length === 0) return [];
  return await applyBatch(tx, { ...batch, again: true, restores: true });
}

function lostOf({ id, log, charged }: Settle, reason: string): LostCharge {
  const acknowledged = charged ?? 0;
  return { requestId: id, userId: log.userId, acknowledged, again: 0, reason };
}

/** What the database knows now of whom and what charges name. */
type Known = {
  readonly users: ReadonlyMap<number, string>;
  /** The owners of tokens. */
  readonly tokens: ReadonlyMap<number, number>;
  /** Returns what a call costs by its price version; undefined: that version is not there. */
  readonly dueOf: (log: ChargedCallLog) => number | undefined;
  /** The tasks that are still being submitted, as they were when their charge was written. */
  readonly tasks: ReadonlySet<string>;
};

async function readKnown(tx: Db, settles: readonly Settle[]): Promise<Known> {
  const logs = settles.map(({ log }) => log);
  const [users, tokens, versions, tasks] = [
    await readRows(idsOf(logs.map(({ userId }) => userId)), (ids) =>
      tx.selectFrom("users").select(["id", "username"]).where("id", "in", ids).execute(),
    ),
    await readRows(idsOf(logs.map(({ tokenId }) => tokenId)), (ids) =>
      tx.selectFrom("tokens").select(["id", "user_id"]).where("id", "in", ids).execute(),
    ),
    await readRows(idsOf(logs.map(({ priceVersion }) => priceVersion)), (ids) =>
      tx.selectFrom("price_versions").selectAll().where("id", "in", ids).execute(),
    ),
    await readRows(
      logs.flatMap(({ task }) => (task === undefined ? [] : [task.id])),
      (ids) =>
        tx
          .selectFrom("tasks")
          .select("task_id")
          .where("task_id", "in", ids)
          .where("upstream_id", "=", "")
          .where("status", "=", "")
          .execute(),
    ),
  ];
  const lists = new Map(versions.map((row) => [row.id, parsePrices(row)?.list]));
  return {
    users: new Map(users.map(({ id, username }) => [id, username])),
    tokens: new Map(tokens.map(({ id, user_id }) => [id, user_id])),
    tasks: new Set(tasks.map(({ task_id }) => task_id)),
    dueOf(log) {
      const list = lists.get(log.priceVersion);
      const price = list === undefined ? undefined : unitPrice(list, log.modelName, log.group);
      if (price === undefined) return undefined;
      const { task, usage } = log;
      return charge(
        price,
        chargedUsage.parse(task === undefined ? usage : { ...usage, task: task.use }),
      );
    },
  };
}

function idsOf(ids: readonly number[]): number[] {
  return [...new Set(ids)].filter((id) => id > 0);
}

async function readRows<Id, Row>(
  ids: readonly Id[],
  read: (ids: readonly Id[]) => Promise<Row[]>,
): Promise<Row[]> {
  return ids.length === 0 ? [] : await read(ids);
}

/**
 * Decides whether a settlement can be written as it was. Ids may have been given anew since, so a
 * user must have its name, a token its owner, and a price version must give the same charge.
 */
function judge(
  settle: Settle,
  { users, tokens, dueOf, tasks }: Known,
): { readonly settle: Settle } | { readonly lost: LostCharge } {
  const { log } = settle;
  if (users.get(log.userId) !== log.username) return { lost: lostOf(settle, "its user is lost") };
  if (dueOf(log) !== settle.charge) return { lost: lostOf(settle, "its price is lost") };
  if (log.task !== undefined && !tasks.has(log.task.id)) {
    return { lost: lostOf(settle, "its task is lost") };
  }
  if (log.tokenId === 0 || tokens.get(log.tokenId) === log.userId) return { settle };
  const withoutToken = { ...log, tokenId: 0 };
  return { settle: { ...settle, tokenLimited: false, budget: undefined, log: withoutToken } };
}
