/** The rules of tokens, and the form in which the relay sees a token. */

import {
  type createToken as contract,
  mjProxyMethod,
  tokenKeyLength,
} from "@tollgate/contract/endpoints/tokens.ts";
import { tagLines } from "@tollgate/contract/logs/tags.ts";
import type { z } from "zod";
import { openIpMatcher, parseIpRange } from "#base/ip-ranges.ts";
import { hashText, type Secrets } from "#base/secrets.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import type { NewToken } from "./token-changes.ts";
import { type TokenViewRow, unpack } from "./tokens.repo.ts";

export { disableKeysOf, removeKeysOf } from "./personal-keys.ts";
export { createToken, type NewToken, removeToken, setStatus } from "./token-changes.ts";
export { notedToken } from "./noted-tokens.ts";

/**
 * Plans a token that this user, or this organisation, will own.
 * @throws Refusal `invalid-input`.
 */
export type PlanKey = (
  input: z.output<(typeof contract)["input"]>,
  userId: number,
) => Promise<{ readonly key: string; readonly token: NewToken }>;

/** What the tokens module offers to the relay. */
export type Tokens = TokenUsage & {
  /** Reads a token's remaining and used quota from the database, in quota units. */
  readSpending(tokenId: number): Promise<{ readonly remain: number; readonly used: number }>;
};

/** A call that cost far more than was held for it. Amounts in quota units. */
export type Overrun = {
  readonly tokenId: number;
  readonly requestId: string;
  readonly cost: number;
  readonly held: number;
};

/** A token that was found by the hash of its key; `lookup` is the keyed hash of that. */
export type HashedToken = {
  readonly id: number;
  readonly userId: number;
  readonly lookup: string;
};

/** Updates of tokens that calls cause. No call waits for them. */
export type TokenUsage = {
  /** Disables the token of such a call, and tells its owner and root. */
  freezeToken(overrun: Overrun): void;
  /**
   * Marks a token that a call found expired (status 3), or exhausted (4): with less than `needed`
   * quota units left. Does not wait for the database.
   */
  markToken(tokenId: number, status: 3 | 4, needed?: number): void;
  /**
   * Stores the key of a token of which only a hash was known. Does not wait for the database.
   *
   * @param token as the call has found it.
   */
  adoptKey(token: HashedToken, key: string): void;
  /** Records that a call used the token. The time is kept in memory until `saveUse` stores it. */
  noteUse(tokenId: number): void;
  /** Stores the last-used times that `noteUse` has collected. */
  saveUse(): Promise<void>;
};

/** The kind of the keyed hash by which a token is looked up. */
export const tokenKeyKind = "token";

/** The kind of the keyed hash by which a token is looked up whose key is not known yet. */
export const hashedKeyKind = "token-hash";

/** Hashes a key as gateways do that keep hashes of keys only: with its prefix. */
export function hashedKey(key: string): string {
  return hashText(`sk-${key}`);
}

/**
 * Returns the sealing context of a user's token keys, so that a sealed key cannot be opened in
 * another user's row.
 */
export function sealContext(userId: number): string {
  return `tokens|${userId}`;
}

/** How many characters a mask shows at each end of a key. */
const shownMax = 4;

/**
 * Makes the masked form of a key in lists: enough to tell a user's tokens apart, but useless as a
 * key. An imported key may be short, so at most a quarter of it is shown.
 */
function keyHint(key: string): string {
  const shown = Math.min(shownMax, Math.floor(key.length / 8));
  return `${key.slice(0, shown)}••••${key.slice(key.length - shown)}`;
}

/** Returns the columns that store a key: its hash, the sealed key, and its masked form. */
export function keyColumns(secrets: Secrets, userId: number, key: string) {
  return {
    lookup: secrets.lookup(tokenKeyKind, key),
    sealed: secrets.seal(sealContext(userId), key),
    hint: keyHint(key),
  };
}

/** Returns these columns for a key of which only the hash is known: it is shown after its first use. */
export function hashedKeyColumns(secrets: Secrets, hash: string) {
  return { lookup: secrets.lookup(hashedKeyKind, hash), sealed: "", hint: "" };
}

