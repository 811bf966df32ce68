/**
 * Limits how many calls a user or a token may make in a time window, and how many of a user's may
 * succeed.
 */

import type { RateRule } from "#base/rate-limit.ts";
import { tooManyByToken, tooManyCalls, tooManySuccesses } from "#relay/call/refusals.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { RelayOptions, TokenRateLimit } from "#ports/snapshot.ts";

/**
 * Counts a call against the limits of its token and its user; null: there are none.
 *
 * @throws CallRefusal 429, as a rejection.
 */
export function limitCaller(
  deps: Pick<RelayDeps, "limits" | "snapshot">,
  { token, user }: Credential,
): Promise<void> | null {
  const { requestLimit } = deps.snapshot.options;
  const isLimited = requestLimit.total > 0 || requestLimit.successes > 0;
  if (token.rateLimit === null && !isLimited) return null;
  return limitBoth(deps, token.rateLimit, user.id, isLimited ? requestLimit : null);
}

async function limitBoth(
  deps: Pick<RelayDeps, "limits">,
  ofToken: TokenRateLimit | null,
  userId: number,
  ofUser: UserLimit | null,
): Promise<void> {
  if (ofToken !== null) await limitToken(deps, ofToken);
  if (ofUser !== null) await limitUser(deps, userId, ofUser);
}

/**
 * Counts a call against the rate limit of its token.
 *
 * @throws CallRefusal 429, with the token's own text if it has one.
 */
async function limitToken(
  { limits }: Pick<RelayDeps, "limits">,
  { rule, key, message }: TokenRateLimit,
): Promise<void> {
  const { allowed, retryAfterMs } = await limits.take(rule, key);
  if (allowed) return;
  const limit = { seconds: rule.windowMs / 1_000, most: rule.max, text: message };
  throw tooManyByToken(limit, Math.ceil(retryAfterMs / 1_000));
}

type UserLimit = RelayOptions["requestLimit"];

/**
 * Counts a call against the limit of its user.
 *
 * @throws CallRefusal 429.
 */
async function limitUser(
  { limits }: Pick<RelayDeps, "limits">,
  userId: number,
  limit: UserLimit,
): Promise<void> {
  const { windowMs, total, successes } = limit;
  const key = String(userId);
  const minutes = Math.max(1, Math.round(windowMs / 60_000));
  if (successes > 0) {
    const { allowed, retryAfterMs } = await limits.look(successRule(limit), key);
    if (!allowed) throw tooManySuccesses(minutes, successes, Math.ceil(retryAfterMs / 1_000));
  }
  if (total > 0) {
    const rule = { name: "relay-user", windowMs, max: total };
    const { allowed, retryAfterMs } = await limits.take(rule, key);
    if (!allowed) throw tooManyCalls(minutes, total, Math.ceil(retryAfterMs / 1_000));
  }
}

/**
 * Counts a call that has succeeded. Calls in progress are not counted yet, so several that run at
 * the same time may exceed the limit.
 */
export async function countSuccess(
  { limits }: Pick<RelayDeps, "limits">,
  userId: number,
  limit: UserLimit,
): Promise<void> {
  await limits.take(successRule(limit), String(userId));
}

function successRule({ windowMs, successes }: UserLimit): RateRule {
  return { name: "relay-user-success", windowMs, max: successes };
}
