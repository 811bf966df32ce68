/** The rules of tokens, and what the relay knows of one. */

import { tokenKeyLength } from "@tollgate/contract/tokens.ts";
import { openIpMatcher, parseIpRange } from "#base/ip-ranges.ts";
import { Refusal } from "#base/refusal.ts";
import type { TokenViewRow } from "./tokens.repo.ts";

/** What the relay may ask of this module. */
export type Tokens = TokenUsage & {
  /** Quota units; asks the database. */
  readSpending(tokenId: number): Promise<{ readonly remain: number; readonly used: number }>;
};

/** Bookkeeping from the hot path. */
export type TokenUsage = {
  /** Marks a token that a call found expired (3) or exhausted (4). Not awaited. */
  markToken(tokenId: number, status: 3 | 4): void;
  /** Notes that a call used the token; kept in memory until `saveUse`. */
  noteUse(tokenId: number): void;
  /** Saves when the tokens were last used. */
  saveUse(): Promise<void>;
};

/** Kind of the keyed hash by which a token is found. */
export const tokenKeyKind = "token";

/** What a key is sealed with, so that it opens in its owner's row only. */
export function sealContext(userId: number): string {
  return `tokens|${userId}`;
}

/** How a key shows in lists: tells tokens of one user apart, and is no use to anybody. */
export function keyHint(key: string): string {
  return `${key.slice(0, 4)}••••${key.slice(-4)}`;
}

/** A key as somebody copied it: with or without the prefix. */
export function bareKey(text: string): string {
  return text.replace(/^sk-/, "");
}

export function looksLikeKey(text: string): boolean {
  return text.length === tokenKeyLength && /^[0-9A-Za-z]+$/.test(text);
}

/** What the relay knows of a token. A list that cannot be read lets nobody in. */
function tokenView(row: TokenViewRow) {
  const [start = "", end = ""] = row.hint.split("••••");
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    masked: `sk-${start.slice(0, 3)}***${end.slice(-3)}`,
    status: row.status,
    expiredTime: row.expired_time,
    unlimitedQuota: row.unlimited_quota === 1,
    modelLimits:
      row.model_limits_enabled === 1
        ? new Set(row.model_limits.split(",").filter((name) => name !== ""))
        : null,
    allowsIp: row.allow_ips === "" ? null : matcherOf(row.allow_ips),
    group: row.group,
  };
}

/** A token as the relay looks it up; `found` null: deleted. */
export function loadedToken(row: TokenViewRow) {
  const found = row.DeletedAt === null ? { lookup: row.lookup, view: tokenView(row) } : null;
  return { id: row.id, found };
}

function matcherOf(allowIps: string): (address: string) => boolean {
  return openIpMatcher(
    allowIps.split("\n").flatMap((line) => {
      const range = parseIpRange(line);
      return range === undefined ? [] : [range];
    }),
  );
}

type Enabling = {
  readonly expired_time: number;
  readonly unlimited_quota: number;
  /** What it may still spend. */
  readonly remain: number;
  readonly nowSeconds: number;
};

/** Judged by what is so now, whatever status was noted. @throws Refusal `not-allowed`. */
export function refuseUselessEnabling(token: Enabling): void {
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

/** Unknown tokens and other people's are answered alike. */
export function tokenNotFound(): Refusal {
  return new Refusal("not-found", "令牌不存在");
}
