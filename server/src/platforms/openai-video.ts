/**
 * Videos as OpenAI offers them, and the paths and answers of the generic form, by which clients of
 * gateways get videos of every platform.
 */

import type {
  Platform,
  Refused,
  StoredTask,
  Submission,
  TaskAsk,
  TaskRequest,
  TaskState,
} from "./platform.ts";
import { fieldsOf, progressOf, textOf, timeOf, wholeOf, without } from "./read-json.ts";
import { given, readWish, type VideoWish } from "./video-wish.ts";

const refuse = (message: string): Refused => ({ kind: "refused", status: 400, message });

/** What is asked for if the request names nothing. */
const usual = { model: "sora-2", seconds: 4, size: "720x1280" } as const;

/** The longest video, in seconds. */
const secondsMax = 60;

/** The most videos of a list. */
const listMax = 100;

function readCreate({ body }: Pick<TaskRequest, "body">): Submission | Refused {
  const prompt = textOf(body["prompt"]);
  if (prompt.trim() === "") return refuse("prompt is required");
  const asked = textOf(body["seconds"]) || textOf(body["duration"]);
  const seconds = asked === "" ? usual.seconds : Number(asked);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > secondsMax) {
    return refuse(`seconds must be a whole number from 1 to ${secondsMax}`);
  }
  const size = textOf(body["size"]) || usual.size;
  if (!/^[1-9]\d{1,4}x[1-9]\d{1,4}$/.test(size)) return refuse("size must be like 720x1280");
  const model = textOf(body["model"]) || usual.model;
  return {
    kind: "submit",
    models: [model],
    action: "VIDEO",
    prompt,
    state: "",
    use: { seconds, count: 1, mode: "", size },
    follows: "",
    needsSuccess: false,
    notifyHook: "",
    body: {
      ...without(body, ["duration", "callback_url", "n", ...formFields]),
      ...referenceOf(body),
      model,
      seconds: String(seconds),
      size,
    },
    path: "/v1/videos",
  };
}

/** How a form names the members of the picture that a video begins with. */
const formFields = ["input_reference[image_url]", "input_reference[file_id]"] as const;

/** The picture of a form as a request in JSON has it; in JSON, it stays as it is. */
function referenceOf(body: TaskRequest["body"]): object {
  const [address, file] = formFields.map((name) => textOf(body[name]));
  const own = textOf(body["input_reference"]);
  const url = own.startsWith("data:") ? own : address;
  if (url) return { input_reference: { image_url: url } };
  return file ? { input_reference: { file_id: file } } : {};
}

function readVideo(wish: VideoWish): Submission | Refused {
  const { model, prompt, images, seconds, size, others } = wish;
  const [image] = images;
  const reference = image === undefined ? {} : { input_reference: { image_url: image } };
  const chosen = { ...given("seconds", seconds), ...given("size", size) };
  return readCreate({ body: { ...others, model, prompt, ...reference, ...chosen } });
}

/** Reads a request for another take of an own video, which has the length and size of that one. */
function readRemix({ segments, body }: TaskRequest): Submission | Refused {
  const prompt = textOf(body["prompt"]);
  const remix = readCreate({ body: { prompt } });
  if (remix.kind === "refused") return remix;
  const [follows = ""] = segments;
  const inherit = ({ data, model, upstreamId }: StoredTask): Submission | Refused => {
    const [seconds, size] = [wholeOf(data["seconds"]), textOf(data["size"])];
    if (seconds === 0 || size === "") return refuse("the video does not say its length and size");
    return {
      ...remix,
      models: [model],
      follows,
      state: follows,
      use: { seconds, count: 1, mode: "", size },
      body: { prompt },
      path: `/v1/videos/${encodeURIComponent(upstreamId)}/remix`,
    };
  };
  return { ...remix, follows, needsSuccess: true, inherit };
}

/** Reads a generic request, which every platform of videos may get. */
function readGeneric({ body }: TaskRequest): TaskAsk {
  const wish = readWish(body);
  // Whether a channel makes the model is no question of a request that no platform could take.
  const { prompt, images, others } = wish;
  const isEmpty = prompt.trim() === "" && images.length === 0 && Object.keys(others).length === 0;
  if (isEmpty) return refuse("prompt is required");
  return { kind: "video", wish: { ...wish, model: wish.model || usual.model } };
}

const first = ({ segments }: TaskRequest): string => segments[0] ?? "";
const fetch = (request: TaskRequest): TaskAsk => ({ kind: "fetch", id: first(request) });

const statuses: Readonly<Record<string, TaskState["status"]>> = {
  queued: "QUEUED",
  in_progress: "IN_PROGRESS",
  completed: "SUCCESS",
  failed: "FAILURE",
};

function stateOf(video: Readonly<Record<string, unknown>>): TaskState | undefined {
  const status = statuses[textOf(video["status"])];
  if (status === undefined) return undefined;
  return {
    status,
    progress: progressOf(video["progress"]),
    failReason: status === "FAILURE" ? textOf(fieldsOf(video["error"])["message"]) || "failed" : "",
    // Addresses are not documented: results have a path. Some servers name one nevertheless.
    url:
      status === "SUCCESS" ? textOf(video["video_url"]) || textOf(video["url"]) || contentPath : "",
    promptEn: "",
    description: "",
    startTime: timeOf(video["created_at"]),
    finishTime: timeOf(video["completed_at"]),
    data: without(video, ["id", "video_url", "url", "remixed_from_video_id"]),
  };
}

