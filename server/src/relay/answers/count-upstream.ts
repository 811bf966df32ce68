/** Asks the upstream of a channel how many tokens a prompt has, where it counts them. */

import type { RateRule } from "#base/rate-limit.ts";
import { numberOf, objectOf, parseJson } from "#formats/shared/read-json.ts";
import type { ClientFormat } from "#formats/format.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { Fields } from "#http/client-request.ts";
import { newCancellation } from "#network/cancellation.ts";
import { parseTarget, type Target } from "#network/target.ts";
import { countUrl } from "#providers/upstream-url.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import { findChannels } from "#relay/routing/allow-named.ts";
import { planWithin, wayTo } from "#relay/plan.ts";
import { planCall } from "#relay/admission/admit.ts";
import type { Credential } from "#relay/call/facts.ts";
import { readCall } from "#relay/admission/read-call.ts";
import { firstOf } from "#relay/routing/choose.ts";
import { headersTo, passedHeaders } from "#relay/ways/sending.ts";
import type { Way } from "#relay/ways/way.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";

/** The most bytes of an answer that says a number. */
const answerBytesMax = 64 * 1024;

/** A count is free, so it may not keep its caller waiting, nor an upstream busy. */
const limits = { connectMs: 3_000, firstByteMs: 10_000, betweenChunksMs: 5_000, totalMs: 15_000 };
const rule: RateRule = { name: "counts-upstream", windowMs: 60_000, max: 60 };

type CountQuestion = {
  readonly formatId: ClientFormatId;
  readonly format: ClientFormat;
  readonly headers: Fields;
  readonly model: string | null;
  readonly bytes: Uint8Array;
};

/**
 * Returns the upstream's answer, which the client reads as it is; null: no channel of the model counts
 * in the client's format, the caller may not use one now, or it did not answer with a number.
 */
export async function countUpstream(
  state: RelayState,
  credential: Credential,
  asked: CountQuestion,
): Promise<Uint8Array | null> {
  try {
    return await ask(state, credential, asked);
  } catch (error) {
    // What a call would be refused for is no reason to leave a question without a number.
    if (error instanceof CallRefusal) return null;
    throw error;
  }
}

async function ask(
  state: RelayState,
  credential: Credential,
  { bytes: received, format, formatId, headers, model: named }: CountQuestion,
): Promise<Uint8Array | null> {
  const { deps, keys, plans } = state;
  const path = { modality: "chat", model: named, stream: false } as const;
  const read = await readCall(deps, format, credential, received, path);
  const { body, bytes } = read;
  const kind = { formatId, modality: "chat", isStream: false } as const;
  const planned = planCall(deps, plans, credential, body.model, kind);
  const only = await findChannels(deps, planned, credential, format, read);
  const plan = planWithin(only?.plan ?? planned, (channel) => counts(channel, formatId));
  if (plan === null) return null;
  const steps = { tried: [], retries: 0, clientGone: false, stop: null };
  const channel = firstOf(state, { ...steps, plan, bound: null });
  if (channel === undefined) return null;
  const way = wayTo(planned, channel);
  // A question has no parameters that a channel could override.
  const question = way.writeQuestion({ body, bytes });
  const target = question === null ? null : targetOf(way);
  if (question === null || target === null) return null;
  const { allowed } = await deps.limits.take(rule, String(credential.user.id));
  if (!allowed) return null;
  const key = keys.next(channel);
  const answer = await deps.transport({
    method: "POST",
    target,
    headers: headersTo(way, target, key, passedHeaders(headers)),
    body: question,
    isStream: false,
    limits,
    cancellation: newCancellation(),
    budget: deps.budget,
    owner: credential.user.id,
  });
  if (answer.kind !== "answer") return null;
  if (answer.status !== 200) {
    answer.cancel();
    return null;
  }
  const told = await answer.readAll(answerBytesMax);
  return told instanceof Uint8Array && saysCount(told) ? told : null;
}

function counts({ provider }: ChannelView, formatId: ClientFormatId): boolean {
  return provider.sign === undefined && provider.formats[formatId]?.countPath !== undefined;
}

/** The addresses of counts, kept with the way: connections are kept by the object of the address. */
const targets = new WeakMap<Way, Target | null>();

function targetOf(way: Way): Target | null {
  const known = targets.get(way);
  if (known !== undefined) return known;
  const { channel, model, upstreamId: format } = way;
  const url = countUrl(channel.provider, { channel, format, model });
  const made = url === undefined ? null : parseTarget(url, channel.proxy);
  targets.set(way, made);
  return made;
}

function saysCount(bytes: Uint8Array): boolean {
  const { input_tokens, totalTokens } = objectOf(parseJson(new TextDecoder().decode(bytes)));
  const count = numberOf(input_tokens) ?? numberOf(totalTokens);
  return count !== null && Number.isInteger(count) && count >= 0;
}
