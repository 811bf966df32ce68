/** Makes what is shown of a conversation from the log rows of its turns. */

import {
  type Conversation,
  type ConversationTurn,
  type SharedConversation,
  turnsListedMax,
  turnsSummedMax,
} from "@tollgate/contract/endpoints/conversations.ts";
import { cachedTokensOf, savedByPromptCache } from "@tollgate/contract/logs/cached-tokens.ts";
import { type LogOther, logOther } from "@tollgate/contract/logs/log-other.ts";
import type { TurnRow } from "./conversations.repo.ts";

const failed = 5;

type Turns = Pick<Conversation, "is_cut" | "sums" | "turns">;

/** @param rows newest first, at least one, and one more than are summed if there are more. */
export function toldTurns(rows: readonly TurnRow[], channels: ReadonlyMap<number, string>): Turns {
  const summed = rows.slice(0, turnsSummedMax);
  const sums = {
    calls: 0,
    failures: 0,
    quota: 0,
    prompt_tokens: 0,
    cached_tokens: 0,
    completion_tokens: 0,
    saved_quota: 0,
    moved_quota: 0,
    first_at: Infinity,
    last_at: 0,
  };
  const turns: ConversationTurn[] = [];
  let next: TurnRow | null = null;
  for (const row of summed) {
    const other = readOther(row.other);
    const turn = toldTurn(row, other, { channels, next });
    next = row;
    if (turns.length < turnsListedMax) turns.push(turn);
    sums.calls += 1;
    sums.failures += turn.failed ? 1 : 0;
    sums.quota += turn.quota;
    sums.prompt_tokens += turn.prompt_tokens;
    sums.cached_tokens += turn.cached_tokens;
    sums.completion_tokens += turn.completion_tokens;
    sums.saved_quota += savedByPromptCache(other);
    sums.moved_quota += turn.moved_quota;
    sums.first_at = Math.min(sums.first_at, turn.started_at);
    sums.last_at = Math.max(sums.last_at, row.created_at);
  }
  return { sums, is_cut: rows.length > summed.length, turns: turns.toReversed() };
}

type Beside = {
  readonly channels: ReadonlyMap<number, string>;
  /** The turn that followed, which brought the results of tools; null: none has. */
  readonly next: TurnRow | null;
};

function toldTurn(
  row: TurnRow,
  { frt = -1 }: LogOther,
  { channels, next }: Beside,
): ConversationTurn {
  const isFailed = row.type === failed;
  return {
    id: row.id,
    request_id: row.request_id,
    token_name: row.token_name,
    started_at: row.created_at - row.use_time,
    seconds: row.use_time,
    first_byte_ms: frt < 0 ? null : Math.round(frt),
    model_name: row.model_name,
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    cached_tokens: cachedTokensOf(row.usage),
    completion_tokens: row.completion_tokens,
    placement: row.placement,
    moved_quota: row.moved_quota,
    failed: isFailed,
    tools: isFailed ? [] : namesIn(next?.tool_names ?? ""),
    error: isFailed ? row.content : "",
    channel: row.channel,
    channel_name: channels.get(row.channel) ?? "",
  };
}

function readOther(text: string): LogOther {
  try {
    const read = logOther.safeParse(JSON.parse(text));
    return read.success ? read.data : {};
  } catch {
    return {};
  }
}

/** Reads a JSON array of names, as the relay has written it. */
function namesIn(text: string): string[] {
  if (text === "") return [];
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.map(String) : [];
}

/** Leaves out whose a conversation is, and everything that leads to it. */
export function withoutNames({ is_cut, sums, turns }: Turns): SharedConversation {
  return {
    sums,
    is_cut,
    turns: turns.map((turn) => ({
      started_at: turn.started_at,
      seconds: turn.seconds,
      first_byte_ms: turn.first_byte_ms,
      model_name: turn.model_name,
      quota: turn.quota,
      prompt_tokens: turn.prompt_tokens,
      cached_tokens: turn.cached_tokens,
      completion_tokens: turn.completion_tokens,
      placement: turn.placement,
      moved_quota: turn.moved_quota,
      failed: turn.failed,
    })),
  };
}
