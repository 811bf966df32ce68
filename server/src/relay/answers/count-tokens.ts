/** Answers questions for the number of a prompt's tokens, which agents ask to plan their context. */

import type { ClientFormat } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { ClientRequest, ClientResponse } from "#http/client-request.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { Credential } from "#relay/call/facts.ts";
import { readBody } from "#relay/admission/read-body.ts";
import { jsonHeaders } from "#relay/call/call-refusal.ts";
import { countUpstream } from "./count-upstream.ts";
import { bodyRefused } from "#relay/call/refusals.ts";

type CountRequest = {
  readonly format: ClientFormat;
  readonly requestId: string;
  readonly credential: Credential;
};

/**
 * Has the prompt counted by a channel of its model that counts in the client's format, and otherwise
 * estimates it. A header says which of both it was. Neither is charged.
 *
 * @throws CallRefusal, as a rejection.
 */
export async function answerCount(
  state: RelayState,
  request: ClientRequest,
  { format: formatId, model }: { readonly format: ClientFormatId; readonly model: string | null },
  { credential, format, requestId }: CountRequest,
): Promise<ClientResponse> {
  const { budget, snapshot } = state.deps;
  const { bodyBytesMax } = snapshot.options;
  const bytes = await readBody(request, bodyBytesMax, budget, credential.user.id);
  const read = format.readRequest(bytes, { modality: "chat", model, stream: false });
  if ("message" in read) throw bodyRefused(read.code, read.param, read.message);
  const { headers } = request;
  const told = await countUpstream(state, credential, { formatId, format, headers, model, bytes });
  const how = told === null ? "estimated" : "upstream";
  const response = { status: 200, shared: jsonHeaders, requestId, headers: { [countHeader]: how } };
  if (told !== null) return { ...response, body: told };
  const tokens = format.estimatePrompt(bytes);
  const counted = format.countAnswer?.(tokens) ?? { input_tokens: tokens };
  return { ...response, body: JSON.stringify(counted) };
}

/** Says whether an upstream has counted, or the gateway has estimated. */
const countHeader = "x-tollgate-count";
