/**
 * Authenticates console calls that carry a token's key instead of a session, by the relay's rules.
 */

import { addressBlock } from "#base/ip-ranges.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { TokenView } from "#ports/snapshot.ts";
import { judgeKey, plainKey } from "#relay/admission/authenticate.ts";

/**
 * Limits queries by key, because each of them reads the database. A page that shows a balance sends
 * one only now and then.
 */
const keyRule: RateRule = { name: "key-query", windowMs: 60_000, max: 60 };
const addressRule: RateRule = { name: "key-query-address", windowMs: 60_000, max: 120 };

type JudgeDeps = Pick<RelayDeps, "hashedLookupOf" | "limits" | "lookupOf" | "now" | "snapshot">;

/**
 * Finds the token of a key and counts the query against the limits of address and key. An exhausted
 * token is accepted, because its holder wants to see the balance then.
 *
 * @throws Refusal `key-refused` or `rate-limited`, as a rejection.
 */
type JudgeKey = (key: string, clientIp: string) => Promise<TokenView>;

export function openKeyJudge(deps: JudgeDeps): JudgeKey {
  const count = async (rule: RateRule, key: string): Promise<void> => {
    const { allowed, retryAfterMs } = await deps.limits.take(rule, key);
    if (!allowed) throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
  };
  // A query by key stores neither that its token has expired nor the key; the token's next call to
  // the relay does.
  const judging = { ...deps, adoptKey: () => {}, markToken: () => {} };
  return async (key, clientIp) => {
    await count(addressRule, addressBlock(clientIp));
    try {
      const plain = plainKey(key);
      const { token } = await judgeKey(judging, plain, clientIp, true);
      await count(keyRule, String(token.id));
      return token;
    } catch (error) {
      if (!(error instanceof CallRefusal)) throw error;
      const { message, retryAfterSeconds } = error;
      if (retryAfterSeconds === null) throw new Refusal("key-refused", keyRefused);
      const retryAfterMs = retryAfterSeconds * 1_000;
      throw new Refusal("rate-limited", message, { retryAfterMs });
    }
  };
}

/**
 * The same for every key that may not be queried, so that whoever has found a key is not told
 * whether it is one, and what is wrong with it.
 */
const keyRefused = "令牌无效，或者当前不能使用";
