/**
 * Answers requests about answers that the gateway keeps for its clients: read one, list its input,
 * delete it. Each user finds only their own.
 */

import type { JsonObject } from "#base/json.ts";
import type { RateRule } from "#base/rate-limit.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import type { KeptAsk } from "#relay/ingress.ts";
import type { Credential } from "#relay/call/facts.ts";
import { keptIdLengthMax } from "#relay/call/kept.ts";
import { errorResponse, jsonResponse } from "#relay/call/call-refusal.ts";
import { bodyRefused, tooManyQueries } from "#relay/call/refusals.ts";

/** Limits these requests, because each of them reads the database. */
const askRule: RateRule = { name: "kept-answers", windowMs: 60_000, max: 120 };

/** How many items of an input one request lists at most, and without a number. */
const itemsMax = 100;
const itemsUsual = 20;

type KeptRequest = {
  readonly format: ClientFormat;
  readonly requestId: string;
  /** The address of the request, with its query. */
  readonly url: string;
  readonly ask: KeptAsk;
  readonly id: string;
};

/** @throws CallRefusal 400, or 429 when one key asks too often, as a rejection. */
export async function answerKept(
  deps: Pick<RelayDeps, "answers" | "limits" | "snapshot">,
  { token, user }: Credential,
  { ask, format, id, requestId, url }: KeptRequest,
): Promise<ClientResponse> {
  const { allowed, retryAfterMs } = await deps.limits.take(askRule, String(token.id));
  if (!allowed) throw tooManyQueries(Math.ceil(retryAfterMs / 1_000));
  const isKept = deps.snapshot.options.keepsAnswersDays > 0 && id.length <= keptIdLengthMax;
  if (ask === "delete-kept") {
    if (!isKept || !(await deps.answers.remove(id, user.id))) {
      return notFound(format, id, requestId);
    }
    return jsonResponse({ id, object: "response", deleted: true }, requestId);
  }
  const kept = isKept ? await deps.answers.find(id, user.id) : null;
  if (kept === null) return notFound(format, id, requestId);
  const at = url.indexOf("?");
  const query = new URLSearchParams(at < 0 ? "" : url.slice(at));
  if (ask === "read-kept") {
    if (query.get("stream") === "true") {
      throw bodyRefused("unsupported_parameter", "stream", "a kept response is not streamed again");
    }
    // Safe cast: what is kept was one JSON object.
    return jsonResponse(JSON.parse(kept.answer) as JsonObject, requestId);
  }
  const items = format.kept?.listInput(id, JSON.parse(kept.input)) ?? [];
  return jsonResponse(pageOf(items, query), requestId);
}

function notFound(format: ClientFormat, id: string, requestId: string): ClientResponse {
  const error = {
    type: "invalid_request_error",
    code: "response_not_found",
    message: `No response of yours with the id ${id.slice(0, keptIdLengthMax)} is kept here`,
    param: "response_id",
  };
  return errorResponse(format, { status: 404, requestId, error });
}

/** Returns one page of a list, in the form and order of OpenAI's lists. */
function pageOf(items: readonly JsonObject[], query: URLSearchParams): object {
  const limit = Number(query.get("limit") ?? itemsUsual);
  if (!Number.isInteger(limit) || limit < 1 || limit > itemsMax) {
    throw bodyRefused("invalid_request", "limit", `limit is a number from 1 to ${itemsMax}`);
  }
  const sorted = query.get("order") === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const from = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  const data = sorted.slice(from, from + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: from + limit < sorted.length,
  };
}
