/** Redemption codes of another gateway that nobody has redeemed there. */

import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { NeutralCode } from "#ports/neutral.ts";
import { codeColumns, keyKind, redemptionHash } from "./redemptions.ts";

/** Whether there is such a code here. */
export async function isCodeTaken(db: Db, secrets: Secrets, key: string): Promise<boolean> {
  const row = await db
    .selectFrom("redemptions")
    .select("id")
    .where("lookup", "=", secrets.lookup(keyKind, key))
    .executeTakeFirst();
  return row !== undefined;
}

/** @param quota in quota units of this installation. @returns the id. */
export async function addImportedCode(
  tx: Db,
  code: NeutralCode,
  {
    secrets,
    quota,
    name,
    batchId,
  }: {
    readonly secrets: Secrets;
    readonly quota: number;
    readonly name: string;
    readonly batchId: string;
  },
): Promise<number> {
  const row = {
    ...codeColumns(secrets, code.key),
    user_id: 0,
    name,
    quota,
    status: code.status,
    group: "",
    batch_id: batchId,
    user_limit: 0,
    expired_time: code.expiredTime,
    created_time: code.createdTime,
    redeemed_time: 0,
    used_user_id: 0,
    DeletedAt: null,
  };
  const { id } = await tx
    .insertInto("redemptions")
    .values({ ...row, hash: redemptionHash(row) })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Takes a code back that nobody has redeemed here; it is free again. @returns whether it was. */
export async function retireImportedCode(tx: Db, id: number, nowMs: number): Promise<boolean> {
  const found = await tx
    .selectFrom("redemptions")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (found === undefined || found.status === usedStatus) return false;
  const { hash: _, id: __, ...row } = found;
  const undone = { lookup: `undone:${id}`, DeletedAt: new Date(nowMs).toISOString() };
  const hash = redemptionHash({ ...row, ...undone });
  await tx
    .updateTable("redemptions")
    .set({ ...undone, hash })
    .where("id", "=", id)
    .execute();
  return true;
}

const usedStatus = 3;
