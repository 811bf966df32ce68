/** API keys of another gateway: how they are created here, whatever their shape, and taken back. */

import { sql } from "kysely";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { parseIpRange } from "#base/ip-ranges.ts";
import type { Secrets } from "#base/secrets.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import type { NeutralToken } from "#ports/neutral.ts";
import { adjustTokenBalance, openTokenBalance } from "#modules/ledger/ledger.ts";
import { defaultSettings } from "./setting-columns.ts";
import * as repo from "./tokens.repo.ts";
import { noteToken } from "./noted-tokens.ts";
import { hashedKeyColumns, hashedKeyKind, keyColumns, tokenKeyKind } from "./tokens.ts";

type KeyOf = Pick<NeutralToken, "key" | "keyHash">;

type Importing = {
  readonly token: NeutralToken;
  readonly userId: number;
  readonly name: string;
  /** What the token may spend, in quota units of this installation. */
  readonly remain: number;
  /** What the token may spend in each time, in the same units. */
  readonly budgets: NeutralToken["budgets"];
  readonly secrets: Secrets;
  readonly source: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Whether a token here has the key, or had it before its last change. */
export async function isKeyTaken(db: Db, secrets: Secrets, token: KeyOf): Promise<boolean> {
  const { key, keyHash } = token;
  const lookup =
    keyHash === "" ? secrets.lookup(tokenKeyKind, key) : secrets.lookup(hashedKeyKind, keyHash);
  return await isLookupKnown(db, lookup);
}

async function isLookupKnown(db: Db, lookup: string): Promise<boolean> {
  const query = db.selectFrom("tokens").select("id");
  const row =
    (await query.where("lookup", "=", lookup).executeTakeFirst()) ??
    (await query
      .where("old_lookup", "=", lookup)
      // Only replaced keys are in the index.
      .where(sql<boolean>`old_lookup <> ''`)
      .limit(1)
      .executeTakeFirst());
  return row !== undefined;
}

/** Names the lines of a list that are no address, and no block of addresses. */
export function faultyAddresses({ allowIps }: NeutralToken): readonly string[] {
  return allowIps.split("\n").filter((line) => line !== "" && parseIpRange(line) === undefined);
}

/** Creates a token with its key. @returns the id. */
export async function addImportedToken(tx: Db, importing: Importing): Promise<number> {
  const { token, userId, name, remain, budgets, secrets, source, nowMs } = importing;
  const { key, keyHash, rate } = token;
  const id = await repo.insertToken(tx, {
    ...defaultSettings,
    name,
    user_id: userId,
    ...(keyHash === "" ? keyColumns(secrets, userId, key) : hashedKeyColumns(secrets, keyHash)),
    status: token.status,
    created_time: token.createdTime,
    accessed_time: token.accessedTime,
    expired_time: token.expiredTime,
    unlimited_quota: token.isUnlimited ? 1 : 0,
    model_limits_enabled: token.models === null ? 0 : 1,
    model_limits: token.models?.join(",") ?? "",
    allow_ips: token.allowIps,
    rate_limit_count: rate.count,
    rate_limit_seconds: rate.seconds,
    budget_day: budgets.day,
    budget_week: budgets.week,
    budget_month: budgets.month,
    group: token.group,
    DeletedAt: null,
  });
  await openTokenBalance(tx, id, remain);
  await recordChange(tx, "tokens", id);
  const detail = { name, source_id: token.id, granted: remain };
  await note(tx, { id, userId, source, detail, nowMs, delta: remain });
  return id;
}

type Changing = {
  readonly id: number;
  readonly userId: number;
  readonly status: number;
  readonly expiredTime: number;
  /** By how much the quota it may spend changes. */
  readonly delta: number;
  readonly source: string;
  readonly nowMs: number;
};

/** Changes a token that was imported, as the source asks. */
export async function changeImportedToken(tx: Db, changing: Changing): Promise<void> {
  const { id, userId, status, expiredTime, delta, source, nowMs } = changing;
  await repo.updateToken(tx, id, { status, expired_time: expiredTime });
  await adjustTokenBalance(tx, id, delta);
  await recordChange(tx, "tokens", id);
  const names = ["is_disabled", "expired_time"];
  await note(tx, { id, userId, source, detail: { delta }, nowMs, delta, names });
}

/** Ends a token whose import is taken back; its key is free again. */
export async function retireImportedToken(
  tx: Db,
  { id, userId, source, nowMs }: Pick<Changing, "id" | "nowMs" | "source" | "userId">,
): Promise<void> {
  const columns = { lookup: `undone:${id}`, sealed: "", DeletedAt: new Date(nowMs).toISOString() };
  await repo.updateToken(tx, id, columns);
  await recordChange(tx, "tokens", id);
  const names = Object.keys(columns);
  await note(tx, { id, userId, source, detail: { undone: true }, nowMs, delta: 0, names });
}

/** What stores a key. */
export type KeyColumns = ReturnType<typeof keyColumns>;

type Adoption = KeyColumns & {
  readonly id: number;
  /** The keyed hash by which the token was found. */
  readonly before: string;
};

/**
 * Stores the key of a token that was imported with a hash of it. The key stays the same, so nobody
 * has to be told.
 *
 * @returns false: the token has got another key since, or another token has this one.
 */
export async function adoptKey(
  tx: Db,
  { id, before, ...key }: Adoption,
  nowMs: number,
): Promise<boolean> {
  const row = await repo.lockToken(tx, id, null);
  if (row === undefined || row.lookup !== before) return false;
  if (await isLookupKnown(tx, key.lookup)) return false;
  await repo.updateToken(tx, id, key);
  await recordChange(tx, "tokens", id);
  const detail = { key: key.hint };
  const names = Object.keys(key);
  await note(tx, { id, userId: row.user_id, source: "", detail, nowMs, delta: 0, names });
  return true;
}

type Note = {
  readonly id: number;
  readonly userId: number;
  readonly source: string;
  readonly detail: object;
  readonly nowMs: number;
  readonly delta: number;
  /** The columns that were changed; absent: the token is new. */
  readonly names?: readonly string[];
};

async function note(tx: Db, { id, userId, source, detail, nowMs, delta, names }: Note) {
  await appendAudit(tx, {
    actor: systemActor,
    action: "token.import",
    target: `token:${id}`,
    detail: { user_id: userId, source, ...detail },
    row: await noteToken(tx, id, names, delta),
    nowMs,
  });
}
