/** Videos and pictures of Kling. */

import {
  type Platform,
  readPartName,
  type Refused,
  type Submission,
  type TaskAsk,
  type TaskRequest,
  type TaskState,
} from "./platform.ts";
import { listOf, fieldsOf, textOf, timeOf, without, wordOf } from "./read-json.ts";
import { klingToken } from "./kling-token.ts";
import { given, nearestRatio, readSize, type VideoWish } from "./video-wish.ts";

const refuse = (message: string): Refused => ({ kind: "refused", status: 400, message });

/** What each kind of task is named in the path, its action, and the model that is asked for if none is named. */
const kinds = {
  text2video: { action: "VIDEO", model: "kling-v1", path: "/v1/videos/text2video" },
  image2video: { action: "IMAGE_VIDEO", model: "kling-v1", path: "/v1/videos/image2video" },
  "multi-image2video": {
    action: "MULTI_IMAGE_VIDEO",
    model: "kling-v1-6",
    path: "/v1/videos/multi-image2video",
  },
  "omni-video": { action: "OMNI_VIDEO", model: "kling-video-o1", path: "/v1/videos/omni-video" },
  "video-extend": { action: "EXTEND", model: "kling-extend", path: "/v1/videos/video-extend" },
  "lip-sync": { action: "LIP_SYNC", model: "kling-lip-sync", path: "/v1/videos/lip-sync" },
  generations: { action: "IMAGE", model: "kling-image-v1", path: "/v1/images/generations" },
} as const;

type KindName = keyof typeof kinds;

/** The kinds whose requests name length and mode. */
const videoKinds: ReadonlySet<KindName> = new Set([
  "image2video",
  "multi-image2video",
  "omni-video",
  "text2video",
]);

/** The lengths of a video that most models make, in seconds. */
const lengths = [5, 10];

/** The models that make any number of seconds from one to the other. */
const laterModels = /^kling-(?:v[3-9]|video-o\d)/;
const [shortest, longest] = [3, 15];

/** The length of a video for which the request names none. */
const usualLength = 5;

/** The length of the longest video that can be changed; the result has the length of the given one. */
const changedLength = 10;

/** Returns the length that is charged, in seconds; a text says what it must be. */
function readLength(body: TaskRequest["body"], model: string): number | string {
  const sent = textOf(body["duration"]);
  if (sent === "") return changesVideo(body) ? changedLength : usualLength;
  const seconds = Number(sent);
  if (!laterModels.test(model)) return lengths.includes(seconds) ? seconds : "5 or 10";
  const isKnown = Number.isInteger(seconds) && seconds >= shortest && seconds <= longest;
  return isKnown ? seconds : `a whole number from ${shortest} to ${longest}`;
}

/** Whether a video is to be changed, instead of made like others. */
function changesVideo(body: TaskRequest["body"]): boolean {
  return listOf(body["video_list"]).some((each) => fieldsOf(each)["refer_type"] === "base");
}

/** The modes of a video; the first if the request names none. */
const modes = ["std", "pro"];

/** A shape such as `16:9`, in the only spelling that is priced. */
const shape = /^([1-9]\d?:[1-9]\d?)?$/;

/** The most pictures of one request. */
const picturesMax = 9;

