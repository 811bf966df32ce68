/**
 * Answers what a call has used and cost: `GET /v1/generation?id=`, where the id is the call's
 * `X-Request-Id`. A key may ask about its own calls only.
 */

import type { RateRule } from "#base/rate-limit.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { Credential } from "#relay/call/facts.ts";
import { errorResponse, jsonResponse } from "#relay/call/call-refusal.ts";
import { tooManyQueries } from "#relay/call/refusals.ts";

/** Limits these questions, because each of them reads the database. */
const askRule: RateRule = { name: "generation-query", windowMs: 60_000, max: 120 };

/** The longest id that is looked up, in characters; the gateway's own are shorter. */
const idLengthMax = 64;

type EndedCallQuery = {
  readonly format: ClientFormat;
  readonly requestId: string;
  /** The address of the request, with its query. */
  readonly url: string;
};

/** @throws CallRefusal 429, as a rejection, when one key asks too often. */
export async function answerEndedCall(
  deps: Pick<RelayDeps, "findCall" | "limits" | "snapshot">,
  { token, user }: Credential,
  { format, requestId, url }: EndedCallQuery,
): Promise<ClientResponse> {
  const { allowed, retryAfterMs } = await deps.limits.take(askRule, String(token.id));
  if (!allowed) throw tooManyQueries(Math.ceil(retryAfterMs / 1_000));
  const query = url.indexOf("?");
  const id = new URLSearchParams(query < 0 ? "" : url.slice(query)).get("id") ?? "";
  const isId = id !== "" && id.length <= idLengthMax;
  const call = isId ? await deps.findCall({ id, userId: user.id, tokenId: token.id }) : null;
  if (call === null) {
    const error = {
      type: "invalid_request_error",
      code: "generation_not_found",
      message: "No charged call of this key has this id; it is the X-Request-Id of the answer",
      param: "id",
    };
    return errorResponse(format, { status: 404, requestId, error });
  }
  const { quota, ...told } = call;
  const cost = quota / Number(deps.snapshot.prices.list.QuotaPerUnit);
  return jsonResponse({ data: { id, ...told, quota, total_cost: cost, usage: cost } }, requestId);
}
