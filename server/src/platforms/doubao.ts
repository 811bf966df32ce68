/** Videos of Doubao (Seedance), as VolcEngine's Ark offers them, below the folder `/doubao`. */

import type {
  Platform,
  Refused,
  StoredTask,
  Submission,
  TaskRequest,
  TaskState,
} from "./platform.ts";
import { fieldsOf, listOf, textOf, timeOf, without, wordOf } from "./read-json.ts";
import { given, nearestRatio, readSize, type VideoWish } from "./video-wish.ts";

const refuse = (message: string): Refused => ({ kind: "refused", status: 400, message });

/** The path below the channel's address, and below `/doubao` at this server. */
const tasksPath = "/api/v3/contents/generations/tasks";

/** What is asked for if the request names nothing. */
const usual = { model: "doubao-seedance-1-0-pro", seconds: "5", size: "720p" } as const;

/** The shortest and the longest video, in seconds. */
const secondsMin = 2;
const secondsMax = 12;

const sizes = ["480p", "720p", "1080p"];

/** The service tiers, which decide the price; none: the usual one. */
const tiers = ["", "default", "flex"];

/** Words in prompts that choose length and size, which decide the price. */
const lengthWord = /(?<!\s)\s*--(?:duration|dur)\s+(\S+)/gi;
const sizeWord = /(?<!\s)\s*--(?:resolution|rs)\s+(\S+)/gi;
/** A length in pictures, which would count instead of the one in seconds. */
const framesWord = /--frames\b/i;

/** The value that a prompt chooses; the last word counts. Empty: none. */
function chosen(prompt: string, word: RegExp): string {
  return [...prompt.matchAll(word)].at(-1)?.[1] ?? "";
}

/** Fields that are never passed on as they are: length, size and shape are sent in the prompt. */
const ownFields = ["callback_url", "duration", "resolution", "ratio", "frames", "service_tier"];

function readCreate({ body }: Pick<TaskRequest, "body">): Submission | Refused {
  const parts = listOf(body["content"]).map(fieldsOf);
  const texts = parts.filter(({ type }) => type === "text").map(({ text }) => textOf(text));
  const others = parts.filter(({ type }) => type !== "text");
  const said = texts.join("\n");
  if (parts.length === 0) return refuse("content is required");
  if (body["frames"] !== undefined || framesWord.test(said)) {
    return refuse("frames are not supported: give the duration in seconds");
  }
  const seconds = Number(textOf(body["duration"]) || chosen(said, lengthWord) || usual.seconds);
  if (!Number.isInteger(seconds) || seconds < secondsMin || seconds > secondsMax) {
    return refuse(`duration must be a whole number from ${secondsMin} to ${secondsMax}`);
  }
  const size = (textOf(body["resolution"]) || chosen(said, sizeWord) || usual.size).toLowerCase();
  if (!sizes.includes(size)) return refuse(`resolution must be one of ${sizes.join(", ")}`);
  const tier = wordOf(body["service_tier"]);
  if (tier === undefined || !tiers.includes(tier)) {
    return refuse(`service_tier must be one of ${tiers.filter(Boolean).join(", ")}`);
  }
  const prompt = said.replaceAll(lengthWord, "").replaceAll(sizeWord, "").trim();
  const ratio = textOf(body["ratio"]);
  const shape = ratio === "" ? "" : ` --ratio ${ratio}`;
  const text = `${prompt}${shape} --resolution ${size} --duration ${seconds}`.trim();
  const model = textOf(body["model"]) || usual.model;
  return {
    kind: "submit",
    models: [model],
    action: others.length > 0 ? "IMAGE_VIDEO" : "VIDEO",
    prompt,
    state: "",
    use: { seconds, count: 1, mode: tier, size },
    follows: "",
    needsSuccess: false,
    notifyHook: "",
    body: {
      ...without(body, ownFields),
      model,
      ...given("service_tier", tier),
      content: [{ type: "text", text }, ...others],
    },
    path: tasksPath,
  };
}

/** The shapes of a video that Doubao makes. */
const ratios = ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"];

function readVideo(wish: VideoWish): Submission | Refused {
  const { model, prompt, images, seconds, size, others } = wish;
  const shape = readSize(size);
  const edge = shape === undefined ? 0 : Math.min(shape.width, shape.height);
  // A size such as 16:9 says nothing of the number of lines.
  const lines = edge > 100 ? `${edge}p` : shape === undefined ? size : "";
  // A picture decides the shape of its video.
  const ratio = shape === undefined || images.length > 0 ? "" : nearestRatio(shape, ratios);
  const pictures = images.map((url) => ({ type: "image_url", image_url: { url } }));
  const content = [{ type: "text", text: prompt }, ...pictures];
  const chosen = {
    ...given("duration", seconds),
    ...given("resolution", lines),
    ...given("ratio", ratio),
  };
  return readCreate({ body: { ...others, model, content, ...chosen } });
}