function readSubmit(kind: KindName) {
  return ({ body }: Pick<TaskRequest, "body">): Submission | Refused => {
    const { action, model, path } = kinds[kind];
    const prompt = textOf(body["prompt"]);
    const isVideo = videoKinds.has(kind);
    const named = textOf(body["model_name"]) || textOf(body["model"]) || model;
    const seconds = isVideo ? readLength(body, named) : 1;
    if (typeof seconds === "string") return refuse(`duration must be ${seconds}`);
    const count = kind === "generations" ? Number(textOf(body["n"]) || 1) : 1;
    if (!Number.isInteger(count) || count < 1 || count > picturesMax) {
      return refuse("n must be 1 to 9");
    }
    if (kind === "text2video" && prompt.trim() === "") return refuse("prompt is required");
    if (kind === "multi-image2video" && listOf(body["image_list"]).length === 0) {
      return refuse("image_list is required");
    }
    const mode = isVideo ? readMode(body["mode"]) : "";
    if (mode === undefined) return refuse(`mode must be one of ${modes.join(", ")}`);
    const size = textOf(body["aspect_ratio"]);
    if (!shape.test(size)) return refuse("aspect_ratio must be like 16:9");
    const video = readPartName(videoIn(kind, body));
    const follows = video.id;
    if (kind === "video-extend" && follows === "") return refuse("task_id is required");
    const explicit = isVideo
      ? { ...(changesVideo(body) ? {} : { duration: String(seconds) }), mode }
      : kind === "generations"
        ? { n: count }
        : {};
    return {
      kind: "submit",
      models: [named],
      action,
      prompt,
      state: textOf(body["external_task_id"]),
      use: { seconds, count, mode, size },
      follows,
      needsSuccess: follows !== "",
      ...(follows === "" ? {} : { part: video.part }),
      notifyHook: "",
      body: {
        ...without(body, ["callback_url", "external_task_id", "task_id", "model", "mode"]),
        ...explicit,
        model_name: named,
      },
      path,
    };
  };
}

/** Returns the mode that is charged and sent; undefined: Kling has none of that name. */
function readMode(sent: unknown): string | undefined {
  const word = wordOf(sent);
  return modes.find((mode, at) => mode === word || (word === "" && at === 0));
}

/** Our id of the video that a request goes on with; empty: none. */
function videoIn(kind: KindName, body: TaskRequest["body"]): string {
  if (kind === "video-extend") return textOf(body["video_id"]) || textOf(body["task_id"]);
  return kind === "lip-sync" ? textOf(fieldsOf(body["input"])["video_id"]) : "";
}

/** Puts the upstream's id of a video where the request has ours. */
function withVideo(body: TaskRequest["body"], videoId: string): TaskRequest["body"] {
  if (videoId === "") return body;
  if (body["input"] === undefined) return { ...body, video_id: videoId };
  return { ...body, input: { ...fieldsOf(body["input"]), video_id: videoId } };
}

/** The shapes of a video that Kling makes. */
const ratios = ["16:9", "9:16", "1:1"];

function readVideo(wish: VideoWish): Submission | Refused {
  const { model, prompt, images, seconds, size, others } = wish;
  const [image] = images;
  const shape = readSize(size);
  if (size !== "" && shape === undefined) return refuse("size must be like 1280x720 or 16:9");
  const body = { ...others, model_name: model, prompt, ...given("duration", seconds) };
  // The picture decides the shape of its video.
  if (image !== undefined) return readSubmit("image2video")({ body: { ...body, image } });
  const ratio = shape === undefined ? "" : nearestRatio(shape, ratios);
  return readSubmit("text2video")({ body: { ...body, ...given("aspect_ratio", ratio) } });
}

const fetch = ({ segments }: TaskRequest): TaskAsk => ({ kind: "fetch", id: segments[0] ?? "" });

/** The paths, with and without the prefix by which gateways tell Kling from OpenAI's videos. */
const routes = (Object.keys(kinds) as KindName[]).flatMap((kind) => {
  const { path } = kinds[kind];
  const read = readSubmit(kind);
  // Without the prefix, OpenAI's images have the path.
  const prefixes = kind === "generations" ? ["/kling"] : ["/kling", ""];
  return prefixes.flatMap((prefix) => [
    { method: "POST", path: `${prefix}${path}`, read } as const,
    { method: "GET", path: `${prefix}${path}/*`, read: fetch } as const,
  ]);
});

const statuses: Readonly<Record<string, TaskState["status"]>> = {
  submitted: "SUBMITTED",
  processing: "IN_PROGRESS",
  succeed: "SUCCESS",
  failed: "FAILURE",
};

const progresses = { SUBMITTED: 0, IN_PROGRESS: 50, SUCCESS: 100, FAILURE: 100 } as const;

function stateOf(data: Readonly<Record<string, unknown>>): TaskState | undefined {
  const status = statuses[textOf(data["task_status"])];
  if (status === undefined) return undefined;
  const result = fieldsOf(data["task_result"]);
  const [file] = [...listOf(result["videos"]), ...listOf(result["images"])].map(fieldsOf);
  return {
    status,
    progress: progresses[status as keyof typeof progresses] ?? 0,
    failReason: status === "FAILURE" ? textOf(data["task_status_msg"]) || "failed" : "",
    url: textOf(file?.["url"]),
    promptEn: "",
    description: "",
    startTime: timeOf(data["created_at"]),
    finishTime: status === "SUCCESS" ? timeOf(data["updated_at"]) : 0,
    data: without(data, ["task_id", "task_info"]),
  };
}

