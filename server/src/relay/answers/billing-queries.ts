/**
 * Answers billing queries, by which client programs ask for the balance behind their key. Paths and
 * field names are those of OpenAI's former dashboard and belong to no wire format. Amounts are US
 * dollars when quota is displayed as currency, otherwise quota units.
 */

import type { RateRule } from "#base/rate-limit.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { Credential } from "#relay/call/facts.ts";
import { jsonResponse } from "#relay/call/call-refusal.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { BillingQuery } from "#relay/ingress.ts";
import { tooManyQueries } from "#relay/call/refusals.ts";

/**
 * Limits billing queries, because each of them reads the database. A program that shows a balance
 * sends one only now and then.
 */
const queryRule: RateRule = { name: "billing-query", windowMs: 60_000, max: 60 };

/**
 * The limit reported for a token with unlimited quota, as one-api compatible gateways report it.
 */
const unlimitedAmount = 100_000_000;

/**
 * Answers how much the token or its owner may spend, or has spent.
 *
 * @throws CallRefusal 429, as a rejection, when one token sends too many queries.
 */
export async function answerBilling(
  deps: Pick<RelayDeps, "limits" | "readSpending" | "snapshot">,
  { token, user }: Credential,
  query: BillingQuery,
  requestId: string,
): Promise<ClientResponse> {
  const { allowed, retryAfterMs } = await deps.limits.take(queryRule, String(token.id));
  if (!allowed) throw tooManyQueries(Math.ceil(retryAfterMs / 1_000));
  const { options, prices } = deps.snapshot;
  const ofToken = options.billingShowsToken;
  const { remain, used } = await deps.readSpending(
    ofToken ? { tokenId: token.id } : { userId: user.id },
  );
  const unit = options.showsCurrency ? Number(prices.list.QuotaPerUnit) : 1;
  const limit = ofToken && token.unlimitedQuota ? unlimitedAmount : (remain + used) / unit;
  const body =
    query === "usage"
      ? // In cents, the unit of OpenAI's former usage endpoint.
        { object: "list", total_usage: (used / unit) * 100 }
      : {
          object: "billing_subscription",
          has_payment_method: true,
          soft_limit_usd: limit,
          hard_limit_usd: limit,
          system_hard_limit_usd: limit,
          // When the token expires, in Unix seconds; 0: never.
          access_until: Math.max(token.expiredTime, 0),
        };
  return jsonResponse(body, requestId);
}
