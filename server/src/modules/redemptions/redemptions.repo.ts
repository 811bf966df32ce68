/** All queries on the table `redemptions`. */

import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { type Redemption, redemptionStatus } from "@tollgate/contract/endpoints/redemptions.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { type Paged, readPaged } from "#db/paging.ts";
import { startsWith } from "#db/text-search.ts";
import { redemptionHash, type RedemptionRow } from "./redemptions.ts";

/** A code as the API shows it, except that the code itself is still sealed. */
export type SealedRedemption = Omit<Redemption, "DeletedAt" | "count" | "key"> & {
  readonly lookup: string;
  readonly sealed: string;
};

/** Which codes a list shows. A filter that is empty or 0 matches every code. */
export type RedemptionFilter = {
  /** Matches the id, or the beginning of the name. */
  readonly keyword: string;
  /** Keyed hash of `keyword`. Matches the code with this hash. */
  readonly lookup: string;
  readonly status: number;
  /** Matches codes that were redeemed by users whose names begin with this text. */
  readonly usedBy: string;
};

export const anyRedemption: RedemptionFilter = { keyword: "", lookup: "", status: 0, usedBy: "" };

function selectShown(db: Db) {
  return db
    .selectFrom("redemptions")
    .leftJoin("users", "users.id", "redemptions.used_user_id")
    .select([
      "redemptions.id",
      "redemptions.user_id",
      "redemptions.name",
      "redemptions.lookup",
      "redemptions.sealed",
      "redemptions.quota",
      "redemptions.status",
      "redemptions.group",
      "redemptions.batch_id",
      "redemptions.user_limit",
      "redemptions.expired_time",
      "redemptions.created_time",
      "redemptions.redeemed_time",
      "redemptions.used_user_id",
      "users.username as used_username",
    ])
    .where("redemptions.DeletedAt", "is", null);
}

type Shown = Awaited<ReturnType<ReturnType<typeof selectShown>["execute"]>>[number];

function show({ status, used_username, ...row }: Shown): SealedRedemption {
  return {
    ...row,
    status: redemptionStatus.parse(status),
    used_username: used_username ?? "",
  };
}

export async function findRedemption(db: Db, id: number): Promise<SealedRedemption | undefined> {
  const row = await selectShown(db).where("redemptions.id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : show(row);
}

/** Reads one page of codes, newest first. */
export async function pageRedemptions(
  db: Db,
  { keyword, lookup, status, usedBy }: RedemptionFilter,
  window: PageWindow,
): Promise<Paged<SealedRedemption>> {
  let query = selectShown(db);
  if (keyword !== "") {
    const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
    query = query.where((eb) =>
      eb.or([
        eb("redemptions.id", "=", id),
        startsWith("redemptions.name", keyword),
        eb("redemptions.lookup", "=", lookup),
      ]),
    );
  }
  if (status !== 0) query = query.where("redemptions.status", "=", status);
  if (usedBy !== "") query = query.where(startsWith("users.username", usedBy));
  const { items: rows, total } = await readPaged(query.orderBy("redemptions.id", "desc"), window);
  return { items: rows.map(show), total };
}

/** Finds a code that is not deleted, and locks its row until the transaction ends. */
export async function lockRedemption(
  tx: Db,
  by: { readonly id: number } | { readonly lookup: string },
): Promise<RedemptionRow | undefined> {
  const query = tx.selectFrom("redemptions").selectAll().where("DeletedAt", "is", null);
  const found = "id" in by ? query.where("id", "=", by.id) : query.where("lookup", "=", by.lookup);
  return await lockRows(tx, found).executeTakeFirst();
}

/** Changes a code whose row is locked, and its hash. */
export async function updateRedemption(
  tx: Db,
  row: RedemptionRow,
  columns: Partial<Omit<RedemptionRow, "hash" | "id">>,
): Promise<void> {
  await tx
    .updateTable("redemptions")
    .set({ ...columns, hash: redemptionHash({ ...row, ...columns }) })
    .where("id", "=", row.id)
    .execute();
}

/** Counts the codes of a batch that a user has redeemed. */
export async function countRedeemed(tx: Db, userId: number, batchId: string): Promise<number> {
  const { count } = await tx
    .selectFrom("redemptions")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("used_user_id", "=", userId)
    .where("batch_id", "=", batchId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