const words: Readonly<Record<string, string>> = {
  "": "submitted",
  SUBMITTED: "submitted",
  IN_PROGRESS: "processing",
  SUCCESS: "succeed",
  FAILURE: "failed",
  UNKNOWN: "failed",
};

export const kling: Platform = {
  id: "kling",
  name: "Kling",
  channelTypes: [
    {
      id: "kling",
      type: 50,
      label: "Kling",
      baseUrl: "https://api.klingai.com",
      keyForm: "access key|secret key, or an API key",
    },
  ],
  types: [50],
  models: [
    "kling-v1",
    "kling-v1-6",
    "kling-v2-master",
    "kling-v3",
    "kling-v3-omni",
    "kling-video-o1",
    "kling-image-v1",
    "kling-extend",
    "kling-lip-sync",
  ],
  labels: ["kling", "video", "extend", "image"],
  source:
    "token, text2video, image2video, images and task fields as wire-formats §13 lists them; video-extend, lip-sync, their video_id, duration and mode are assumed; " +
    "lengths from 3 to 15 seconds, omni-video and multi-image2video: https://app.klingai.com/global/dev/document-api as public clients repeat it (read on 2026-11-29), assumed",
  routes,
  readVideo,
  deadline: "task",
  headers: (key, nowSeconds) => ({ authorization: `Bearer ${klingToken(key, nowSeconds)}` }),
  submitRequest: ({ submission, upstreamModel, followsUpstream, followsPart }) => ({
    method: "POST",
    path: submission.path,
    body: {
      ...withVideo(submission.body, followsPart),
      model_name: upstreamModel,
      ...(followsUpstream === "" ? {} : { task_id: followsUpstream }),
    },
  }),
  readSubmitted(status, answer) {
    const members = fieldsOf(answer);
    if (typeof members["code"] !== "number") return undefined;
    const upstreamId = textOf(fieldsOf(members["data"])["task_id"]);
    const description = textOf(members["message"]);
    if (members["code"] !== 0 || status >= 400 || upstreamId === "") {
      return { kind: "rejected", code: 0, description, disables: false };
    }
    return { kind: "accepted", upstreamId, code: 1, description: "", properties: {}, state: null };
  },
  missing: "task_not_exist",
  missingStatus: 404,
  brings: () => true,
  pollMax: 1,
  pollRequest: ([task]) => ({
    method: "GET",
    path: `${pathOf(task?.action ?? "")}/${encodeURIComponent(task?.upstreamId ?? "")}`,
    body: null,
  }),
  readPolled(answer) {
    const data = fieldsOf(fieldsOf(answer)["data"]);
    const state = stateOf(data);
    return state === undefined ? undefined : new Map([[textOf(data["task_id"]), state]]);
  },
  linkOf: (id) => `/v1/tasks/results/${id}`,
  answerSubmitted: (task) => ({
    code: 0,
    message: "SUCCEED",
    data: {
      task_id: task.id,
      task_status: "submitted",
      created_at: task.submitTime,
      updated_at: task.submitTime,
    },
  }),
  partIds: ({ task_result: result }) =>
    listOf(fieldsOf(result)["videos"]).map((video) => textOf(fieldsOf(video)["id"])),
  showTask: (task) => ({
    ...task.data,
    task_id: task.id,
    task_status: words[task.status] ?? "processing",
    task_status_msg: task.failReason,
    created_at: task.submitTime,
    updated_at: task.finishTime === 0 ? task.submitTime : task.finishTime,
  }),
  wrap: (shown) => ({ code: 0, message: "SUCCEED", data: shown }),
  errorBody: ({ status, message }) => ({ status, body: { code: status, message, data: null } }),
};

function pathOf(action: string): string {
  return Object.values(kinds).find((kind) => kind.action === action)?.path ?? kinds.text2video.path;
}
