/** Tests a channel with one small call that no user is charged for. */

import type { RequestBody } from "#formats/format.ts";
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
import {
  headersTo,
  openWay,
  serves,
  speaks,
  translate,
  type Way,
} from "#relay/stages/translate.ts";
import { sendSigned } from "#relay/stages/signed-request.ts";
import { type Translated, translateAnswer, translateRequest } from "#relay/stages/translation.ts";
import { type FaultWords, sayTransportFault } from "#relay/stages/fault-words.ts";
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
 * as for a client's call.
 */
export async function testChannel(
  deps: ChannelTestDeps,
  channel: ChannelView,
  wanted: string | null,
): Promise<ChannelTest> {
  const model = wanted || channel.testModel || [...channel.models][0] || modelDefault;
  const startedMs = deps.nowMs();
  const fault = await tryOnce(deps, channel, model);
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
  model: string,
): Promise<AttemptFault | null> {
  const { provider } = channel;
  const modality = isEmbedding(model) ? "embeddings" : "chat";
  const path = { modality, model, stream: false } as const;
  const formatId =
    clientFormatIds.find((id) => speaks(channel, id, path.modality)) ??
    clientFormatIds.find((id) => serves(channel, id, path.modality));
  if (!provider.testable || formatId === undefined) return notTestable;
  const { client } = formats[formatId];
  const bytes = new TextEncoder().encode(JSON.stringify(client.smallRequest(model, path.modality)));
  const body = client.readRequest(bytes, path);
  if ("message" in body) return notTestable;
  const kind = { formatId, modality: path.modality, isStream: false };
  const way = openWay(channel, { ...kind, model: body.model });
  const asked = writeTest(way, bytes, body, now());
  if (asked === undefined) return notTestable;
  const answer = await send({ transport, now }, way, channel.keys[0] ?? "", asked.bytes);
  if (answer.kind === "failed") return answer.fault;
  if (answer.kind === "fault") return judgeTransportFault(answer);
  const read = await answer.readAll(answerBytesMax);
  if (!(read instanceof Uint8Array)) return judgeTransportFault(read);
  if (answer.status < 200 || answer.status > 299) {
    return judgeStatus(channel, options, now(), answer, read);
  }
  const { translated } = asked;
  const { fault } =
    translated === null ? meterAnswer(read, way) : translateAnswer(translated, read);
  return fault === undefined ? null : judgeBadAnswer(fault.code, channel, fault, options);
}

type TestRequest = { readonly bytes: Uint8Array; readonly translated: Translated | null };

/** Writes the request in the upstream's format. Undefined: the format cannot carry it. */
function writeTest(
  way: Way,
  bytes: Uint8Array,
  body: RequestBody,
  nowMs: number,
): TestRequest | undefined {
  const { translation } = way;
  if (translation === null) return { bytes: translate(way, bytes, body), translated: null };
  const call = {
    body,
    bytes,
    isStream: false,
    model: body.model,
    requestId: "test",
    startedAt: nowMs,
  };
  const made = translateRequest(way, translation, call);
  return "message" in made ? undefined : made;
}

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
    isStream: false,
    limits: channel.limits,
    cancellation: newCancellation(),
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
