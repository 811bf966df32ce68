/** Answers questions for the number of a prompt's tokens, which agents ask to plan their context. */

import type { Owner } from "#base/memory/byte-budget.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { ClientRequest, ClientResponse } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { readBody } from "#relay/stages/read-body.ts";
import { jsonResponse } from "./call-refusal.ts";
import { bodyRefused } from "./refusals.ts";

type Asked = {
  readonly format: ClientFormat;
  readonly requestId: string;
  readonly owner: Owner;
};

/**
 * Counts by the gateway's own estimate, for every model alike, because only some providers answer
 * such questions, and none of them is charged.
 *
 * @throws CallRefusal, as a rejection.
 */
export async function answerCount(
  { budget, snapshot }: Pick<RelayDeps, "budget" | "snapshot">,
  request: ClientRequest,
  { model }: { readonly model: string | null },
  { format, owner, requestId }: Asked,
): Promise<ClientResponse> {
  const bytes = await readBody(request, snapshot.options.bodyBytesMax, budget, owner);
  const read = format.readRequest(bytes, { modality: "chat", model, stream: false });
  if ("message" in read) throw bodyRefused(read.code, read.param, read.message);
  const tokens = format.estimatePrompt(bytes);
  return jsonResponse(format.countAnswer?.(tokens) ?? { input_tokens: tokens }, requestId);
}
