/** Plans the answer to one call: its pieces and its usage. Pure. */

import type { Json } from "./json.ts";
import type { DemoCall, Tool } from "./call.ts";
import { contentPieces, type Pieces, scriptedPieceCount } from "./answers/pieces.ts";
import type { DemoScript } from "./script.ts";

export type Answer = {
  readonly call: DemoCall;
  readonly script: DemoScript;
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly promptTokens: number;
  /**
   * Numbers of reasoning and content pieces in each choice; `contentCount` is infinite if the
   * answer never ends.
   */
  readonly reasoningCount: number;
  readonly contentCount: number;
  readonly content: Pieces;
  /** The pieces of the answer's calls, as many as the content has; null: the content is text. */
  readonly calls: readonly CallPiece[] | null;
  readonly finish: "stop" | "length" | "tool_calls";
  /**
   * The usage as the script gives it, which need not be valid JSON. Null: the answer has no usage.
   */
  readonly usage: string | null;
};

/** A piece of a call of a function. */
export type CallPiece = {
  readonly tool: Tool;
  /** Number of the call in the answer, from 0. */
  readonly index: number;
  /** The next part of the arguments' text; null: the call begins with its name. */
  readonly text: string | null;
  readonly isLast: boolean;
};

/**
 * One event of a stream, or one section of a JSON body. Streamed and whole answers have the same
 * parts in the same order, so that a script can cut both at the same places.
 */
export type AnswerPart = {
  readonly kind: "start" | "piece" | "finish" | "usage" | "done";
  /** Name of the event, for streams whose events have names. */
  readonly event?: string;
  readonly text: string;
  /** Number of output tokens in this part. */
  readonly pieces: number;
  /**
   * Index in `text` where the content begins. Scripts that make the first piece longer insert text
   * there.
   */
  readonly contentAt?: number;
  /** The usage in this part, as it is written; absent: the part has none. */
  readonly usage?: string;
};

/** How many characters of a tool call's arguments one piece has. */
const argumentPieceLength = 8;

export function planAnswer(
  call: DemoCall,
  script: DemoScript,
  { id, created }: { id: string; created: number },
): Answer {
  const pieces = call.tools.flatMap(callPieces);
  const wanted = pieces.length === 0 ? (script.events ?? scriptedPieceCount) : pieces.length;
  const limit = script.ignoreMaxTokens === true ? null : call.outputTokensMax;
  const allowed = limit ?? Number.POSITIVE_INFINITY;
  const reasons = call.route !== "completions" && call.route !== "embeddings";
  const reasoningWanted = reasons ? (script.reasoningEvents ?? 0) : 0;
  const reasoningCount = Math.min(reasoningWanted, allowed);
  const contentCount =
    script.neverEnd === true
      ? Number.POSITIVE_INFINITY
      : Math.min(wanted, allowed - reasoningCount);
  const full = reasoningCount + contentCount >= reasoningWanted + wanted;
  const promptTokens = script.promptTokens ?? call.promptTokens;
  const completionTokens = (reasoningCount + contentCount) * call.choiceCount;
  return {
    call,
    script,
    id,
    created,
    promptTokens,
    reasoningCount,
    contentCount,
    content: contentPieces(script),
    calls: pieces.length === 0 ? null : pieces.slice(0, contentCount),
    finish: !full ? "length" : pieces.length === 0 ? "stop" : "tool_calls",
    usage: writeUsage(call, script, {
      promptTokens,
      completionTokens,
      reasoningTokens: script.reasoningTokens ?? reasoningCount * call.choiceCount,
    }),
  };
}

function callPieces(tool: Tool, index: number): CallPiece[] {
  const pieces: CallPiece[] = [{ tool, index, text: null, isLast: false }];
  const { argumentsText } = tool;
  for (let at = 0; at < argumentsText.length; at += argumentPieceLength) {
    const isLast = at + argumentPieceLength >= argumentsText.length;
    pieces.push({ tool, index, text: argumentsText.slice(at, at + argumentPieceLength), isLast });
  }
  return pieces;
}

type Counts = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
};

function writeUsage(call: DemoCall, script: DemoScript, counts: Counts): string | null {
  if (script.usageText !== undefined) return script.usageText;
  if (script.usage === false) return null;
  return JSON.stringify(
    script.usage === undefined ? ordinaryUsage(call, script, counts) : script.usage,
  );
}

/** Returns the usage that a correct answer reports. */
function ordinaryUsage(call: DemoCall, script: DemoScript, counts: Counts): Json {
  switch (call.route) {
    case "gemini":
      return geminiUsage(script, counts);
    case "messages":
      return messagesUsage(script, counts);
    case "responses":
      return responsesUsage(script, counts);
    case "chat":
    case "completions":
    case "embeddings":
      return chatUsage(call, script, counts);
  }
}

/** Source: https://ai.google.dev/api/generate-content#UsageMetadata. */
function geminiUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: Math.max(0, completionTokens - reasoningTokens),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: script.cachedTokens ?? 0,
    totalTokenCount: promptTokens + completionTokens,
  };
}

/** Source: https://docs.anthropic.com/en/api/messages (`usage`: `input_tokens` are the uncached ones). */
function messagesUsage(script: DemoScript, counts: Counts): Json {
  const { cachedTokens = 0, cacheWriteTokens = 0 } = script;
  return {
    input_tokens: counts.promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: counts.completionTokens,
  };
}

/** Source: https://platform.openai.com/docs/api-reference/responses/object (`usage`). */
function responsesUsage(script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: script.cachedTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

/**
 * Source: https://platform.openai.com/docs/api-reference/chat/object (wire-format of `usage`).
 */
function chatUsage(call: DemoCall, script: DemoScript, counts: Counts): Json {
  const { promptTokens, completionTokens, reasoningTokens } = counts;
  if (call.route === "embeddings") {
    return { prompt_tokens: promptTokens, total_tokens: promptTokens };
  }
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
