/** Plans the answer to one call: its pieces and its usage. Pure. */

import type { Json } from "./json.ts";
import type { DemoCall, Tool } from "./call.ts";
import { contentPieces, cutPieces, type Pieces, scriptedPieceCount } from "./answers/pieces.ts";
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
  /**
   * The tool to call: piece 0 is its name, the rest are its arguments. Null: the content is text.
   */
  readonly tool: Tool | null;
  readonly finish: "stop" | "length" | "tool_calls";
  /**
   * The usage as the script gives it, which need not be valid JSON. Null: the answer has no usage.
   */
  readonly usage: string | null;
};

/**
 * One event of a stream, or one section of a JSON body. Streamed and whole answers have the same
 * parts in the same order, so that a script can cut both at the same places.
 */
export type AnswerPart = {
  readonly kind: "start" | "piece" | "finish" | "usage" | "done";
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
  const { tool } = call;
  const content =
    tool === null ? contentPieces(script) : cutPieces(tool.argumentsText, argumentPieceLength);
  const wanted =
    tool === null
      ? (script.events ?? scriptedPieceCount)
      : 1 + Math.ceil(tool.argumentsText.length / argumentPieceLength);
  const limit = script.ignoreMaxTokens === true ? null : call.outputTokensMax;
  const allowed = limit ?? Number.POSITIVE_INFINITY;
  const reasoningWanted = call.route === "chat" ? (script.reasoningEvents ?? 0) : 0;
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
    content,
    tool,
    finish: !full ? "length" : tool === null ? "stop" : "tool_calls",
    usage: writeUsage(call, script, {
      promptTokens,
      completionTokens,
      reasoningTokens: script.reasoningTokens ?? reasoningCount * call.choiceCount,
    }),
  };
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

/**
 * Returns the usage that a correct answer reports. Source:
 * https://platform.openai.com/docs/api-reference/chat/object (wire-format of `usage`).
 */
function ordinaryUsage(call: DemoCall, script: DemoScript, counts: Counts): Json {
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
