/** Songs and lyrics, as servers of the Suno API offer them. */

import {
  type Platform,
  quotaCodes,
  readPartName,
  type Refused,
  type TaskAsk,
  type TaskRequest,
  type TaskState,
} from "./platform.ts";
import { fieldsOf, listOf, progressOf, textOf, timeOf, without, wordOf } from "./read-json.ts";

const refuse = (message: string): Refused => ({ kind: "refused", status: 400, message });

/** The model that songs are made with, unless the request names another one. */
const songModel = "chirp-v3-0";

function readSubmit(request: TaskRequest): TaskAsk {
  const action = (request.segments[0] ?? "").toUpperCase();
  if (action !== "MUSIC" && action !== "LYRICS") return refuse("invalid_action");
  const { body } = request;
  const prompt = textOf(body["prompt"]) || textOf(body["gpt_description_prompt"]);
  if (action === "LYRICS" && prompt.trim() === "") return refuse("prompt_empty");
  const clip = readPartName(textOf(body["continue_clip_id"]));
  const isOwn = clip.id !== textOf(body["continue_clip_id"]);
  const follows = isOwn ? clip.id : textOf(body["task_id"]);
  if (clip.id !== "" && follows === "") return refuse("task id is empty");
  const mv = wordOf(body["mv"]) ?? " ";
  if (!/^[\w.-]*$/.test(mv)) return refuse("mv must be a name such as chirp-v3-0");
  const song = { ...body, mv: mv || songModel };
  return {
    kind: "submit",
    models: [`suno_${action.toLowerCase()}`],
    action,
    prompt,
    state: "",
    use: { seconds: 1, count: 1, mode: action === "MUSIC" ? song.mv : "", size: "" },
    follows,
    needsSuccess: false,
    ...(isOwn ? { part: clip.part } : {}),
    notifyHook: "",
    body: without(action === "MUSIC" ? song : body, ["task_id", "notify_hook"]),
    path: `/suno/submit/${action}`,
  };
}

const statuses: Readonly<Record<string, TaskState["status"]>> = {
  "": "SUBMITTED",
  NOT_START: "NOT_START",
  SUBMITTED: "SUBMITTED",
  QUEUED: "QUEUED",
  IN_PROGRESS: "IN_PROGRESS",
  UNKNOWN: "SUBMITTED",
  FAILURE: "FAILURE",
  SUCCESS: "SUCCESS",
};

function stateOf(task: Readonly<Record<string, unknown>>): TaskState | null {
  const status = statuses[textOf(task["status"])];
  if (status === undefined) return null;
  const failReason = textOf(task["fail_reason"]);
  const songs = listOf(task["data"]).map(fieldsOf);
  return {
    status: failReason !== "" && status !== "SUCCESS" ? "FAILURE" : status,
    progress: progressOf(task["progress"]),
    failReason,
    url: textOf(songs[0]?.["audio_url"]),
    promptEn: "",
    description: "",
    startTime: timeOf(task["start_time"]),
    finishTime: timeOf(task["finish_time"]),
    data: task["data"] === undefined ? {} : { data: task["data"] },
  };
}

export const suno: Platform = {
  id: "suno",
  name: "Suno",
  channelTypes: [{ id: "suno", type: 36, label: "Suno API", baseUrl: null }],
  types: [36],
  models: ["suno_music", "suno_lyrics"],
  labels: ["music", "lyrics"],
  source: "routes of wire-formats §13; fields as console-compatible gateways document them",
  routes: [
    { method: "POST", path: "/suno/submit/*", read: readSubmit },
    {
      method: "POST",
      path: "/suno/fetch",
      read: ({ body }) => ({ kind: "fetch-many", ids: listOf(body["ids"]).map(textOf) }),
    },
    {
      method: "GET",
      path: "/suno/fetch/*",
      read: ({ segments }) => ({ kind: "fetch", id: segments[0] ?? "" }),
    },
  ],
  deadline: "task",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  submitRequest: ({ submission, followsUpstream, followsPart }) => ({
    method: "POST",
    path: submission.path,
    body: {
      ...submission.body,
      ...(followsUpstream === "" ? {} : { task_id: followsUpstream }),
      ...(followsPart === "" ? {} : { continue_clip_id: followsPart }),
    },
  }),
  readSubmitted(status, answer) {
    const members = fieldsOf(answer);
    const code = textOf(members["code"]);
    if (code === "") return undefined;
    const upstreamId = textOf(members["data"]);
    const description = textOf(members["message"]);
    if (code !== "success" || status >= 400 || upstreamId === "") {
      return { kind: "rejected", code: 0, description: description || code, disables: false };
    }
    return { kind: "accepted", upstreamId, code: 1, description, properties: {}, state: null };
  },
  missing: "task_not_exist",
  channelDisabled: "task_channel_disable",
  linkOf: (id) => `/v1/tasks/results/${id}`,
  brings: (action) => action === "MUSIC",
  pollMax: 100,
  pollRequest: (tasks) => ({
    method: "POST",
    path: "/suno/fetch",
    body: { ids: tasks.map(({ upstreamId }) => upstreamId) },
  }),
  readPolled(answer) {
    const { code, data } = fieldsOf(answer);
    if (code !== "success") return undefined;
    const states = new Map<string, TaskState>();
    for (const item of listOf(data)) {
      const task = fieldsOf(item);
      const state = stateOf(task);
      if (state !== null) states.set(textOf(task["task_id"]), state);
    }
    return states;
  },
  answerSubmitted: (task, { description }) => ({
    code: "success",
    message: description,
    data: task.id,
  }),
  partIds: (data) => listOf(data["data"]).map((song) => textOf(fieldsOf(song)["id"])),
  showTask: (task) => ({
    task_id: task.id,
    action: task.action,
    status: task.status,
    fail_reason: task.failReason,
    submit_time: Math.floor(task.submitTime / 1_000),
    start_time: Math.floor(task.startTime / 1_000),
    finish_time: Math.floor(task.finishTime / 1_000),
    progress: `${task.progress}%`,
    data: task.data["data"] ?? [],
  }),
  wrap: (shown) => ({ code: "success", message: "", data: shown }),
  errorBody: ({ status, code, message }) => ({
    status: code === upstreamFault ? 500 : status,
    body: { code: codeOf(code), message, data: null },
  }),
};

/** The code of errors of an upstream that has no code of its own. */
const upstreamFault = "upstream_error";

/** The codes that clients of Suno's servers know. */
function codeOf(code: string): string {
  if (quotaCodes.includes(code)) return "quota_not_enough";
  if (code === upstreamFault) return "do_request_failed";
  return code === "prompt_empty" || code === "invalid_action" ? "invalid_request" : code;
}