const statuses: Readonly<Record<string, TaskState["status"]>> = {
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  cancelled: "FAILURE",
  expired: "FAILURE",
};

function stateOf(task: Readonly<Record<string, unknown>>): TaskState | undefined {
  const told = textOf(task["status"]);
  const status = statuses[told];
  if (status === undefined) return undefined;
  const reason = textOf(fieldsOf(task["error"])["message"]);
  return {
    status,
    progress: status === "IN_PROGRESS" ? 50 : 0,
    failReason: status === "FAILURE" ? reason || told : "",
    url: textOf(fieldsOf(task["content"])["video_url"]),
    promptEn: "",
    description: "",
    startTime: 0,
    finishTime: status === "SUCCESS" ? timeOf(task["updated_at"]) : 0,
    data: without(task, ["id"]),
  };
}

const words: Readonly<Record<string, string>> = {
  IN_PROGRESS: "running",
  SUCCESS: "succeeded",
  FAILURE: "failed",
  UNKNOWN: "failed",
};

function show(task: StoredTask, url: string): object {
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  const content = url === "" ? {} : { ...fieldsOf(task.data["content"]), video_url: url };
  const error = task.failReason === "" ? null : { code: "task_failed", message: task.failReason };
  return {
    ...task.data,
    id: task.id,
    model: task.model,
    status: words[task.status] ?? "queued",
    error,
    content,
    created_at: seconds(task.submitTime),
    updated_at: seconds(task.finishTime === 0 ? task.submitTime : task.finishTime),
  };
}

export const doubao: Platform = {
  id: "doubao",
  name: "Doubao",
  channelTypes: [
    {
      id: "doubao-video",
      type: 54,
      label: "Doubao Video",
      baseUrl: "https://ark.cn-beijing.volces.com",
    },
  ],
  types: [54],
  models: [usual.model, "doubao-seedance-1-0-lite-t2v", "doubao-seedance-1-0-lite-i2v"],
  labels: ["video"],
  source:
    "path, address and key as wire-formats §13 and its table of vendors list them; content, states, length and size as VolcEngine documents them (read 2026-11-23); expired and the list are assumed",
  routes: [
    { method: "POST", path: `/doubao${tasksPath}`, read: readCreate },
    {
      method: "GET",
      path: `/doubao${tasksPath}`,
      read: () => ({ kind: "list", limit: 20, after: "", oldestFirst: false }),
    },
    {
      method: "GET",
      path: `/doubao${tasksPath}/*`,
      read: ({ segments }) => ({ kind: "fetch", id: segments[0] ?? "" }),
    },
  ],
  readVideo,
  deadline: "task",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  submitRequest: ({ submission, upstreamModel }) => ({
    method: "POST",
    path: submission.path,
    body: { ...submission.body, model: upstreamModel },
  }),
  readSubmitted(status, answer) {
    const members = fieldsOf(answer);
    const upstreamId = textOf(members["id"]);
    if (status < 300 && upstreamId !== "") {
      return {
        kind: "accepted",
        upstreamId,
        code: 1,
        description: "",
        properties: {},
        state: null,
      };
    }
    const description = textOf(fieldsOf(members["error"])["message"]);
    return description === ""
      ? undefined
      : { kind: "rejected", code: 0, description, disables: false };
  },
  missing: "task_not_exist",
  missingStatus: 404,
  brings: () => true,
  pollMax: 1,
  pollRequest: ([task]) => ({
    method: "GET",
    path: `${tasksPath}/${encodeURIComponent(task?.upstreamId ?? "")}`,
    body: null,
  }),
  readPolled(answer) {
    const task = fieldsOf(answer);
    const state = stateOf(task);
    return state === undefined ? undefined : new Map([[textOf(task["id"]), state]]);
  },
  linkOf: (id) => `/v1/tasks/results/${id}`,
  answerSubmitted: ({ id }) => ({ id }),
  showTask: show,
  wrapList: (items) => ({ items, total: items.length }),
  errorBody: ({ status, code, message }) => ({
    status,
    body: { error: { code, message, param: "", type: "" } },
  }),
};
