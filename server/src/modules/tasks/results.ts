/**
 * Streams pictures, songs and videos to clients, at the pace of the client. Only addresses that the
 * operator's policy allows are fetched, and nothing is stored.
 */

import { unixSeconds } from "#base/clock.ts";
import type { ClientResponse, ResponseSink } from "#http/client-request.ts";
import type { Part, TransportAnswer } from "#network/answer.ts";
import { cancel, newCancellation } from "#network/cancellation.ts";
import { parseTarget } from "#network/target.ts";
import type { DeskCall, TaskChannel } from "#ports/task-desk.ts";
import type { Platform } from "#platforms/platform.ts";
import { keyOfTask, requestTo } from "./ask-upstream.ts";
import type { DeskDeps } from "./desk-work.ts";
import { refuse } from "./refuse.ts";
import { addressesIn, storedTask } from "./task-state.ts";
import type { TaskRow } from "./tasks.ts";

type Result = {
  readonly deps: DeskDeps;
  readonly platform: Platform;
  readonly call: DeskCall;
  readonly row: TaskRow;
  readonly channel: TaskChannel | undefined;
  /** The number of an address in the task's data, from 1; undefined: its result is wanted. */
  readonly address: number | undefined;
  /** What of the result is wanted, as the platform names it; empty: the result itself. */
  readonly variant: string;
};

/** The most results that are streamed at a time by this process. */
const atOnceMax = 200;

const limits = {
  connectMs: 10_000,
  firstByteMs: 30_000,
  betweenChunksMs: 30_000,
  totalMs: 1_800_000,
};

let running = 0;

/** Null: the result is being sent. */
export async function sendResult(given: Result): Promise<ClientResponse | null> {
  const { deps, call } = given;
  const asked = askOf(given);
  if (asked === null) return refuse(given, 404, "task_no_found");
  if (running >= atOnceMax) return refuse(given, 503, "请求次数过多，请稍后再试");
  const cancellation = newCancellation();
  call.request.onDisconnect(() => cancel(cancellation));
  running += 1;
  let flows = false;
  try {
    const answer = await deps.transport({
      method: "GET",
      ...asked,
      body: null,
      isStream: true,
      limits,
      cancellation,
    });
    if (answer.kind === "fault" || answer.status !== 200 || !isMedia(answer.mediaType)) {
      if (answer.kind !== "fault") answer.cancel();
      return refuse(given, 502, "fail_to_fetch_task");
    }
    const first = await answer.read();
    if (!(first instanceof Uint8Array) || isMarkup(first)) {
      answer.cancel();
      return refuse(given, 502, "fail_to_fetch_task");
    }
    const bytesMax = deps.resultBytesMax(given.platform.deadline);
    if ((answer.contentLength ?? first.length) > bytesMax) {
      answer.cancel();
      return refuse(given, 502, "result_too_large");
    }
    const sink = call.request.stream({
      status: 200,
      requestId: call.requestId,
      headers: headersOf(answer, given),
    });
    if (sink === null) {
      answer.cancel();
      return null;
    }
    flows = true;
    void flow(answer, sink, first, bytesMax).finally(() => {
      running -= 1;
    });
    return null;
  } finally {
    if (!flows) running -= 1;
  }
}

/** Where the bytes are: at an address of their own, or at the upstream. */
function askOf({ deps, platform, row, channel, address, variant }: Result) {
  const task = storedTask(row);
  const isOther = address !== undefined;
  const ask =
    row.upstream_id === "" || isOther ? undefined : platform.contentRequest?.(task, variant);
  const isThere = row.result_url === "" || row.result_url.startsWith("/") || variant !== "";
  if (ask !== undefined && isThere) {
    if (channel === undefined) return null;
    const key = keyOfTask(channel, row.key_ref, deps.keyRef);
    const nowSeconds = unixSeconds(deps.now());
    const request = requestTo({ platform, channel, key, ask, nowSeconds });
    return request === null ? null : { ...request, headers: { ...request.headers, accept: "*/*" } };
  }
  const url = isOther ? (addressesIn(row)[address - 1] ?? "") : row.result_url;
  const target = parseTarget(url, channel?.proxy ?? null);
  if (target === null) return null;
  const host = target.host + target.port;
  return {
    target,
    headers: { host, accept: "*/*", "accept-encoding": "identity", "user-agent": "tollgate" },
  };
}

/** Pictures that can contain scripts are not among the types that go on. */
function isMedia(mediaType: string): boolean {
  if (mediaType.includes("svg")) return false;
  return /^(image|video|audio)\//.test(mediaType) || mediaType === "application/octet-stream";
}

/** Whether a browser might read the bytes as a page, whatever type they are said to have. */
function isMarkup(first: Uint8Array): boolean {
  const text = Buffer.from(first.subarray(0, sniffedBytes)).toString("latin1");
  return /^[^!-~]{0,64}</.test(text) || /<(?:html|script|body|svg)\b/i.test(text);
}

/** How many bytes browsers look at to guess the type of something. */
const sniffedBytes = 512;

/** The endings of files of types that are shown; others are saved as bytes without a meaning. */
const endings: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "video/mp4": "mp4",
  "video/webm": "webm",
};

function headersOf(
  { mediaType }: TransportAnswer,
  { call, row }: Pick<Result, "call" | "row">,
): Record<string, string> {
  const ending = endings[mediaType];
  const place = ending === undefined ? "attachment" : "inline";
  return {
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "content-type": mediaType,
    "content-disposition": `${place}; filename="${row.task_id}.${ending ?? "bin"}"`,
    "cache-control": cacheRule(call.caller !== null, row),
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  };
}

function cacheRule(neededKey: boolean, { status }: TaskRow): string {
  // A cache would give to anybody what was given to the holder of a key.
  if (neededKey) return "private, no-store";
  // The result of an ended task stays; until then the picture changes.
  return status === "SUCCESS" ? "public, max-age=3600" : "no-store";
}

/** Passes the body on as fast as the client reads. */
async function flow(
  answer: TransportAnswer,
  sink: ResponseSink,
  first: Uint8Array,
  bytesMax: number,
): Promise<void> {
  let bytes = 0;
  for (let part: Part = first; part !== null; part = await answer.read()) {
    if (!(part instanceof Uint8Array) || (bytes += part.length) > bytesMax) {
      answer.cancel();
      sink.abort();
      return;
    }
    if (part.length > 0) sink.write(part);
    if (sink.isFull()) await drained(sink);
  }
  sink.end();
}

async function drained(sink: ResponseSink): Promise<void> {
  await new Promise<void>((resolve) => {
    sink.onDrained(resolve);
  });
}
