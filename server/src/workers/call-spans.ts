/**
 * Makes OpenTelemetry spans of ended calls: one of the call, and one of each attempt at a channel
 * below it. Names of attributes are those of the GenAI conventions where these have one.
 */

import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { TracedAttempt, TracedCall } from "#canonical/call-trace.ts";
import type { Modality } from "#canonical/modality.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";

const operations: Readonly<Record<Modality, string>> = {
  chat: "chat",
  compact: "chat",
  completions: "text_completion",
  embeddings: "embeddings",
  "image-edits": "generate_content",
  "image-variations": "generate_content",
  images: "generate_content",
  moderations: "moderation",
  realtime: "chat",
  rerank: "rerank",
  speech: "speech",
  transcriptions: "transcription",
  translations: "transcription",
};

export function addSpans(tracer: Tracer, call: TracedCall): void {
  const operation = operations[call.modality];
  const { admitted } = call;
  const name = admitted === null ? operation : `${operation} ${admitted.model}`;
  const span = tracer.startSpan(
    name,
    {
      kind: SpanKind.SERVER,
      startTime: call.startedAt,
      attributes: { "gen_ai.operation.name": operation, ...attributesOf(call) },
    },
    parentContext(call.parent),
  );
  const context = trace.setSpan(ROOT_CONTEXT, span);
  for (const attempt of admitted?.attempts ?? []) addAttempt(tracer, context, operation, attempt);
  endWith(span, call.fault, call.endedAt);
}

function addAttempt(
  tracer: Tracer,
  context: Context,
  operation: string,
  { channelId, endedAt, fault, model, provider, startedAt }: TracedAttempt,
): void {
  const attributes = {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
    "tollgate.channel.id": channelId,
  };
  const about = { kind: SpanKind.CLIENT, startTime: startedAt, attributes };
  endWith(tracer.startSpan(`${operation} ${model}`, about, context), fault, endedAt);
}

function endWith(span: Span, fault: string, endedAt: number): void {
  if (fault !== "") {
    span.setAttribute("error.type", fault);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(endedAt);
}

function attributesOf({ admitted, firstByteMs, isStream, requestId, status }: TracedCall) {
  const common: Attributes = {
    "gen_ai.request.stream": isStream,
    "http.response.status_code": status,
    "tollgate.request.id": requestId,
  };
  if (firstByteMs !== null) {
    common["gen_ai.response.time_to_first_chunk"] = firstByteMs / 1_000;
  }
  if (admitted === null) return common;
  const { attempts, charged, group, model, tokenId, userId } = admitted;
  const last = attempts.at(-1);
  const known: Attributes = {
    ...common,
    "gen_ai.request.model": model,
    "tollgate.group": group,
    "tollgate.user.id": userId,
    "tollgate.token.id": tokenId,
    "tollgate.attempts": attempts.length,
  };
  if (last !== undefined) {
    known["gen_ai.provider.name"] = last.provider;
    known["tollgate.channel.id"] = last.channelId;
  }
  if (charged === null) return known;
  const { dollars, quota, usage } = charged;
  return {
    ...known,
    "gen_ai.usage.input_tokens": inputOf(usage),
    "gen_ai.usage.output_tokens": outputOf(usage),
    "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite5m + usage.cacheWrite1h,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    "tollgate.cost.quota": quota,
    "tollgate.cost.usd": dollars,
  };
}

/** Version 00 of the W3C's header `traceparent`: trace id, span id, flags. */
const parentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * The span of the client that made the call, if it names one. Whether the client samples its trace
 * does not matter here: this gateway has decided whether it traces the call.
 */
function parentContext(parent: string): Context {
  const [, traceId, spanId] = parentForm.exec(parent) ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}
