/** Answers requests about tasks, whatever the platform. */

import { unixSeconds } from "#base/clock.ts";
import { parseForeign } from "#base/json.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { sameText } from "#base/secrets.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { ClientResponse } from "#http/client-request.ts";
import type { DeskCall, TaskCaller, TaskDesk } from "#ports/task-desk.ts";
import type { Platform, TaskAsk } from "#platforms/platform.ts";
import { fieldsOf } from "#platforms/read-json.ts";
import { findPlatform } from "#platforms/registry.ts";
import { askUpstream, keyOfTask, questionMs } from "./ask-upstream.ts";
import type { DeskDeps, SubmitEnd } from "./desk-work.ts";
import { openPace } from "./pace.ts";
import { json, refuse } from "./refuse.ts";
import { sendResult } from "./results.ts";
import { findRoute } from "./routes.ts";
import { submitTask } from "./submit.ts";
import { submitVideo } from "./submit-video.ts";
import { showTask, storedTask } from "./task-state.ts";
import { isOver } from "./task-times.ts";
import type { TaskRow } from "./tasks.ts";

/** The most tasks that one request may ask for. */
const idsMax = 100;

/** How many pictures one address block, and how many answers of upstreams, are taken in a minute. */
const openRequests: RateRule = { name: "task-open", windowMs: 60_000, max: 600 };

/** Questions about tasks all read the database: a user has 100 of them a second, and 20 at once. */
const questions = { everyMs: 10, atOnce: 20, waitMaxMs: 1_000 };

/** How many refusals wait as long as that at a time; beyond that they go out at once. */
const refusalsWaitingMax = 1_000;

export function openDesk(deps: DeskDeps): TaskDesk {
  const mayAsk = openQuestions(deps);
  return {
    find: findRoute,
    answer: async (call) => await answer({ ...deps, mayAsk }, call),
    refuse({ platform }, error) {
      const { status, body } = platformOf(platform).errorBody({ ...error, upstreamCode: 0 });
      return { status, body: JSON.stringify(body) };
    },
  };
}

function platformOf(id: string): Platform {
  const platform = findPlatform(id);
  if (platform === undefined) throw new Error(`no platform ${id}`);
  return platform;
}

type AnsweringDeps = DeskDeps & { readonly mayAsk: (caller: TaskCaller) => Promise<boolean> };

type Answering = {
  readonly deps: AnsweringDeps;
  readonly platform: Platform;
  readonly call: DeskCall;
};

async function answer(deps: AnsweringDeps, call: DeskCall): Promise<ClientResponse | null> {
  const { found, request, bytes } = call;
  const platform = platformOf(found.platform);
  const given = { deps, platform, call };
  if (call.caller === null) {
    const { allowed } = await deps.limits.take(openRequests, addressBlock(call.clientIp));
    if (!allowed) return tooMany(given);
  }
  const body = bytes.length === 0 ? {} : readBody(bytes);
  if (body === undefined) return refuse(given, 400, "bind_request_body_failed");
  const query = request.url.includes("?") ? request.url.slice(request.url.indexOf("?")) : "";
  const asked = found.route.read({
    segments: found.segments,
    mode: found.mode === "" ? (call.caller?.drawing?.mode ?? "") : found.mode,
    query: new URLSearchParams(query),
    body,
    options: deps.platformOptions(),
  });
  if (asked.kind === "refused") return refuse(given, asked.status, asked.message);
  if (asked.kind === "content") {
    if (call.caller !== null && !(await deps.mayAsk(call.caller))) return tooMany(given);
    return await answerContent(given, asked);
  }
  if (asked.kind === "notify") return await takeNotice(given, asked, new URLSearchParams(query));
  if (call.caller === null) throw new Error(`${found.route.path} needs a key`);
  const begins = asked.kind === "submit" || asked.kind === "video";
  if (!begins && !(await deps.mayAsk(call.caller))) return tooMany(given);
  return await answerCaller(given, asked, call.caller);
}

/**
 * Returns a function that resolves when a user may ask; false: the question is refused. Refusals
 * wait, too, because their clients often ask again at once.
 */
