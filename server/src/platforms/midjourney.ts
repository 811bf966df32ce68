/** Midjourney, as servers of midjourney-proxy offer it. */

import {
  actionOf,
  actionOfCustomId,
  drawingModels,
  isDrawn,
  type MidjourneyAction,
  modelOf,
  readChange,
} from "./midjourney-actions.ts";
import { pathTo, readSpeed } from "./midjourney-speed.ts";
import {
  type Platform,
  quotaCodes,
  type Refused,
  type StoredTask,
  type Submission,
  type TaskAsk,
  type TaskRequest,
  type TaskRoute,
  type TaskState,
} from "./platform.ts";
import { fieldsOf, listOf, progressOf, textOf, timeOf, wholeOf, without } from "./read-json.ts";

const refuse = (message: string): Refused => ({ kind: "refused", status: 400, message });

/** Fields of requests that are never passed on as they are. */
const ownFields = ["notifyHook", "taskId", "state"];

type Given = {
  readonly action: MidjourneyAction;
  /** The end of the upstream's path. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly follows?: string;
  readonly needsSuccess?: boolean;
};

/** Makes the submission of a request. */
function submission(request: TaskRequest, given: Given): Submission {
  const { options } = request;
  const { mode, ...spoken } = readSpeed(request);
  const drop = options.accountFilter ? ownFields : [...ownFields, "accountFilter"];
  const model = modelOf(given.action);
  return {
    kind: "submit",
    models: model === "mj_upload" ? [model, "mj_uploads"] : [model],
    action: given.action,
    prompt: textOf(spoken.prompt),
    state: textOf(request.body["state"]),
    use: { seconds: 1, count: 1, mode, size: "" },
    follows: given.follows ?? "",
    needsSuccess: given.needsSuccess ?? false,
    notifyHook: options.notify ? textOf(request.body["notifyHook"]) : "",
    body: without({ ...given.body, ...spoken }, drop),
    path: pathTo(request.mode, mode, given.to),
  };
}

function simple(
  action: MidjourneyAction,
  to: string,
  check: (body: TaskRequest["body"]) => string | null,
) {
  return (request: TaskRequest): TaskAsk => {
    const wrong = check(request.body);
    if (wrong !== null) return refuse(wrong);
    return submission(request, { action, to, body: request.body });
  };
}

const hasPrompt = (body: TaskRequest["body"]): string | null =>
  textOf(body["prompt"]).trim() === "" ? "prompt_is_required" : null;

const hasPictures = (body: TaskRequest["body"]): string | null =>
  listOf(body["base64Array"]).length === 0 && textOf(body["base64"]) === ""
    ? "base64Array_is_required"
    : null;

function readChangeRequest(request: TaskRequest): TaskAsk {
  const { body, options } = request;
  const taskId = textOf(body["taskId"]);
  const named = textOf(body["action"]).toUpperCase();
  if (taskId === "") return refuse("task_id_is_required");
  if (named === "") return refuse("action_is_required");
  const action = actionOf(named);
  if (action === undefined) return refuse(`unknown_action:${named}`);
  const index = wholeOf(body["index"]);
  if (action !== "REROLL" && index === 0) return refuse("index_is_required");
  const sent = action === "REROLL" ? { action } : { action, index };
  const needsSuccess = options.actionCheckSuccess;
  const told = { action, to: "/submit/change", body: sent };
  return submission(request, { ...told, follows: taskId, needsSuccess });
}

function readSimpleChange(request: TaskRequest): TaskAsk {
  const content = textOf(request.body["content"]).trim();
  if (content === "") return refuse("content_is_required");
  const change = readChange(content);
  if (change === undefined) return refuse("content_parse_failed");
  const { taskId: follows, action, word } = change;
  const needsSuccess = request.options.actionCheckSuccess;
  return submission(request, {
    action,
    to: "/submit/simple-change",
    body: { content: word },
    follows,
    needsSuccess,
  });
}

function readAction(request: TaskRequest): TaskAsk {
  const { body, options } = request;
  const follows = textOf(body["taskId"]);
  const customId = textOf(body["customId"]);
  if (customId === "") return refuse("custom_id_is_required");
  if (follows === "") return refuse("task_id_is_required");
  const action = actionOfCustomId(customId);
  if (action === undefined) return refuse(`unknown_action:${customId.slice(0, 100)}`);
  const needsSuccess = options.actionCheckSuccess;
  const asked = submission(request, {
    action,
    to: "/submit/action",
    body,
    follows,
    needsSuccess,
  });
  return { ...asked, inherit: ({ data }) => (isOfTask(customId, data) ? asked : foreignAction) };
}

const foreignAction = refuse("custom_id_is_not_of_this_task");

/** How Midjourney names the job that a button belongs to. */
const jobId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Whether a button belongs to a task, which tells its own: it could name another user's job. */
function isOfTask(customId: string, data: StoredTask["data"]): boolean {
  const [job] = jobId.exec(customId) ?? [];
  const buttons = JSON.stringify(data["buttons"] ?? []);
  return job === undefined || !jobId.test(buttons) || buttons.includes(job);
}

function readModal(request: TaskRequest): TaskAsk {
  const follows = textOf(request.body["taskId"]);
  if (follows === "") return refuse("task_id_is_required");
  return submission(request, { action: "MODAL", to: "/submit/modal", body: request.body, follows });
}

function readSwap(request: TaskRequest): TaskAsk {
  const { sourceBase64, targetBase64 } = request.body;
  if (textOf(sourceBase64) === "" || textOf(targetBase64) === "") {
    return refuse("sour_base64_and_target_base64_is_required");
  }
  const { body } = request;
  return submission(request, { action: "SWAP_FACE", to: "/insight-face/swap", body });
}

function readMany(request: TaskRequest): TaskAsk {
  const ids = listOf(request.body["ids"])
    .map(textOf)
    .filter((id) => id !== "");
  return { kind: "fetch-many", ids };
}

function readNotify({ body }: TaskRequest): TaskAsk {
  const upstreamId = textOf(body["id"]);
  return { kind: "notify", upstreamId, state: upstreamId === "" ? null : stateOf(body) };
}

const first = ({ segments }: TaskRequest): string => segments[0] ?? "";

const routes: readonly TaskRoute[] = [
  {
    method: "POST",
    path: "/mj/submit/imagine",
    read: simple("IMAGINE", "/submit/imagine", hasPrompt),
  },
  { method: "POST", path: "/mj/submit/blend", read: simple("BLEND", "/submit/blend", hasPictures) },
  {
    method: "POST",
    path: "/mj/submit/describe",
    read: simple("DESCRIBE", "/submit/describe", hasPictures),
  },
  {
    method: "POST",
    path: "/mj/submit/shorten",
    read: simple("SHORTEN", "/submit/shorten", hasPrompt),
  },
  { method: "POST", path: "/mj/submit/change", read: readChangeRequest },
  { method: "POST", path: "/mj/submit/simple-change", read: readSimpleChange },
  { method: "POST", path: "/mj/submit/action", read: readAction },
  { method: "POST", path: "/mj/submit/modal", read: readModal },
  {
    method: "POST",
    path: "/mj/submit/upload-discord-images",
    read: simple("UPLOAD", "/submit/upload-discord-images", hasPictures),
  },
  { method: "POST", path: "/mj/insight-face/swap", read: readSwap },
  { method: "POST", path: "/mj/notify", open: true, read: readNotify },
  {
    method: "GET",
    path: "/mj/task/*/fetch",
    read: (request) => ({ kind: "fetch", id: first(request) }),
  },
  { method: "POST", path: "/mj/task/list-by-condition", read: readMany },
  {
    method: "GET",
    path: "/mj/task/*/image-seed",
    read: (request) => ({
      kind: "forward",
      id: first(request),
      method: "GET",
      path: (id) => `/mj/task/${encodeURIComponent(id)}/image-seed`,
      answer: (_, answer) => without(fieldsOf(answer), ["id"]),
    }),
  },
  {
    method: "GET",
    path: "/mj/image/*",
    open: true,
    read: (request) => ({ kind: "content", id: first(request) }),
  },
];

const statuses: Readonly<Record<string, TaskState["status"]>> = {
  NOT_START: "NOT_START",
  SUBMITTED: "SUBMITTED",
  IN_PROGRESS: "IN_PROGRESS",
  MODAL: "MODAL",
  FAILURE: "FAILURE",
  CANCEL: "FAILURE",
  SUCCESS: "SUCCESS",
};

/** Fields that are read into columns, or that are the upstream's own. */
const readFields = [
  "id",
  "action",
  "status",
  "progress",
  "failReason",
  "imageUrl",
  "prompt",
  "promptEn",
  "description",
  "state",
  "submitTime",
  "startTime",
  "finishTime",
  "notifyHook",
  "discordInstanceId",
];

function stateOf(task: Readonly<Record<string, unknown>>): TaskState | null {
  const told = textOf(task["status"]);
  const reason = textOf(task["failReason"]);
  const status = statuses[told] ?? (told === "" ? "SUBMITTED" : undefined);
  if (status === undefined) return null;
  const progress = progressOf(task["progress"]);
  return {
    // A reason without a status is a failure that the upstream has not finished to note.
    status: status !== "SUCCESS" && reason !== "" && progress < 100 ? "FAILURE" : status,
    progress,
    failReason: reason,
    url: textOf(task["imageUrl"]),
    promptEn: textOf(task["promptEn"]),
    description: textOf(task["description"]),
    startTime: timeOf(task["startTime"]),
    finishTime: timeOf(task["finishTime"]),
    data: without(task, readFields),
  };
}

/** An upload is over when it is answered: with the addresses of the pictures, or with an id. */
function uploaded(result: readonly string[]): TaskState | null {
  const addresses = result.filter((text) => /^https?:/i.test(text));
  const [imageUrl] = addresses;
  const state = stateOf({ status: "SUCCESS", progress: 100, imageUrl });
  return state === null || imageUrl === undefined
    ? state
    : { ...state, data: { result: addresses } };
}

const codes = { submitted: 1, noAccount: 3, existing: 21 } as const;

/**
 * Codes of a full queue and of words that are looked at: with a task's id, the upstream has
 * accepted the task and works on it later.
 */
const acceptedCodes: ReadonlySet<number> = new Set([22, 23, 24]);

export const midjourney: Platform = {
  id: "midjourney",
  name: "Midjourney",
  channelTypes: [
    { id: "midjourney", type: 2, label: "Midjourney Proxy", baseUrl: null },
    { id: "midjourney-plus", type: 5, label: "Midjourney Proxy Plus", baseUrl: null },
  ],
  types: [2, 5],
  models: drawingModels,
  labels: ["image", "upload"],
  source:
    "routes, codes and fields as wire-formats §13 lists them; speeds in the path as its mode prefix; CANCEL, modes of accountFilter and the list of addresses that answers an upload are assumed",
  routes,
  deadline: "drawing",
  notifies: true,
  headers: (key) => ({ "mj-api-secret": key }),
  submitRequest({ submission: given, followsUpstream, notifyUrl }) {
    const { content } = given.body;
    const body = {
      ...given.body,
      ...(followsUpstream === "" || content !== undefined ? {} : { taskId: followsUpstream }),
      ...(content === undefined ? {} : { content: `${followsUpstream} ${textOf(content)}` }),
      ...(notifyUrl === "" ? {} : { notifyHook: notifyUrl }),
    };
    return { method: "POST", path: given.path, body };
  },
  readSubmitted(status, answer, action) {
    const members = fieldsOf(answer);
    if (typeof members["code"] !== "number") return undefined;
    const { code } = members;
    const description = textOf(members["description"]);
    const result = [members["result"]].flat().map(textOf);
    const [upstreamId = ""] = result;
    const properties = fieldsOf(members["properties"]);
    if (status >= 400 || upstreamId === "") {
      return { kind: "rejected", code, description, disables: code === codes.noAccount };
    }
    const state =
      action === "UPLOAD" && code === codes.submitted
        ? uploaded(result)
        : code === codes.existing && textOf(properties["imageUrl"]) !== ""
          ? stateOf({ ...properties, progress: 100 })
          : null;
    return { kind: "accepted", upstreamId, code, description, properties, state };
  },
  missing: "task_no_found",
  missingFollowed: "task_not_found",
  brings: isDrawn,
  pollMax: 100,
  pollRequest: (tasks) => ({
    method: "POST",
    path: "/mj/task/list-by-condition",
    body: { ids: tasks.map(({ upstreamId }) => upstreamId) },
  }),
  readPolled(answer) {
    if (!Array.isArray(answer)) return undefined;
    const states = new Map<string, TaskState>();
    for (const item of answer) {
      const task = fieldsOf(item);
      const state = stateOf(task);
      if (state !== null) states.set(textOf(task["id"]), state);
    }
    return states;
  },
  answerSubmitted(task, { code, description, properties }) {
    // Clients take every other code for a refusal; 21 opens the editor that these actions need.
    const opensEditor = task.action === "INPAINT" || task.action === "CUSTOM_ZOOM";
    const isTold = acceptedCodes.has(code) || (code === codes.existing && !opensEditor);
    const told = { code: isTold ? codes.submitted : code, description };
    // Clients of uploads read the addresses there.
    const { result } = task.data;
    if (result === undefined) return { ...told, result: task.id, properties };
    return { ...told, result, properties: { ...properties, taskId: task.id } };
  },
  showTask: (task, url) => ({
    buttons: [],
    properties: {},
    customId: "",
    botType: "",
    maskBase64: "",
    ...task.data,
    id: task.id,
    action: task.action,
    prompt: task.prompt,
    promptEn: task.promptEn,
    description: task.description,
    state: task.state,
    submitTime: task.submitTime,
    startTime: task.startTime,
    finishTime: task.finishTime,
    imageUrl: url,
    status: task.status === "" ? "NOT_START" : task.status,
    progress: `${task.progress}%`,
    failReason: task.failReason,
  }),
  linkOf: (id) => `/mj/image/${id}`,
  errorBody: ({ status, code, message, upstreamCode }) => ({
    status,
    body: {
      code: upstreamCode === 0 ? 4 : upstreamCode,
      description: quotaCodes.includes(code) ? "quota_not_enough" : message,
      result: "",
      properties: {},
      type: "upstream_error",
    },
  }),
};
