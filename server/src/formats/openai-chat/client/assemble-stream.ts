/** Puts a stream together, as a person reads it. */

import type { Frame } from "#base/frames/frame.ts";
import { parseForeign } from "#base/json.ts";
import { openSseReader } from "#base/sse.ts";

type ToolCall = { id: string; type: string; function: { name: string; arguments: string } };

/** A choice while its pieces are put together. */
type Choice = {
  text: string;
  reasoning: string;
  refusal: string;
  readonly toolCalls: Map<number, ToolCall>;
  finishReason: string | null;
};

/** More choices and tool calls than these are left out: no real answer has as many. */
const choicesMax = 128;
const toolCallsMax = 128;

/**
 * Returns the text of a stream, and with tool calls, reasoning, several choices or an error the
 * JSON of a whole answer. Bytes that are not a stream are returned as the text that they are.
 */
export function assembleStream(bytes: Uint8Array): string {
  const choices = new Map<number, Choice>();
  const errors: unknown[] = [];
  let isStream = false;
  for (const { data } of framesOf(bytes)) {
    isStream = true;
    const chunk = parse(data);
    if (!isRecord(chunk)) continue;
    if (chunk["error"] !== undefined) errors.push(chunk["error"]);
    for (const piece of listOf(chunk["choices"])) addPiece(choices, piece);
  }
  if (!isStream) return new TextDecoder().decode(bytes);
  const [only, ...others] = choices.values();
  const isPlain =
    others.length === 0 &&
    errors.length === 0 &&
    (only === undefined || (only.reasoning + only.refusal === "" && only.toolCalls.size === 0));
  if (isPlain) return only?.text ?? "";
  const shown = [...choices].map(([index, choice]) => ({ index, ...showChoice(choice) }));
  return JSON.stringify({ choices: shown, ...(errors.length > 0 ? { error: errors[0] } : {}) });
}

/** Returns the events of a stream, also of one that was cut off. */
function framesOf(bytes: Uint8Array): readonly Frame[] {
  const reader = openSseReader();
  try {
    return [...reader.push(bytes), ...reader.end()];
  } catch {
    return [];
  }
}

function addPiece(choices: Map<number, Choice>, piece: unknown): void {
  if (!isRecord(piece)) return;
  const index = Number(piece["index"] ?? 0);
  const choice = choices.get(index) ?? newChoice();
  if (choices.size >= choicesMax && !choices.has(index)) return;
  choices.set(index, choice);
  // A text completion has `text` in place of `delta`.
  choice.text += textOf(piece["text"]);
  if (typeof piece["finish_reason"] === "string") choice.finishReason = piece["finish_reason"];
  const delta = piece["delta"];
  if (!isRecord(delta)) return;
  choice.text += textOf(delta["content"]);
  choice.reasoning += textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
  choice.refusal += textOf(delta["refusal"]);
  for (const call of listOf(delta["tool_calls"])) addToolCall(choice.toolCalls, call);
}

function addToolCall(calls: Map<number, ToolCall>, piece: unknown): void {
  if (!isRecord(piece)) return;
  const index = Number(piece["index"] ?? 0);
  if (calls.size >= toolCallsMax && !calls.has(index)) return;
  const call = calls.get(index) ?? { id: "", type: "", function: { name: "", arguments: "" } };
  calls.set(index, call);
  call.id ||= textOf(piece["id"]);
  call.type ||= textOf(piece["type"]);
  const made = piece["function"];
  if (!isRecord(made)) return;
  call.function.name += textOf(made["name"]);
  call.function.arguments += textOf(made["arguments"]);
}

function newChoice(): Choice {
  return { text: "", reasoning: "", refusal: "", toolCalls: new Map(), finishReason: null };
}

function showChoice({ text, reasoning, refusal, toolCalls, finishReason }: Choice): object {
  const message = {
    role: "assistant",
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    content: text,
    ...(refusal === "" ? {} : { refusal }),
    ...(toolCalls.size === 0 ? {} : { tool_calls: [...toolCalls.values()] }),
  };
  return { message, finish_reason: finishReason };
}

function parse(text: string): unknown {
  try {
    return parseForeign(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
