import { type Token, type TokenStatus, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal, refusalOf } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import { adjustTokenBalance, readBudgetStates } from "#modules/ledger/ledger.ts";
import { adoptKey } from "./imported-tokens.ts";
import type { Settings } from "./setting-columns.ts";
import * as repo from "./tokens.repo.ts";
import { noteToken } from "./noted-tokens.ts";
import {
  type By,
  createToken,
  lockOrRefuse,
  noteChange,
  readBalance,
  readToken,
  removeToken,
  setStatus,
} from "./token-changes.ts";
import type { Overrun } from "./tokens.ts";

const { enabled, exhausted, expired } = tokenStatus.enum;

type TokenEdit = {
  readonly id: number;
  /** The settings to change; absent ones stay as they are. */
  readonly settings: Partial<Settings>;
  /** How much the granted quota changes; negative: it is reduced. */
  readonly delta: number;
  /**
   * The granted quota from which `delta` was computed: if it has changed since, the edit is
   * refused. Null: not compared.
   */
  readonly granted: number | null;
};

async function updateToken(tx: Db, edit: TokenEdit, by: By): Promise<Token> {
  const row = await lockOrRefuse(tx, edit.id, by.owner);
  const present = await readBalance(tx, edit.id);
  if (edit.granted !== null && edit.granted !== present.granted) {
    throw new Refusal("stale", "令牌数据已变化，请刷新后重试");
  }
  await repo.updateToken(tx, edit.id, edit.settings);
  await adjustTokenBalance(tx, edit.id, edit.delta);
  await recordChange(tx, "tokens", edit.id);
  const { delta, settings } = edit;
  const changed = Object.entries(settings).flatMap(([name, value]) =>
    value === row[name as keyof Settings] ? [] : [name],
  );
  if (changed.length > 0 || delta !== 0) {
    await noteChange(tx, by, "token.update", { ...row, changed, delta }, { ...settings, delta });
  }
  return await readToken(tx, edit.id, by.owner);
}

/**
 * Returns the unique ids in ascending order, so that two batches lock rows in the same order and
 * cannot deadlock.
 */
function inLockOrder(ids: readonly number[]): number[] {
  return [...new Set(ids)].toSorted((a, b) => a - b);
}

/**
 * Deletes tokens and returns how many were deleted. Ids of unknown tokens and of other users'
 * tokens are skipped.
 */
async function removeTokens(tx: Db, ids: readonly number[], by: By): Promise<number> {
  let removed = 0;
  for (const id of inLockOrder(ids)) {
    if ((await repo.lockToken(tx, id, by.owner)) === undefined) continue;
    await removeToken(tx, id, by);
    removed += 1;
  }
  return removed;
}

type BatchResult = {
  readonly id: number;
  readonly success: boolean;
  /** Why the change was refused; empty if it was made. */
  readonly message: string;
};

/** Changes the status of several tokens. If one change is refused, the others are still made. */
async function setStatuses(
  tx: Db,
  ids: readonly number[],
  status: TokenStatus,
  by: By,
): Promise<BatchResult[]> {
  const results = new Map<number, BatchResult>();
  for (const id of inLockOrder(ids)) {
    const message = await refusalOf(() => setStatus(tx, id, status, by));
    results.set(id, { id, success: message === "", message });
  }
  return ids.flatMap((id) => results.get(id) ?? []);
}

type Rotation = Pick<repo.TokenRow, "hint" | "lookup"> & {
  readonly id: number;
  /** Returns the new key, sealed for the user that owns the token. */
  readonly sealed: string;
  /** For how long the present key may still be used, in seconds. */
  readonly oldKeySeconds: number;
};

/**
 * Replaces a token's key. The present key becomes the old one, and the one that was old is
 * forgotten, so that it is unknown from then on.
 */
async function rotateToken(
  tx: Db,
  { id, oldKeySeconds, ...key }: Rotation,
  by: By,
): Promise<Token> {
  const row = await lockOrRefuse(tx, id, by.owner);
  const old_ends_at = unixSeconds(by.nowMs) + oldKeySeconds;
  const old = { old_lookup: row.lookup, old_hint: row.hint, old_ends_at };
  await repo.updateToken(tx, id, { ...key, ...old });
  await recordChange(tx, "tokens", id);
  const detail = { old_key: row.hint, new_key: key.hint, old_key_ends_at: old_ends_at };
  const changed = ["lookup", "sealed", "hint", "old_lookup", "old_hint", "old_ends_at"];
  await noteChange(tx, by, "token.rotate", { ...row, changed }, detail);
  return await readToken(tx, id, by.owner);
}

/** Ends the old key of a token now, unless it has ended before. */
async function endOldKey(tx: Db, id: number, by: By): Promise<Token> {
  const row = await lockOrRefuse(tx, id, by.owner);
  const old_ends_at = unixSeconds(by.nowMs);
  if (row.old_ends_at > old_ends_at) {
    await repo.updateToken(tx, id, { old_ends_at });
    await recordChange(tx, "tokens", id);
    const changed = ["old_ends_at"];
    await noteChange(tx, by, "token.end-old-key", { ...row, changed }, { old_key: row.old_hint });
  }
  return await readToken(tx, id, by.owner);
}

