/** Tests a channel with one small call that no user is charged for. */

import type { Modality } from "#canonical/modality.ts";
import type { ClientFormat } from "#formats/format.ts";
import { clientFormatIds, formats } from "#formats/registry.ts";
import { answerBytesMax } from "#relay/meter/answer-meter.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";
import { isWholeType } from "#relay/answers/read-answer.ts";
import { newCancellation } from "#network/cancellation.ts";
import {
  type AttemptFault,
  judgeBadAnswer,
  judgeBadStatus,
  judgeTransportFault,
  mapStatus,
} from "#relay/faults/fault.ts";
import type { ChannelView, RelayOptions } from "#ports/snapshot.ts";
import { openWay } from "#relay/ways/open-way.ts";
import { headersTo } from "#relay/ways/sending.ts";
import { serves, speaks } from "#relay/ways/upstream-format.ts";
import type { AnsweredCall, Reading, Way } from "#relay/ways/way.ts";
import { sendSigned } from "#relay/ways/signed-request.ts";
import { type FaultWords, sayTransportFault } from "#relay/faults/fault-words.ts";
import type { TransportAnswer } from "#network/answer.ts";
import type { Transport } from "#network/transport.ts";

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
 * as for a client's call. `isStream`: asks for a stream, where the model answers as one.
 */
export async function testChannel(
  deps: ChannelTestDeps,
  channel: ChannelView,
  wanted: string | null,
  isStream = false,
): Promise<ChannelTest> {
  const model = wanted || channel.testModel || [...channel.models][0] || modelDefault;
  const startedMs = deps.nowMs();
  const fault = await tryOnce(deps, channel, { model, isStream });
  const timeMs = Math.round(deps.nowMs() - startedMs);
  if (fault === null) return { ok: true, model, timeMs };
  // A suspicion is enough to disable the channel: a client's call could make the upstream quote a
  // suspect text, but the gateway itself wrote the test call.
  const disableReason = fault.disableReason ?? fault.suspicion;
  return { ok: false, model, timeMs, words: fault.words(), disableReason };
}

async function tryOnce(
  { transport, options, now }: ChannelTestDeps,
  channel: ChannelView,
  { model, isStream: wantsStream }: { readonly model: string; readonly isStream: boolean },
): Promise<AttemptFault | null> {
  const { provider } = channel;
  const modality = isEmbedding(model) ? "embeddings" : "chat";
  // Embeddings are never streamed.
  const isStream = wantsStream && modality === "chat";
  const path = { modality, model, stream: isStream } as const;
  const formatId =
    clientFormatIds.find((id) => speaks(channel, id, path.modality)) ??
    clientFormatIds.find((id) => serves(channel, id, path.modality));
  if (!provider.testable || formatId === undefined) return notTestable;
  const { client } = formats[formatId];
  const bytes = new TextEncoder().encode(JSON.stringify(smallRequest(client, path)));
  const body = client.readRequest(bytes, path);
  if ("message" in body) return notTestable;
  const kind = { formatId, modality: path.modality, isStream };
  const way = openWay(channel, { ...kind, model: body.model });
  const named = { model: body.model, isStream, requestId: "test", startedAt: now() };
  // A test names no end user.
  const made = way.write({ ...named, conversation: null }, { body, bytes }, () => "");
  if ("message" in made) return notTestable;
  const written = made instanceof Uint8Array ? { bytes: made, reading: way.reading } : made;
  const answer = await send({ transport, now }, way, channel.keys[0] ?? "", written.bytes);
  if (answer.kind === "failed") return answer.fault;
  if (answer.kind === "fault") return judgeTransportFault(answer);
  const isGood = answer.status >= 200 && answer.status <= 299;
  const tested = { way, options, reading: written.reading, call: { body, format: client } };
  if (isGood && isStream) return await judgeStream(answer, tested);
  const read = await answer.readAll(answerBytesMax);
  if (!(read instanceof Uint8Array)) return judgeTransportFault(read);
  if (!isGood) return judgeStatus(channel, options, now(), answer, read);
  return judgeWhole(read, answer.mediaType, tested);
}

