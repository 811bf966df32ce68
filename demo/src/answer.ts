/** Plans the answer to one call: its pieces and its usage. Pure. */

import type { Json } from "./json.ts";
import type { DemoCall, Tool } from "./call.ts";
import { contentPieces, type Pieces, scriptedPieceCount, textPieces } from "./answers/pieces.ts";
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
  { id, created, api }: { id: string; created: number; api: ApiFacts },
): Answer {
  const tools = toolsOf(call, script).slice(0, api.callsOne === true ? 1 : undefined);
  const pieces = tools.flatMap((tool, index) => callPieces(tool, index, script));
  const json = call.json === null ? null : textPieces(call.json);
  const events = json?.count ?? script.events ?? scriptedPieceCount;
  const wanted = pieces.length === 0 ? events : pieces.length;
  const limit = script.ignoreMaxTokens === true ? null : call.outputTokensMax;
  const allowed = limit ?? Number.POSITIVE_INFINITY;
  const reasoningWanted = api.reasons ? (script.reasoningEvents ?? 0) : 0;
  const reasoningCount = Math.min(reasoningWanted, allowed);
  const contentCount =
    script.neverEnd === true
      ? Number.POSITIVE_INFINITY
      : Math.min(wanted, allowed - reasoningCount);
  const full = reasoningCount + contentCount >= reasoningWanted + wanted;
  const promptTokens = script.promptTokens ?? call.promptTokens;
  const completionTokens = (reasoningCount + contentCount) * call.choiceCount;
  const counts: Counts = {
    promptTokens,
    completionTokens,
    reasoningTokens: script.reasoningTokens ?? reasoningCount * call.choiceCount,
  };
  return {
    call,
    script,
    id,
    created,
    promptTokens,
    reasoningCount,
    contentCount,
    content: json?.pieces ?? contentPieces(script),
    calls: pieces.length === 0 ? null : pieces.slice(0, contentCount),
    finish: !full ? "length" : pieces.length === 0 ? "stop" : "tool_calls",
    usage: writeUsage(script, () => api.usage(script, counts)),
  };
}

/** Returns the functions to call, which a script may choose. */
function toolsOf(call: DemoCall, { callOneOf }: DemoScript): readonly Tool[] {
  const chosen = callOneOf?.find(({ name }) => call.callable.includes(name));
  if (chosen === undefined) return call.tools;
  return [{ name: chosen.name, argumentsText: JSON.stringify(chosen.arguments) }];
}

function callPieces(tool: Tool, index: number, script: DemoScript): CallPiece[] {
  const pieces: CallPiece[] = [{ tool, index, text: null, isLast: false }];
  const { argumentsText } = tool;
  const length = script.lateArguments === true ? argumentsText.length : argumentPieceLength;
  for (let at = 0; at < argumentsText.length; at += length) {
    const isLast = at + length >= argumentsText.length;
    pieces.push({ tool, index, text: argumentsText.slice(at, at + length), isLast });
  }
  return pieces;
}

/** Token counts of an answer. Reasoning is a part of the completion. */
export type Counts = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
};

/** What the API of a call decides about the answer's plan. */
type ApiFacts = {
  /** Whether its answers can have reasoning. */
  readonly reasons: boolean;
  /** Whether an answer calls one function at most. */
  readonly callsOne?: boolean;
  /** Returns the usage that a correct answer reports; null: none. */
  usage(script: DemoScript, counts: Counts): Json;
};

function writeUsage(script: DemoScript, ordinary: () => Json): string | null {
  if (script.usageText !== undefined) return script.usageText;
  if (script.usage === false) return null;
  const usage = script.usage === undefined ? ordinary() : script.usage;
  return usage === null && script.usage === undefined ? null : JSON.stringify(usage);
}