/** Removes the prefix `sk-`, if there is one, from a key that a user pasted. */
export function bareKey(text: string): string {
  return text.replace(/^sk-/, "");
}

export function looksLikeKey(text: string): boolean {
  return text.length === tokenKeyLength && /^[0-9A-Za-z]+$/.test(text);
}

/**
 * Brings a token to the form in which the relay sees it. If a stored list of models or IP addresses
 * cannot be read, the token allows none.
 */
function tokenView(row: TokenViewRow) {
  const [start = "", end = ""] = row.hint.split("••••");
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    lookup: row.lookup,
    keyEndsAt: 0,
    masked: `sk-${start.slice(0, 3)}***${end.slice(-3)}`,
    status: row.status,
    expiredTime: row.expired_time,
    unlimitedQuota: row.unlimited_quota === 1,
    modelLimits:
      row.model_limits_enabled === 1
        ? new Set(row.model_limits.split(",").filter((name) => name !== ""))
        : null,
    allowsIp: row.allow_ips === "" ? null : matcherOf(row.allow_ips),
    deniesIp: row.deny_ips === "" ? null : matcherOf(row.deny_ips),
    rateLimit: rateLimitOf(row),
    budgets: budgetsOf(row),
    drawing: drawingOf(row),
    group: row.group,
    tags: tagLines(row.tags),
  };
}

/**
 * Makes a token in the form in which the relay sees it from the text in which it is kept. By a
 * replaced key it is found as well, so that its calls work until the key ends, and are told
 * afterwards that there is another.
 */
export function openToken(packed: string, lookup: string) {
  const row = unpack(packed, lookup);
  if (row.old_lookup !== lookup) return tokenView(row);
  return { ...tokenView({ ...row, hint: row.old_hint }), keyEndsAt: row.old_ends_at };
}

/** Returns a token's settings for pictures; null: it has none, or there is no such token. */
export async function findDrawing(db: Db, tokenId: number): Promise<ReturnType<typeof drawingOf>> {
  const row = await db
    .selectFrom("tokens")
    .select(["mj_backup_pool", "mj_mode", "mj_proxy_address", "mj_proxy_method"])
    .where("id", "=", tokenId)
    .executeTakeFirst();
  return row === undefined ? null : drawingOf(row);
}

type DrawingRow = Pick<
  TokenViewRow,
  "mj_backup_pool" | "mj_mode" | "mj_proxy_address" | "mj_proxy_method"
>;

function drawingOf(row: DrawingRow) {
  const { mj_mode: mode, mj_proxy_address: proxyAddress } = row;
  const proxyMethod = mjProxyMethod.catch("").parse(row.mj_proxy_method);
  const usesBackup = row.mj_backup_pool === 1;
  if (mode === "" && proxyMethod === "" && !usesBackup) return null;
  return { mode, proxyMethod, proxyAddress, usesBackup };
}

function budgetsOf({ budget_day: day, budget_week: week, budget_month: month }: TokenViewRow) {
  return day + week + month === 0 ? null : { day, week, month };
}

function rateLimitOf(row: TokenViewRow) {
  const { id, rate_limit_count: max, rate_limit_seconds: seconds } = row;
  if (max === 0) return null;
  const rule = { name: "relay-token", windowMs: seconds * 1_000, max };
  return { rule, key: String(id), message: row.rate_limit_message };
}

function matcherOf(allowIps: string): (address: string) => boolean {
  return openIpMatcher(
    allowIps.split("\n").flatMap((line) => {
      const range = parseIpRange(line);
      return range === undefined ? [] : [range];
    }),
  );
}

/** Lets a token call again that was exhausted, because it has quota again. */
export async function reviveToken(tx: Db, tokenId: number): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable("tokens")
    .set({ status: 1 })
    .where("id", "=", tokenId)
    .where("status", "=", 4)
    .executeTakeFirstOrThrow();
  if (Number(numUpdatedRows) > 0) await recordChange(tx, "tokens", tokenId);
}