/** Judges a whole answer. Null: it is a good one. */
function judgeWhole(read: Uint8Array, mediaType: string, tested: Tested): AttemptFault | null {
  const { call, options, reading, way } = tested;
  const answer = reading.readWhole(call, read, mediaType);
  if (answer.kind === "whole") return null;
  const fault = judgeBadAnswer(answer.reason, way.channel, answer.error, options);
  return answer.reason === "answer-truncated"
    ? { ...fault, words: () => sayTransportFault("answer-truncated") }
    : fault;
}

type ProbeKind = { readonly modality: Modality; readonly model: string; readonly stream: boolean };

/** Makes the smallest request for the model. Some formats ask for a stream by the path. */
function smallRequest(client: ClientFormat, { modality, model, stream }: ProbeKind): object {
  const request = client.smallRequest(model, modality);
  const saysInBody = client.fields.keptByOverride.includes("stream");
  return stream && saysInBody ? { ...request, stream: true } : request;
}

/** The test call, and how its answer is read. */
type Tested = {
  readonly way: Way;
  readonly options: RelayOptions;
  readonly reading: Reading;
  readonly call: AnsweredCall;
};

/** Reads a stream to its end. Null: it is a complete one. */
async function judgeStream(answer: TransportAnswer, tested: Tested): Promise<AttemptFault | null> {
  const { call, options, reading, way } = tested;
  const { channel } = way;
  if (isWholeType(answer.mediaType) && reading.sign !== "none") {
    answer.cancel();
    const fault = judgeBadAnswer("answer-no-stream", channel, undefined, options);
    return { ...fault, words: () => noStream };
  }
  const meter = reading.openMeter(call);
  for (let left = answerBytesMax; left > 0;) {
    const chunk = await answer.read();
    if (chunk === null) break;
    if (!(chunk instanceof Uint8Array)) return judgeTransportFault(chunk);
    left -= chunk.length;
    meter.push(chunk);
    if (meter.done) break;
  }
  answer.cancel();
  return judgeEnd(meter, tested);
}

/** Judges a stream whose last bytes were read. Null: it is a complete one. */
function judgeEnd(meter: StreamMeter, { way, options }: Tested): AttemptFault | null {
  if (meter.end().complete) return null;
  const { fault } = meter;
  if (fault !== undefined) return judgeBadAnswer(fault.code, way.channel, fault, options);
  const cut = judgeBadAnswer("answer-truncated", way.channel, undefined, options);
  return { ...cut, words: () => sayTransportFault("answer-truncated") };
}

const noStream: FaultWords = { message: "上游没有以流的形式应答", field: null };

function send(
  deps: Pick<ChannelTestDeps, "now" | "transport">,
  way: Way,
  key: string,
  body: Uint8Array,
): ReturnType<typeof sendSigned> {
  const { channel, target } = way;
  if (target === null) return Promise.resolve({ kind: "failed", fault: unreachable });
  const request = {
    method: "POST",
    target,
    headers: headersTo(way, target, key, null),
    body,
    isStream: way.isStream,
    limits: channel.limits,
    cancellation: newCancellation(),
    isLastMessage: way.isLastMessage,
  } as const;
  const { sign } = channel.provider;
  return sign === undefined
    ? deps.transport(request)
    : sendSigned(deps, way, { key, sign }, request);
}

const unreachable: AttemptFault = {
  ...judgeTransportFault({ kind: "fault", code: "address-unresolved", status: 502 }),
  words: () => sayTransportFault("address-malformed"),
};

const notTestable: AttemptFault = {
  ...unreachable,
  code: "not-testable",
  words: () => ({ message: "该渠道类型不支持测试", field: null }),
};

function judgeStatus(
  channel: ChannelView,
  options: RelayOptions,
  nowMs: number,
  answer: TransportAnswer,
  read: Uint8Array,
): AttemptFault {
  const text = new TextDecoder().decode(read.subarray(0, errorBytesMax));
  return judgeBadStatus({
    channel,
    options,
    status: answer.status,
    fault: channel.provider.readFault(mapStatus(channel, answer.status), text),
    error: undefined,
    retryAfter: answer.retryAfter,
    nowMs,
    isPinned: true,
  });
}

const errorBytesMax = 64 * 1024;

/** Whether a model is an embedding model, judged by the usual names of such models. */
function isEmbedding(model: string): boolean {
  const name = model.toLowerCase();
  return name.includes("embed") || name.includes("bge-") || name.startsWith("m3e");
}
