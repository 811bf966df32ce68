/**
 * The older text completions, streamed and whole.
 * Source: https://platform.openai.com/docs/api-reference/completions.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import type { Api } from "./api.ts";
import { bodyEnd, pieceParts } from "./body-parts.ts";
import { chat } from "./chat-parts.ts";

/** Yields the events of a streamed completion, one part each; `text` is the JSON after `data:`. */
function* completionEvents(answer: Answer): Generator<AnswerPart> {
  const { call, usage, contentCount, content } = answer;
  const open = `${opening(answer)},"choices":[`;
  const close = call.includeUsage ? `],"usage":null}` : "]}";
  const chunk = (index: number, text: string, finish: string): string =>
    `${open}{"text":"${text}","index":${index},"logprobs":null,` +
    `"finish_reason":${finish}}${close}`;

  const contentAt = open.length + `{"text":"`.length;
  for (let piece = 0; piece < contentCount; piece += 1) {
    for (let index = 0; index < call.choiceCount; index += 1) {
      const text = chunk(index, content.jsonAt(piece), "null");
      yield { kind: "piece", text, pieces: 1, contentAt };
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

/**
 * Yields the sections of the JSON body of a text completion that is not streamed. If `grouped`, all
 * pieces of a choice are in one section.
 */
function* completionBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { call, contentCount, content } = answer;
  yield { kind: "start", text: `${opening(answer)},"choices":[`, pieces: 0 };
  for (let index = 0; index < call.choiceCount; index += 1) {
    yield { kind: "start", text: `${index === 0 ? "" : ","}{"text":"`, pieces: 0 };
    yield* pieceParts(content, contentCount, grouped);
    const text = `","index":${index},"logprobs":null,"finish_reason":"${answer.finish}"}`;
    yield { kind: "finish", text, pieces: 0 };
  }
  yield { kind: "finish", text: "]", pieces: 0 };
  yield* bodyEnd(answer);
}

function opening({ id, created, call }: Answer): string {
  return (
    `{"id":"cmpl-${id}","object":"text_completion","created":${created},` +
    `"model":${JSON.stringify(call.model)},"system_fingerprint":"fp_demo_scripted"`
  );
}

export const completions: Api = {
  ...chat,
  texts: "prompt",
  chunk: "text_completion",
  reasons: false,
  events: completionEvents,
  body: completionBody,
};
