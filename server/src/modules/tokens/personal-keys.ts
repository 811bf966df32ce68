/** What happens to a person's keys in organisations when the person leaves, or cannot call any more. */

import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { removeToken, setStatus } from "./token-changes.ts";

type Whose = {
  /** Absent: in every organisation. */
  readonly organisationId?: number;
  readonly userId: number;
};

type By = { readonly actor: Actor; readonly nowMs: number };

type Key = { readonly id: number; readonly status: number; readonly user_id: number };

/**
 * Finds a person's keys that are not deleted, and locks them all before the first is changed, so that
 * two such changes cannot deadlock.
 */
async function findKeys(tx: Db, { organisationId, userId }: Whose): Promise<Key[]> {
  const query = tx
    .selectFrom("organisation_keys as keys")
    .innerJoin("tokens", "tokens.id", "keys.token_id")
    .select(["tokens.id", "tokens.status", "tokens.user_id"])
    .where("keys.user_id", "=", userId)
    .where("tokens.DeletedAt", "is", null)
    .orderBy("tokens.id");
  const found =
    organisationId === undefined ? query : query.where("keys.organisation_id", "=", organisationId);
  return await lockRows(tx, found).execute();
}

export async function removeKeysOf(tx: Db, whose: Whose, { actor, nowMs }: By): Promise<void> {
  for (const { id, user_id: owner } of await findKeys(tx, whose)) {
    await removeToken(tx, id, { actor, owner, nowMs });
  }
}

export async function disableKeysOf(tx: Db, whose: Whose, { actor, nowMs }: By): Promise<void> {
  const { disabled } = tokenStatus.enum;
  for (const { id, status, user_id: owner } of await findKeys(tx, whose)) {
    if (status !== disabled) await setStatus(tx, id, disabled, { actor, owner, nowMs });
  }
}
