/** Stored tasks as platforms read them, and the addresses of results that clients are given. */

import type { DrawingSettings } from "#platforms/desk.ts";
import type { Platform, StoredTask } from "#platforms/platform.ts";
import type { TaskRow } from "./tasks.ts";

export function storedTask(row: TaskRow): StoredTask {
  return {
    id: row.task_id,
    platform: row.platform,
    action: row.action,
    model: row.model_name,
    upstreamId: row.upstream_id,
    status: row.status,
    code: row.code,
    progress: row.progress,
    prompt: row.prompt,
    promptEn: row.prompt_en,
    description: row.description,
    state: row.state,
    failReason: row.fail_reason,
    url: row.result_url,
    data: readData(row.data),
    submitTime: row.submit_time,
    startTime: row.start_time,
    finishTime: row.finish_time,
  };
}

/** Reads `data` of a row, which this program wrote. */
function readData(text: string): Readonly<Record<string, unknown>> {
  const data: unknown = JSON.parse(text);
  return typeof data === "object" && data !== null ? { ...data } : {};
}

type LinkRules = {
  /** Whether the result leads through this server. */
  readonly streams: boolean;
  /** The public address of this server; empty: it is not known. */
  readonly serverAddress: string;
  readonly drawing: DrawingSettings | null;
};

/** Returns the address of a result for clients; empty: there is none. */
export function linkOf(platform: Platform, task: StoredTask, rules: LinkRules): string {
  if (task.url === "") return "";
  const own = platform.linkOf?.(task.id);
  // A result without an address of its own is only at the upstream, which needs the channel's key.
  const isOwnOnly = task.url.startsWith("/");
  if (isOwnOnly && !rules.streams) return "";
  const url = rules.streams && own !== undefined ? `${rules.serverAddress}${own}` : task.url;
  return platform.deadline === "drawing" ? throughProxy(url, rules.drawing) : url;
}

/**
 * Rewrites the address of a picture by the token's picture proxy, which this server never fetches.
 * A path alone stays: without this server's address, no proxy can reach the picture.
 */
function throughProxy(url: string, drawing: DrawingSettings | null): string {
  if (drawing === null || drawing.proxyAddress === "" || url.startsWith("/")) return url;
  const proxy = drawing.proxyAddress.replace(/\/+$/, "");
  switch (drawing.proxyMethod) {
    case "":
      return url;
    case "prefix":
      return `${proxy}/${url}`;
    case "replace":
      return url.replace(/^https?:\/\/[^/?#]+/i, () => proxy);
  }
}
