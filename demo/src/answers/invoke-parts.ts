/**
 * Answers of Amazon Bedrock's InvokeModel: each event of the model's own API is packed into a chunk.
 * Claude speaks Messages, Nova almost Converse.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import type { Api } from "./api.ts";
import { converse } from "./converse-parts.ts";
import { messages } from "./messages-parts.ts";

function chunk(part: AnswerPart, text: string): AnswerPart {
  const bytes = Buffer.from(text).toString("base64");
  const { contentAt: _, ...rest } = part;
  return { ...rest, event: "chunk", text: JSON.stringify({ bytes }) };
}

function* claudeEvents(answer: Answer): Generator<AnswerPart> {
  const { contentCount, promptTokens, reasoningCount, usage } = answer;
  const counts = { inputTokenCount: promptTokens, outputTokenCount: reasoningCount + contentCount };
  const metrics = `,"amazon-bedrock-invocationMetrics":${JSON.stringify(counts)}}`;
  for (const part of messages.events(answer)) {
    const isLast = part.kind === "done" && usage !== null;
    yield chunk(part, isLast ? part.text.slice(0, -1) + metrics : part.text);
  }
}

function* novaEvents(answer: Answer): Generator<AnswerPart> {
  for (const part of converse.events(answer)) {
    yield chunk(part, `{"${part.event ?? ""}":${part.text}}`);
  }
}

const { framing, errorBody, errorEvent } = converse;

export const invokeClaude: Api = {
  ...messages,
  framing,
  events: claudeEvents,
  errorBody,
  errorEvent,
};

export const invokeNova: Api = { ...converse, events: novaEvents };
