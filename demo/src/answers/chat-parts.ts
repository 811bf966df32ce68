/**
 * Chat completions, streamed and whole.
 * Source: https://platform.openai.com/docs/api-reference/chat and chat-streaming.
 */

import type { Answer, AnswerPart, CallPiece, Counts } from "@tollgate/demo/answer.ts";
import type { Json } from "@tollgate/demo/json.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import type { Api } from "./api.ts";
import { bodyEnd, pieceParts } from "./body-parts.ts";
import { openAiError, openAiErrorEvent } from "./errors.ts";
import { escapeJson, reasoningPieces } from "./pieces.ts";

/**
 * Yields the events of a streamed chat completion, one part each; `text` is the JSON after `data:`.
 */
function* chatEvents(answer: Answer): Generator<AnswerPart> {
  const { call, usage } = answer;
  const open = `${opening(answer, "chat.completion.chunk")},"choices":[`;
  const close = call.includeUsage ? `],"usage":null}` : "]}";
  const { usageFirst } = answer.script;
  const firstClose = usageFirst === undefined ? close : `],"usage":${JSON.stringify(usageFirst)}}`;
  const chunk = (index: number, delta: string, finish = "null", end = close): string =>
    `${open}{"index":${index},"delta":{${delta}},"logprobs":null,` +
    `"finish_reason":${finish}}${end}`;

  const firstContent = answer.calls === null ? `""` : "null";
  for (let index = 0; index < call.choiceCount; index += 1) {
    const text = chunk(index, `"role":"assistant","content":${firstContent},"refusal":null`);
    yield { kind: "start", text, pieces: 0 };
  }
  const total = answer.reasoningCount + answer.contentCount;
  for (let piece = 0; piece < total; piece += 1) {
    for (let index = 0; index < call.choiceCount; index += 1) {
      const { before, content, after } = deltaOf(answer, piece);
      yield {
        kind: "piece",
        text: chunk(index, before + content + after, "null", piece === 0 ? firstClose : close),
        pieces: 1,
        contentAt: open.length + `{"index":${index},"delta":{`.length + before.length,
      };
    }
  }
  for (let index = 0; index < call.choiceCount; index += 1) {
    yield { kind: "finish", text: chunk(index, "", `"${answer.finish}"`), pieces: 0 };
  }
  if (!call.includeUsage || usage === null) return;
  const text = `${open}],"usage":${usage}}`;
  yield { kind: "usage", text, pieces: 0, usage };
  if (answer.script.usageTwice === true) yield { kind: "usage", text, pieces: 0 };
}

/** The JSON of a delta, divided into what is before its text, the text, and what is after it. */
type Delta = { readonly before: string; readonly content: string; readonly after: string };

function deltaOf(answer: Answer, piece: number): Delta {
  if (piece < answer.reasoningCount) {
    const content = reasoningPieces().jsonAt(piece);
    return { before: `"reasoning_content":"`, content, after: `"` };
  }
  const index = piece - answer.reasoningCount;
  const call = answer.calls?.[index];
  if (call === undefined) {
    return { before: `"content":"`, content: answer.content.jsonAt(index), after: `"` };
  }
  if (call.text === null) {
    const before = `"tool_calls":[${callOpening(answer, call, `"index":${call.index},`)}`;
    return { before, content: "", after: `"}}]` };
  }
  const before = `"tool_calls":[{"index":${call.index},"function":{"arguments":"`;
  return { before, content: escapeJson(call.text), after: `"}}]` };
}

/**
 * Returns the JSON that opens a call.
 *
 * @param slot the member `index`, which only events of a stream have: later events say by it whose
 *   arguments they continue.
 */
function callOpening({ id }: Answer, { tool, index }: CallPiece, slot: string): string {
  const name = JSON.stringify(tool.name);
  const opening = `{${slot}"id":"${callId(id, index)}","type":"function"`;
  return `${opening},"function":{"name":${name},"arguments":"`;
}

export function callId(answerId: string, index: number): string {
  return `call_${answerId}${index === 0 ? "" : index}`;
}

/**
 * Yields the sections of the JSON body of a chat completion that is not streamed.
 *
 * @param grouped one section for all pieces of a choice, for answers that are sent in one write.
 */
function* chatBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { call, reasoningCount, contentCount, content, calls } = answer;
  yield { kind: "start", text: `${opening(answer, "chat.completion")},"choices":[`, pieces: 0 };
  for (let index = 0; index < call.choiceCount; index += 1) {
    let open = `${index === 0 ? "" : ","}{"index":${index},"message":{"role":"assistant"`;
    if (reasoningCount > 0) {
      yield start(`${open},"reasoning_content":"`);
      yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
      open = `"`;
    }
    if (calls === null || contentCount === 0) {
      yield start(`${open},"content":"`);
      yield* pieceParts(content, contentCount, grouped);
      yield finish(`","refusal":null,"annotations":[]}`, answer);
    } else {
      yield start(`${open},"content":null,"refusal":null,"annotations":[],"tool_calls":[`);
      for (const each of calls) {
        const text = each.text === null ? callOpening(answer, each, "") : escapeJson(each.text);
        const comma = each.text === null && each.index > 0 ? `"}},` : "";
        yield { kind: "piece", text: comma + text, pieces: 1 };
      }
      yield finish(`"}}]}`, answer);
    }
  }
  yield { kind: "finish", text: "]", pieces: 0 };
  yield* bodyEnd(answer);
}

function start(text: string): AnswerPart {
  return { kind: "start", text, pieces: 0 };
}

function finish(closing: string, answer: Answer): AnswerPart {
  const text = `${closing},"logprobs":null,"finish_reason":"${answer.finish}"}`;
  return { kind: "finish", text, pieces: 0 };
}

/**
 * Returns the members that every object of an answer begins with. The fingerprint says that the
 * answer is scripted.
 */
function opening(answer: Answer, object: string): string {
  const { id, created, call } = answer;
  return (
    `{"id":"chatcmpl-${id}","object":"${object}","created":${created},` +
    `"model":${JSON.stringify(call.model)},"service_tier":"default",` +
    `"system_fingerprint":"fp_demo_scripted"`
  );
}

/** @see https://platform.openai.com/docs/api-reference/chat/object (wire-format of `usage`). */
function chatUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: script.cachedTokens ?? 0,
      audio_tokens: script.audioInputTokens ?? 0,
      ...(script.cacheWriteTokens === undefined
        ? {}
        : { cache_write_tokens: script.cacheWriteTokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: script.audioOutputTokens ?? 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

export const chat: Api = {
  framing: "events",
  chunk: "chat.completion.chunk",
  reasons: true,
  events: chatEvents,
  body: chatBody,
  usage: chatUsage,
  errorBody: (_, error) => openAiError(error),
  errorEvent: openAiErrorEvent,
};
