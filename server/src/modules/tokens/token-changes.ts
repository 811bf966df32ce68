/** Changes of one token, each in the caller's transaction, with its entry in the audit log. */

import { type Token, type TokenStatus, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import type { Insertable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import type { TokenTable } from "#db/tables/tokens.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { openTokenBalance } from "#modules/ledger/ledger.ts";
import { noteToken } from "./noted-tokens.ts";
import type { Settings } from "./setting-columns.ts";
import * as repo from "./tokens.repo.ts";

const { enabled } = tokenStatus.enum;

/** Who makes a change and when, and whose tokens may be changed. */
export type By = {
  readonly actor: Actor;
  /** Id of the user whose tokens may be changed; null: any user's. */
  readonly owner: repo.Owner;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** A token to create. */
export type NewToken = Settings &
  Pick<repo.TokenRow, "user_id" | "lookup" | "sealed" | "hint"> & {
    /** The quota that the token may spend. */
    readonly granted: number;
    /** The largest number of tokens that a user may have, including the new one. */
    readonly ownedMax: number;
  };

/** Creates a token with its balance row. */
export async function createToken(tx: Db, token: NewToken, by: By): Promise<Token> {
  const { granted, ownedMax, ...columns } = token;
  const seconds = unixSeconds(by.nowMs);
  const row: Insertable<TokenTable> = {
    ...columns,
    status: enabled,
    created_time: seconds,
    accessed_time: seconds,
    DeletedAt: null,
  };
  const id = await repo.insertToken(tx, row);
  await openTokenBalance(tx, id, granted);
  // Recorded before the tokens are counted: this locks the row with the configuration's version
  // until the transaction ends, so that simultaneous creations cannot exceed the limit.
  await recordChange(tx, "tokens", id);
  if ((await repo.countOwn(tx, columns.user_id)) > ownedMax) {
    throw new Refusal("limit-reached", `令牌数量已达上限 ${ownedMax}`);
  }
  const made = { id, user_id: columns.user_id, delta: granted };
  await noteChange(tx, by, "token.create", made, { name: columns.name, granted });
  return await readToken(tx, id, by.owner);
}

export async function readToken(db: Db, id: number, owner: repo.Owner): Promise<Token> {
  const token = await repo.findToken(db, id, owner);
  if (token === undefined) throw tokenNotFound();
  return token;
}

/** Enables or disables a token. */
export async function setStatus(tx: Db, id: number, status: TokenStatus, by: By): Promise<Token> {
  const row = await lockOrRefuse(tx, id, by.owner);
  if (status === enabled) {
    const { remain } = await readBalance(tx, id);
    refuseUselessEnabling({ ...row, remain, nowSeconds: unixSeconds(by.nowMs) });
  }
  await repo.updateToken(tx, id, { status });
  await recordChange(tx, "tokens", id);
  const changed = ["is_disabled"];
  const detail = { before: row.status, after: status };
  await noteChange(tx, by, "token.status", { ...row, changed }, detail);
  return await readToken(tx, id, by.owner);
}

/** Deletes a token. */
export async function removeToken(tx: Db, id: number, by: By): Promise<void> {
  const row = await lockOrRefuse(tx, id, by.owner);
  await repo.updateToken(tx, id, { DeletedAt: new Date(by.nowMs).toISOString() });
  await recordChange(tx, "tokens", id);
  await noteChange(tx, by, "token.delete", { ...row, changed: ["DeletedAt"] }, { name: row.name });
}

export async function lockOrRefuse(tx: Db, id: number, owner: repo.Owner): Promise<repo.TokenRow> {
  const row = await repo.lockToken(tx, id, owner);
  if (row === undefined) throw tokenNotFound();
  return row;
}

export async function readBalance(
  db: Db,
  id: number,
): Promise<{ granted: number; remain: number }> {
  return await db
    .selectFrom("token_balances")
    .select(["granted", "remain"])
    .where("token_id", "=", id)
    .executeTakeFirstOrThrow();
}

type Changed = Pick<repo.TokenRow, "id" | "user_id"> & {
  /** The columns that were changed; absent: the token is new. */
  readonly changed?: readonly string[];
  /** By how much the granted quota was changed; absent: it was not. */
  readonly delta?: number;
};

/** Writes an audit log entry about a change of a token. */
export async function noteChange(
  tx: Db,
  { actor, nowMs }: By,
  action: string,
  { id, user_id, changed, delta = 0 }: Changed,
  detail: object,
): Promise<void> {
  const row = await noteToken(tx, id, changed, delta);
  const target = `token:${id}`;
  await appendAudit(tx, { actor, action, target, detail: { user_id, ...detail }, row, nowMs });
}

type Enabling = {
  readonly expired_time: number;
  readonly unlimited_quota: number;
  /** The remaining quota. */
  readonly remain: number;
  readonly nowSeconds: number;
};

/**
 * Refuses to enable a token that has expired or has no quota left, whatever status is stored.
 * @throws Refusal `not-allowed`.
 */
function refuseUselessEnabling(token: Enabling): void {
  if (token.expired_time !== -1 && token.expired_time <= token.nowSeconds) {
    throw new Refusal(
      "not-allowed",
      "令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期",
    );
  }
  if (token.unlimited_quota === 0 && token.remain <= 0) {
    throw new Refusal(
      "not-allowed",
      "令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度",
    );
  }
}

/**
 * Refuses access to a token. The refusal is the same for unknown tokens and other users' tokens, so
 * that it does not show which ids exist.
 */
function tokenNotFound(): Refusal {
  return new Refusal("not-found", "令牌不存在");
}
