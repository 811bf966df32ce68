/**
 * Chat completions, streamed and whole.
 * Source: https://platform.openai.com/docs/api-reference/chat and chat-streaming.
 */

import type { Answer, AnswerPart } from "@tollgate/demo/answer.ts";
import { reasoningPieces } from "./pieces.ts";

/**
 * Yields the events of a streamed chat completion, one part each; `text` is the JSON after `data:`.
 */
export function* chatEvents(answer: Answer): Generator<AnswerPart> {
  const { call, usage } = answer;
  const open = `${opening(answer, "chat.completion.chunk")},"choices":[`;
  const close = call.includeUsage ? `],"usage":null}` : "]}";
  const chunk = (index: number, delta: string, finish = "null"): string =>
    `${open}{"index":${index},"delta":{${delta}},"logprobs":null,` +
    `"finish_reason":${finish}}${close}`;

  const firstContent = answer.tool === null ? `""` : "null";
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
        text: chunk(index, before + content + after),
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
  if (answer.tool === null) {
    return { before: `"content":"`, content: answer.content.jsonAt(index), after: `"` };
  }
  if (index === 0) {
    const before = `"tool_calls":[${toolOpening(answer)}`;
    return { before, content: "", after: `"}}]` };
  }
  const before = `"tool_calls":[{"index":0,"function":{"arguments":"`;
  return { before, content: answer.content.jsonAt(index - 1), after: `"}}]` };
}

/**
 * Returns the JSON that opens a tool call. Only events of a stream have an `index`, by which later
 * events say whose arguments they continue.
 */
function toolOpening({ id, tool }: Answer, slot = `"index":0,`): string {
  const name = JSON.stringify(tool?.name ?? "");
  return `{${slot}"id":"call_${id}","type":"function","function":{"name":${name},"arguments":"`;
}

/**
 * Yields the sections of the JSON body of a chat completion that is not streamed.
 *
 * @param grouped one section for all pieces of a choice, for answers that are sent in one write.
 */
export function* chatBody(answer: Answer, grouped: boolean): Generator<AnswerPart> {
  const { call, reasoningCount, contentCount, content, tool } = answer;
  yield { kind: "start", text: `${opening(answer, "chat.completion")},"choices":[`, pieces: 0 };
  for (let index = 0; index < call.choiceCount; index += 1) {
    let open = `${index === 0 ? "" : ","}{"index":${index},"message":{"role":"assistant"`;
    if (reasoningCount > 0) {
      yield start(`${open},"reasoning_content":"`);
      yield* pieceParts(reasoningPieces(), reasoningCount, grouped);
      open = `"`;
    }
    if (tool === null || contentCount === 0) {
      yield start(`${open},"content":"`);
      yield* pieceParts(content, contentCount, grouped);
      yield finish(`","refusal":null,"annotations":[]}`, answer);
    } else {
      const call0 = `,"content":null,"refusal":null,"annotations":[],"tool_calls":[`;
      yield { kind: "piece", text: open + call0 + toolOpening(answer, ""), pieces: 1 };
      yield* pieceParts(content, contentCount - 1, grouped);
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

/** Yields the parts of an answer that contain its pieces, as JSON string text. */
export function* pieceParts(
  pieces: Answer["content"],
  count: number,
  grouped: boolean,
): Generator<AnswerPart> {
  if (grouped) {
    yield { kind: "piece", text: pieces.joined(count), pieces: count };
    return;
  }
  for (let index = 0; index < count; index += 1) {
    yield { kind: "piece", text: pieces.jsonAt(index), pieces: 1, contentAt: 0 };
  }
}

/** Yields the parts that end a JSON body: usage and the last brace. */
export function* bodyEnd({ script, usage }: Answer): Generator<AnswerPart> {
  if (usage !== null) {
    const text = `,"usage":${usage}`;
    yield { kind: "usage", text, pieces: 0, usage };
    if (script.usageTwice === true) yield { kind: "usage", text, pieces: 0 };
  }
  yield { kind: "done", text: "}", pieces: 0 };
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