function openQuestions({ elapsed, wait }: DeskDeps): (caller: TaskCaller) => Promise<boolean> {
  const pace = openPace(questions, elapsed);
  let refusalsWaiting = 0;
  return async ({ userId }) => {
    const waitMs = pace.take(userId);
    if (waitMs !== null) {
      if (waitMs > 0) await wait(waitMs);
      return true;
    }
    if (refusalsWaiting >= refusalsWaitingMax) return false;
    refusalsWaiting += 1;
    await wait(questions.waitMaxMs).finally(() => {
      refusalsWaiting -= 1;
    });
    return false;
  };
}

function tooMany(given: Answering): ClientResponse {
  const answer = refuse(given, 429, "请求次数过多，请稍后再试");
  return { ...answer, headers: { ...answer.headers, "retry-after": "1" } };
}

type CallerAsk = Exclude<TaskAsk, { kind: "content" | "notify" | "refused" }>;

async function answerCaller(
  given: Answering,
  asked: CallerAsk,
  caller: TaskCaller,
): Promise<ClientResponse> {
  const { deps, platform, call } = given;
  switch (asked.kind) {
    case "submit":
    case "video": {
      const end =
        asked.kind === "video"
          ? await submitVideo({ deps, call, caller }, asked.wish)
          : await submitTask({ deps, platform, submission: asked, call, caller });
      if (end.kind === "accepted") {
        return json(200, answerSubmitted(given, end, caller));
      }
      const { status, code, message } = end;
      return refuse(given, status, message, code);
    }
    case "fetch": {
      const row = await findOwn(given, asked.id, caller);
      if (row === null) return refuse(given, platform.missingStatus ?? 400, platform.missing);
      const shown = show(given, row, caller);
      return json(200, platform.wrap?.(shown) ?? shown);
    }
    case "fetch-many": {
      const rows = await deps.store.findTasks(asked.ids.slice(0, idsMax), caller.userId);
      const shown = rows
        .filter(({ platform: id }) => id === platform.id)
        .map((row) => show(given, row, caller));
      return json(200, platform.wrap?.(shown) ?? shown);
    }
    case "list":
      return await answerList(given, asked, caller);
    case "forward":
      return await forward(given, asked, caller);
  }
}

type Accepted = SubmitEnd & { readonly kind: "accepted" };

/** Says that a task was accepted, without what only its upstream's other clients may know. */
function answerSubmitted(
  { deps, platform }: Answering,
  { row, submitted }: Accepted,
  caller: TaskCaller,
): object {
  const { task, clean } = showTask(platformOf(row.platform), row, rulesOf(deps, row, caller));
  const properties = fieldsOf(clean(submitted.properties));
  return platform.answerSubmitted(task, { ...submitted, properties });
}

type List = TaskAsk & { readonly kind: "list" };

async function answerList(
  given: Answering,
  { limit, after, oldestFirst }: List,
  caller: TaskCaller,
): Promise<ClientResponse> {
  const { deps, platform } = given;
  const last = after === "" ? null : await findOwn(given, after, caller);
  if (after !== "" && last === null) {
    return refuse(given, platform.missingStatus ?? 400, platform.missing);
  }
  const rows = await deps.store.listTasks({
    ...anyTask,
    userId: caller.userId,
    platform: platform.id,
    limit: limit + 1,
    afterRow: last?.id ?? 0,
    oldestFirst,
  });
  const shown = rows.slice(0, limit).map((row) => show(given, row, caller));
  return json(200, platform.wrapList?.(shown, rows.length > limit) ?? shown);
}

const anyTask = {
  drawings: false,
  offset: 0,
  taskId: "",
  status: null,
  action: "",
  channelId: 0,
  start: 0,
  end: 0,
};

/** Finds a task that is the caller's, and of the platform: on generic paths, of any with videos. */
async function findOwn(
  { deps, platform, call }: Answering,
  id: string,
  caller: TaskCaller,
): Promise<TaskRow | null> {
  const row = await deps.store.findTask(id, caller.userId);
  if (row === null || row.platform === platform.id) return row;
  const isGeneric = call.found.route.anyPlatform === true;
  return isGeneric && platformOf(row.platform).readVideo !== undefined ? row : null;
}

/** Shows a task in the form of the path's platform; where its result is, its own platform knows. */
function show({ deps, platform }: Answering, row: TaskRow, caller: TaskCaller): object {
  const { task, link } = showTask(platformOf(row.platform), row, rulesOf(deps, row, caller));
  return platform.showTask(task, link);
}

function rulesOf(deps: DeskDeps, row: TaskRow, caller: TaskCaller | null) {
  return {
    streams: isStreamed(deps, row),
    serverAddress: deps.serverAddress(),
    drawing: caller?.drawing ?? null,
    marksProgress: true,
  };
}

