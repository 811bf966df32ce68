/**
 * Answers of Amazon Bedrock's InvokeModel: each event of the model's own API is packed into a chunk.
 * Claude speaks Messages, Nova almost Converse.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import type { Api } from "@tollgate/demo/answers/api.ts";
import { admitSigned, converse } from "./converse-parts.ts";
import { messages } from "@tollgate/demo/answers/messages-parts.ts";

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

const invokeClaude: Api = {
  ...messages,
  admit: admitSigned,
  framing,
  events: claudeEvents,
  errorBody,
  errorEvent,
};

/** A body of Claude says so. */
export const invoke: Api = {
  ...converse,
  events: novaEvents,
  ofBody: (body) => (body["anthropic_version"] === undefined ? invoke : invokeClaude),
};
