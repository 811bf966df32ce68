/**
 * Stored tasks as platforms read them, and as clients and consoles are shown them: with our ids in
 * place of the upstream's, and with our addresses where results are streamed through this server.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { DrawingSettings } from "#ports/task-desk.ts";
import { partName, type Platform, type StoredTask } from "#platforms/platform.ts";
import { fieldsOf } from "#platforms/read-json.ts";
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

export type ShowRules = {
  /** Whether the result leads through this server. */
  readonly streams: boolean;
  /** The public address of this server; empty: it is not known. */
  readonly serverAddress: string;
  readonly drawing: DrawingSettings | null;
  /** Whether the address of a picture that still changes says at which progress it was read. */
  readonly marksProgress: boolean;
};

type Shown = {
  readonly task: StoredTask;
  /** The address of the result; empty: there is none. */
  readonly link: string;
  /** Makes anything that the upstream said of the task fit to be shown. */
  readonly clean: (said: unknown) => unknown;
};

/** Returns what may be shown of a task. */
export function showTask(platform: Platform, row: TaskRow, rules: ShowRules): Shown {
  const stored = storedTask(row);
  const link = linkOf(platform, stored, rules);
  const texts = new Map<string, string>();
  for (const [part, name] of (platform.partIds?.(stored.data) ?? []).entries()) {
    if (name !== "") texts.set(name, partName(row.task_id, part));
  }
  if (row.upstream_id !== "") texts.set(row.upstream_id, row.task_id);
  if (rules.streams) {
    for (const [index, address] of addressesIn(row).entries()) {
      const own = `${rules.serverAddress}/v1/tasks/results/${row.task_id}/${index + 1}`;
      const isDrawing = platform.deadline === "drawing";
      texts.set(address, isDrawing ? throughProxy(own, rules.drawing) : own);
    }
    if (row.result_url !== "") texts.set(row.result_url, link);
  }
  const clean = (said: unknown): unknown =>
    mapTexts(said, (text) => (text.includes(callbackPath) ? "" : (texts.get(text) ?? text)));
  return {
    task: { ...stored, data: fieldsOf(clean(stored.data)) },
    link,
    clean,
  };
}

/** Where upstreams tell of tasks. Some repeat that address, with its secret, in what they say. */
export const callbackPath = "/mj/notify?";

/** The most addresses of a task's data that are shown as addresses of this server. */
const addressesMax = 100;

/**
 * Lists the addresses in what an upstream said of a task, without that of its result, and without
 * those that the client wrote into its prompt.
 */
export function addressesIn(row: TaskRow): readonly string[] {
  const found = new Set<string>();
  mapTexts(readData(row.data), (text) => {
    const isOther = text !== row.result_url && !row.prompt.includes(text);
    if (isOther && found.size < addressesMax && /^https?:\/\/\S+$/i.test(text)) found.add(text);
    return text;
  });
  return [...found];
}

/** Values that are nested deeper are left out. */
const depthMax = 20;

/** Replaces each text of a JSON value. */
function mapTexts(value: unknown, replace: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= depthMax) return null;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, replace, depth + 1)]),
  );
}

/** Returns the address of a result for clients; empty: there is none. */
function linkOf(platform: Platform, task: StoredTask, rules: ShowRules): string {
  if (task.url === "") return "";
  const own = platform.linkOf?.(task.id);
  // A result without an address of its own is only at the upstream, which needs the channel's key.
  const isOwnOnly = task.url.startsWith("/");
  if (isOwnOnly && !rules.streams) return "";
  const isOwn = rules.streams && own !== undefined;
  const changes = rules.marksProgress && task.status !== "SUCCESS";
  const url = isOwn ? `${rules.serverAddress}${own}` : task.url;
  if (platform.deadline !== "drawing") return url;
  return throughProxy(isOwn && changes ? `${url}?rand=${task.progress}` : url, rules.drawing);
}

/**
 * Rewrites the address of a picture by the token's picture proxy, which this server never fetches.
 * A path alone stays: without this server's address, no proxy can reach the picture.
 */
function throughProxy(url: string, drawing: DrawingSettings | null): string {
  if (drawing === null || drawing.proxyAddress === "" || url.startsWith("/")) return url;
  const proxy = trimEndOf(drawing.proxyAddress, "/");
  switch (drawing.proxyMethod) {
    case "":
      return url;
    case "prefix":
      return `${proxy}/${url}`;
    case "replace":
      return url.replace(/^https?:\/\/[^/?#]+/i, () => proxy);
  }
}