/** Whether clients get the result of a task from this server. */
export function isStreamed(
  deps: Pick<DeskDeps, "findChannel" | "forwardsPictures">,
  row: TaskRow,
): boolean {
  const isDrawing = findPlatform(row.platform)?.deadline === "drawing";
  return isDrawing
    ? deps.forwardsPictures()
    : deps.findChannel(row.channel_id)?.streamsResults === true;
}

type Forward = TaskAsk & { readonly kind: "forward" };

/** Asks the upstream of an own task, which gets its own id for it. */
async function forward(
  given: Answering,
  asked: Forward,
  caller: TaskCaller,
): Promise<ClientResponse> {
  const { deps, platform } = given;
  const row = await findOwn(given, asked.id, caller);
  if (row === null || row.upstream_id === "") {
    return refuse(given, platform.missingStatus ?? 400, platform.missing);
  }
  if (asked.method === "DELETE" && !isOver(row.status)) {
    return refuse(given, 409, "任务尚未结束，不能删除");
  }
  const channel = deps.findChannel(row.channel_id);
  if (channel === undefined || channel.status !== 1) {
    return refuse(given, 400, "task_channel_disable");
  }
  const answered = await askUpstream(deps.transport, {
    platform,
    channel,
    key: keyOfTask(channel, row.key_ref, deps.keyRef),
    ask: { method: asked.method, path: asked.path(row.upstream_id), body: null },
    totalMs: forwardMs,
    nowSeconds: unixSeconds(deps.now()),
  });
  if (answered.kind === "fault" || answered.answer === undefined || answered.status >= 400) {
    return refuse(given, 502, "fail_to_fetch_task");
  }
  if (asked.endsResult === true) await deps.store.dropResult(row.task_id);
  return json(200, asked.answer(storedTask(row), answered.answer));
}

/** How long such a request may take, in milliseconds. */
const forwardMs = 2 * questionMs;

type Content = TaskAsk & { readonly kind: "content" };

async function answerContent(
  given: Answering,
  { id, address, variant = "" }: Content,
): Promise<ClientResponse | null> {
  const { deps, platform, call } = given;
  const { caller, found } = call;
  const isOpen = found.route.open === true;
  const row = await deps.store.findTask(id, isOpen ? null : (caller?.userId ?? 0));
  const isFitting = found.route.anyPlatform === true || row?.platform === platform.id;
  const own = row === null ? undefined : findPlatform(row.platform);
  const isHere = own !== undefined && isFitting && row?.result_url !== "";
  if (row === null || !isHere || (isOpen && !isStreamed(deps, row))) {
    return refuse(given, platform.missingStatus ?? 404, platform.missing);
  }
  const channel = deps.findChannel(row.channel_id);
  return await sendResult({ deps, platform: own, call, row, channel, address, variant });
}

type Notice = TaskAsk & { readonly kind: "notify" };

/** Takes what an upstream tells of a task, if it can prove that it is the task's channel. */
async function takeNotice(
  given: Answering,
  { upstreamId, state }: Notice,
  query: URLSearchParams,
): Promise<ClientResponse> {
  const { deps, platform, call } = given;
  const channel = deps.findChannel(Number(query.get("channel") ?? 0));
  const sign = query.get("sign") ?? "";
  const secret = call.request.headers.get("mj-api-secret") ?? "";
  const isOfChannel =
    channel?.keys.some(
      (key) => sameText(secret, key) || sameText(sign, deps.notifySign(channel.id, key)),
    ) === true;
  if (channel === undefined || !isOfChannel) {
    return refuse(given, 403, "callback_not_of_the_channel");
  }
  if (state === null) return refuse(given, 400, "bind_request_body_failed");
  const row = await deps.store.findUpstreamTask(channel.id, upstreamId);
  if (row === null || row.platform !== platform.id) return refuse(given, 400, "task_not_found");
  deps.told(await deps.store.noteState({ taskId: row.task_id, state, nowMs: deps.now() }), row);
  return json(200, { code: 1, description: "", result: "", properties: {} });
}

const decoder = new TextDecoder();

/** Undefined: the body is not one JSON object. */
function readBody(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = parseForeign(decoder.decode(bytes));
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? { ...body }
      : undefined;
  } catch {
    return undefined;
  }
}
