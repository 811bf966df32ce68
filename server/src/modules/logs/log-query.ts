/** Reads the filters of a request for the log, and writes its rows for those who may see them. */

import { type Log, logSorts } from "@tollgate/contract/endpoints/logs.ts";
import { blanksFor } from "@tollgate/contract/logs/fields.ts";
import { type LogFilter, withoutToken } from "./log-filter.repo.ts";
import type { NamedLogRow } from "./logs.repo.ts";

/** The parsed fields of a request for logs, from which a filter is made. */
export type LogQuery = {
  readonly type?: number | undefined;
  readonly username?: string;
  readonly token_name?: string;
  readonly token_id?: number | undefined;
  readonly model_name?: string;
  readonly start_timestamp?: number | undefined;
  readonly end_timestamp?: number | undefined;
  readonly channel?: number | undefined;
  readonly channel_name?: string;
  readonly group?: string;
  readonly key?: string;
  readonly after_id?: number | undefined;
  readonly request_id?: string;
  readonly usage_source?: string;
  readonly quota_min?: number | undefined;
  readonly conversation_id?: number | undefined;
  readonly ending?: string;
  readonly tag?: string;
  readonly sort?: string;
};

/** Makes the filter of a request. */
export function readFilter(
  sent: LogQuery,
  userId: number | null,
  lookupOf: (key: string) => string,
): LogFilter {
  const key = (sent.key ?? "").replace(/^sk-/, "");
  return {
    userId,
    username: sent.username ?? "",
    lookup: key === "" ? null : lookupOf(key),
    tokenName: sent.token_name ?? "",
    tokenId: Math.max(withoutToken, sent.token_id ?? 0),
    modelName: sent.model_name ?? "",
    type: Math.max(0, sent.type ?? 0),
    start: Math.max(0, sent.start_timestamp ?? 0),
    end: Math.max(0, sent.end_timestamp ?? 0),
    channel: Math.max(0, sent.channel ?? 0),
    channelName: sent.channel_name ?? "",
    group: sent.group ?? "",
    afterId: Math.max(0, sent.after_id ?? 0),
    requestId: sent.request_id ?? "",
    usageSource: sent.usage_source ?? "",
    quotaMin: Math.max(0, sent.quota_min ?? 0),
    conversationId: Math.max(0, sent.conversation_id ?? 0),
    ending: sent.ending ?? "",
    tag: sent.tag ?? "",
    ...sortOf(sent.sort ?? ""),
  };
}

function sortOf(sent: string): Pick<LogFilter, "sort"> {
  const by = logSorts.find((name) => sent === name || sent === `-${name}`);
  if (by === undefined) return {};
  return { sort: { by, order: sent === by ? "asc" : "desc" } };
}

/** Writes a row for its own user. */
export function showOwnLog(row: NamedLogRow) {
  return {
    ...row,
    channel: 0,
    channel_name: "" as const,
    is_stream: row.is_stream === 1,
    other: withoutAdminInfo(row.other),
    losses: row.losses === "" ? [] : readNames(row.losses),
    tool_names: row.tool_names === "" ? [] : readNames(row.tool_names),
    tags: [...row.tags],
    reversed: row.reversed === 1,
  };
}

/** Writes a row for admins, or for root. */
export function showLog(row: NamedLogRow, asRoot: boolean): Log {
  return {
    ...showOwnLog(row),
    ...(asRoot ? {} : blanksFor("root")),
    channel: row.channel,
    channel_name: row.channel_name ?? "",
    other: asRoot ? row.other : withoutAdminInfo(row.other),
  };
}

/**
 * Removes `admin_info` from the JSON text `other`, because only root may see which channels were
 * tried. A text that mentions it but is no JSON object becomes empty.
 */
function withoutAdminInfo(other: string): string {
  if (!other.includes("admin_info")) return other;
  const value = parseJson(other);
  if (typeof value !== "object" || value === null) return "";
  return JSON.stringify({ ...value, admin_info: undefined });
}

function readNames(json: string): string[] {
  const value = parseJson(json);
  return Array.isArray(value) ? value.map(String) : [];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