type Sealed = Pick<repo.TokenRow, "id" | "name" | "sealed" | "user_id">;

/**
 * Returns the sealed keys of several tokens in the order of `ids`, and writes an audit log entry
 * for each. Leaves out tokens that do not exist.
 */
async function revealTokens(tx: Db, ids: readonly number[], by: By): Promise<Sealed[]> {
  const found = new Map<number, Sealed>();
  for (const id of inLockOrder(ids)) {
    const row = await repo.lockToken(tx, id, by.owner);
    if (row === undefined) continue;
    await noteReveal(tx, row, by);
    found.set(id, { id, name: row.name, sealed: row.sealed, user_id: row.user_id });
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Returns a token's sealed key, and writes an audit log entry in the same transaction. */
async function revealToken(
  tx: Db,
  id: number,
  by: By,
): Promise<Pick<repo.TokenRow, "sealed" | "user_id">> {
  const row = await lockOrRefuse(tx, id, by.owner);
  await noteReveal(tx, row, by);
  return { sealed: row.sealed, user_id: row.user_id };
}

async function noteReveal(tx: Db, row: repo.TokenRow, by: By): Promise<void> {
  const { actor, nowMs } = by;
  const target = `token:${row.id}`;
  const detail = { user_id: row.user_id };
  await appendAudit(tx, { actor, action: "token.reveal", target, detail, nowMs });
}

type TokenMark = {
  readonly status: typeof expired | typeof exhausted;
  /** The quota units of the smallest call: a token with less is exhausted. */
  readonly needed: number;
};

/**
 * Marks a token that a call found expired or exhausted, unless it no longer is.
 * @returns whether the status changed.
 */
async function markToken(
  tx: Db,
  id: number,
  { status, needed }: TokenMark,
  nowMs: number,
): Promise<boolean> {
  const row = await repo.lockToken(tx, id, null);
  if (row === undefined || row.status !== enabled) return false;
  const { remain } = await readBalance(tx, id);
  const isSo =
    status === expired
      ? row.expired_time !== -1 && row.expired_time <= unixSeconds(nowMs)
      : row.unlimited_quota === 0 && remain < Math.max(1, needed);
  if (!isSo) return false;
  await repo.updateToken(tx, id, { status });
  await recordChange(tx, "tokens", id);
  return true;
}

/** A token that was frozen, with its owner. */
export type FrozenToken = { readonly userId: number; readonly name: string };

/**
 * Disables a token whose call cost far more than it held, and writes an audit log entry.
 * @returns undefined: the token was not enabled any more.
 */
async function freezeToken(
  tx: Db,
  { tokenId, requestId, cost, held }: Overrun,
  nowMs: number,
): Promise<FrozenToken | undefined> {
  const row = await repo.lockToken(tx, tokenId, null);
  if (row === undefined || row.status !== enabled) return undefined;
  await repo.updateToken(tx, tokenId, { status: tokenStatus.enum.disabled });
  await recordChange(tx, "tokens", tokenId);
  const target = `token:${tokenId}`;
  const detail = { user_id: row.user_id, request_id: requestId, cost, held };
  const noted = await noteToken(tx, tokenId, ["is_disabled"], 0);
  const action = "token.freeze";
  await appendAudit(tx, { actor: systemActor, action, target, detail, row: noted, nowMs });
  return { userId: row.user_id, name: row.name };
}

/** Reads the group of a user, which decides the groups that the user's tokens may have. */
async function readOwnerGroup(db: Db, userId: number): Promise<string> {
  const owner = await db
    .selectFrom("users")
    .select("group")
    .where("id", "=", userId)
    .executeTakeFirst();
  return owner?.group ?? "";
}

/** Finds the hash by which the key of a user's token is known; undefined: no token has this name. */
async function findLookup(db: Db, userId: number, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("tokens")
    .select("lookup")
    .where("user_id", "=", userId)
    .where("name", "=", name)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  return row?.lookup;
}

/** Whether a key is that of any token, also of a deleted one. */
async function isLookupTaken(db: Db, lookup: string): Promise<boolean> {
  const row = await db
    .selectFrom("tokens")
    .select("id")
    .where("lookup", "=", lookup)
    .executeTakeFirst();
  return row !== undefined;
}

export const tokenStore = defineStore({
  reads: {
    findLookup,
    isLookupTaken,
    findByLookup: repo.findByLookup,
    hasMoreTokens: repo.hasMoreTokens,
    loadTokens: repo.loadTokens,
    loadTokensAfter: repo.loadTokensAfter,
    pageTokens: repo.pageTokens,
    readBudgetStates,
    readOwnerGroup,
    readToken,
  },
  writes: {
    adoptKey,
    createToken,
    endOldKey,
    freezeToken,
    markToken,
    removeToken,
    removeTokens,
    revealToken,
    revealTokens,
    rotateToken,
    setStatus,
    setStatuses,
    touchTokens: repo.touchTokens,
    updateToken,
  },
});

export type TokenStore = RemoteStore<typeof tokenStore>;