/** Stands for a result that only its upstream's path gives. */
const contentPath = "/content";

const words: Readonly<Record<string, string>> = {
  SUCCESS: "completed",
  FAILURE: "failed",
  UNKNOWN: "failed",
  IN_PROGRESS: "in_progress",
};

function show(task: StoredTask, url: string): object {
  const error = task.failReason === "" ? null : { code: "task_failed", message: task.failReason };
  const link = /^https?:/.test(url) || url.startsWith("/v1/") ? { video_url: url } : {};
  return {
    // What other platforms say of a task has their form.
    ...(task.platform === "openai-video" ? task.data : {}),
    ...(task.state.startsWith("T") ? { remixed_from_video_id: task.state } : {}),
    ...link,
    id: task.id,
    task_id: task.id,
    object: "video",
    model: task.model,
    status: words[task.status] ?? "queued",
    progress: task.progress,
    created_at: Math.floor(task.submitTime / 1_000),
    completed_at: task.finishTime === 0 ? null : Math.floor(task.finishTime / 1_000),
    error,
  };
}

export const openaiVideo: Platform = {
  id: "openai-video",
  name: "OpenAI Video",
  channelTypes: [{ id: "sora", type: 55, label: "Sora", baseUrl: "https://api.openai.com" }],
  types: [1, 55],
  models: ["sora-2", "sora-2-pro"],
  labels: ["video"],
  source:
    "routes, states and content as wire-formats §13 lists them; seconds, size, list, variants, remix and DELETE as OpenAI documents them (read 2026-11-28); the generic form is assumed",
  routes: [
    { method: "POST", path: "/v1/videos", takesForm: true, read: readCreate },
    {
      method: "GET",
      path: "/v1/videos",
      read: ({ query }) => ({
        kind: "list",
        limit: Math.min(listMax, wholeOf(query.get("limit")) || 20),
        after: query.get("after") ?? "",
        oldestFirst: query.get("order") === "asc",
      }),
    },
    { method: "GET", path: "/v1/videos/*", read: fetch },
    {
      method: "GET",
      path: "/v1/videos/*/content",
      read: (request) => ({
        kind: "content",
        id: first(request),
        variant: request.query.get("variant") ?? "",
      }),
    },
    { method: "POST", path: "/v1/videos/*/remix", read: readRemix },
    {
      method: "DELETE",
      path: "/v1/videos/*",
      read: (request) => ({
        kind: "forward",
        id: first(request),
        method: "DELETE",
        path: (id) => `/v1/videos/${encodeURIComponent(id)}`,
        answer: (task) => ({ id: task.id, object: "video.deleted", deleted: true }),
        endsResult: true,
      }),
    },
    {
      method: "GET",
      path: "/v1/tasks/results/*",
      open: true,
      anyPlatform: true,
      read: (request) => ({ kind: "content", id: first(request) }),
    },
    {
      method: "GET",
      path: "/v1/tasks/results/*/*",
      open: true,
      anyPlatform: true,
      read: ({ segments: [id = "", number] }) => ({
        kind: "content",
        id,
        address: wholeOf(number),
      }),
    },
    { method: "POST", path: "/v1/video/generations", read: readGeneric },
    { method: "GET", path: "/v1/video/generations/*", anyPlatform: true, read: fetch },
  ],
  readVideo,
  deadline: "task",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  submitRequest: ({ submission, upstreamModel }) => ({
    method: "POST",
    path: submission.path,
    // A remix has the model of its video, and names none.
    body:
      submission.follows === "" ? { ...submission.body, model: upstreamModel } : submission.body,
  }),
  readSubmitted(status, answer) {
    const video = fieldsOf(answer);
    const upstreamId = textOf(video["id"]);
    if (status < 300 && upstreamId !== "") {
      const state = stateOf(video) ?? null;
      return { kind: "accepted", upstreamId, code: 1, description: "", properties: {}, state };
    }
    const description = textOf(fieldsOf(video["error"])["message"]);
    return description === ""
      ? undefined
      : { kind: "rejected", code: 0, description, disables: false };
  },
  missing: "video_not_found",
  missingStatus: 404,
  brings: () => true,
  pollMax: 1,
  pollRequest: ([task]) => ({
    method: "GET",
    path: `/v1/videos/${encodeURIComponent(task?.upstreamId ?? "")}`,
    body: null,
  }),
  readPolled(answer) {
    const video = fieldsOf(answer);
    const state = stateOf(video);
    return state === undefined ? undefined : new Map([[textOf(video["id"]), state]]);
  },
  contentRequest(task, variant) {
    const query = /^\w+$/.test(variant) ? `?variant=${variant}` : "";
    const path = `/v1/videos/${encodeURIComponent(task.upstreamId)}/content${query}`;
    return { method: "GET", path, body: null };
  },
  linkOf: (id) => `/v1/tasks/results/${id}`,
  answerSubmitted: (task) => show(task, ""),
  showTask: show,
  wrapList: (data, hasMore) => ({
    object: "list",
    data,
    first_id: fieldsOf(data[0])["id"] ?? null,
    last_id: fieldsOf(data.at(-1))["id"] ?? null,
    has_more: hasMore,
  }),
  errorBody: ({ status, code, message }) => ({
    status,
    body: { error: { message, type: "invalid_request_error", param: null, code } },
  }),
};
