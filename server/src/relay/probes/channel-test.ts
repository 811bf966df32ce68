/** Tests a channel with one small call that no user is charged for. */

import { clientFormatIds, formats } from "#formats/registry.ts";
import { answerBytesMax, meterAnswer } from "#relay/stages/meter/answer-meter.ts";
import { newCancellation } from "#network/cancellation.ts";
import {
  type AttemptFault,
  judgeBadAnswer,
  judgeBadStatus,
  judgeTransportFault,
  mapStatus,
} from "#relay/stages/fault.ts";
import type { ChannelView, RelayOptions } from "#relay/snapshot.ts";
import { answersOf, serves, translate } from "#relay/stages/translate.ts";
import {
  type FaultWords,
  sayBadAnswer,
  sayBadStatus,
  sayTransportFault,
} from "#relay/stages/fault-words.ts";
import type { Transport, TransportAnswer, TransportFault } from "#network/transport.ts";

type ChannelTestDeps = {
  readonly transport: Transport;
  readonly options: RelayOptions;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

export type ChannelTest =
  | { readonly ok: true; readonly model: string; readonly timeMs: number }
  | {
      readonly ok: false;
      readonly model: string;
      readonly timeMs: number;
      readonly words: FaultWords;
      /** Why the channel is to be disabled; null: the failure gives no reason to. */
      readonly disableReason: string | null;
    };

/** The model that a channel is tested with if it sets no test model and lists no models. */
const modelDefault = "gpt-4o-mini";

/**
 * Sends one small call through the channel, with its model mapping and parameter override applied
 * as for a client's call.
 */
export async function testChannel(
  deps: ChannelTestDeps,
  channel: ChannelView,
  wanted: string | null,
): Promise<ChannelTest> {
  const model = wanted || channel.testModel || [...channel.models][0] || modelDefault;
  const startedMs = deps.nowMs();
  const failure = await tryOnce(deps, channel, model);
  const timeMs = Math.round(deps.nowMs() - startedMs);
  if (failure === null) return { ok: true, model, timeMs };
  const { fault, words } = failure;
  // A suspicion is enough to disable the channel: a client's call could make the upstream quote a
  // suspect text, but the gateway itself wrote the test call.
  const disableReason = fault.disableReason ?? fault.suspicion;
  return { ok: false, model, timeMs, words, disableReason };
}

type Failure = { readonly fault: AttemptFault; readonly words: FaultWords };

async function tryOnce(
  { transport, options, now }: ChannelTestDeps,
  channel: ChannelView,
  model: string,
): Promise<Failure | null> {
  const { provider } = channel;
  const path = { modality: isEmbedding(model) ? "embeddings" : "chat", model: null } as const;
  const formatId = clientFormatIds.find((id) => serves(channel, id, path.modality));
  if (!provider.testable || formatId === undefined) return notTestable;
  const { client } = formats[formatId];
  const bytes = new TextEncoder().encode(JSON.stringify(client.smallRequest(model, path.modality)));
  const body = client.readRequest(bytes, path);
  if ("message" in body) return notTestable;
  const key = channel.keys[0] ?? "";
  const request = { channel, key, formatId, bytes, body, isStream: false, passed: null };
  const outbound = translate(request);
  if (outbound === undefined) return noAddress;
  const answer = await transport({
    method: "POST",
    ...outbound,
    isStream: false,
    limits: channel.limits,
    cancellation: newCancellation(),
  });
  if (answer.kind === "fault") return transportFailure(answer);
  const read = await answer.readAll(answerBytesMax);
  if (!(read instanceof Uint8Array)) return transportFailure(read);
  if (answer.status < 200 || answer.status > 299) {
    return statusFailure(channel, options, now(), answer, read);
  }
  const error = meterAnswer(read, answersOf(channel, formatId)).fault;
  if (error === undefined) return null;
  return {
    fault: judgeBadAnswer(error.code, channel, error, options),
    words: sayBadAnswer(error, channel),
  };
}

function transportFailure(fault: TransportFault): Failure {
  return { fault: judgeTransportFault(fault), words: sayTransportFault(fault.code) };
}

const noAddress: Failure = {
  fault: judgeTransportFault({ kind: "fault", code: "address-unresolved", status: 502 }),
  words: sayTransportFault("address-malformed"),
};

const notTestable: Failure = {
  ...noAddress,
  words: { message: "该渠道类型不支持测试", field: null },
};

function statusFailure(
  channel: ChannelView,
  options: RelayOptions,
  nowMs: number,
  answer: TransportAnswer,
  read: Uint8Array,
): Failure {
  const { status, retryAfter } = answer;
  const text = new TextDecoder().decode(read.subarray(0, errorBytesMax));
  const fault = channel.provider.readFault(mapStatus(channel, status), text);
  return {
    fault: judgeBadStatus({ channel, options, status, fault, error: undefined, retryAfter, nowMs }),
    words: sayBadStatus(mapStatus(channel, status), fault, channel),
  };
}

const errorBytesMax = 64 * 1024;

/** Whether a model is an embedding model, judged by the usual names of such models. */
function isEmbedding(model: string): boolean {
  const name = model.toLowerCase();
  return name.includes("embed") || name.includes("bge-") || name.startsWith("m3e");
}
