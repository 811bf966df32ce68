/** Speaks the protocols of the platforms of tasks. */

import { film } from "./film.ts";
import { drawBitmap, playNotes } from "./media.ts";
import { type DemoState, type DemoTask, type DemoTasks, has } from "./tasks.ts";

type TaskRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The address of this server, for the addresses of results. */
  readonly url: string;
};

export type TaskAnswer =
  | { readonly kind: "json"; readonly status: number; readonly body: unknown }
  | { readonly kind: "bytes"; readonly type: string; readonly bytes: Uint8Array }
  /** The connection ends in the middle of the answer. */
  | { readonly kind: "cut" };

type Members = Readonly<Record<string, unknown>>;

type ReceivedTask = TaskRequest & { readonly tasks: DemoTasks; readonly sent: Members };

const ok = (body: unknown, status = 200): TaskAnswer => ({ kind: "json", status, body });

/** Undefined: the path is none of these protocols'. */
export function answerTask(tasks: DemoTasks, request: TaskRequest): TaskAnswer | undefined {
  const asked = { ...request, tasks, sent: readBody(request.body) };
  const { path } = request;
  const picture = /^\/media\/([\w-]+)\.(bmp|wav|webm)$/.exec(path);
  if (picture !== null) {
    const [, id = "", type] = picture;
    if (type === "webm") return { kind: "bytes", type: "video/webm", bytes: film };
    if (type === "wav") return { kind: "bytes", type: "audio/wav", bytes: playNotes(id) };
    return { kind: "bytes", type: "image/bmp", bytes: drawBitmap(id) };
  }
  if (/^(\/(fast|relax|turbo))?\/mj\//.test(path)) return answerDrawing(asked);
  if (path.startsWith("/suno/")) return answerSong(asked);
  if (
    /^\/(kling\/)?v1\/videos\/(text2video|image2video|multi-image2video|omni-video|video-extend|lip-sync)/.test(
      path,
    )
  ) {
    return answerKling(asked);
  }
  if (/^\/(kling\/)?v1\/images\/generations/.test(path)) return answerKling(asked);
  if (/^\/v1\/videos(\/|$)/.test(path)) return answerVideo(asked);
  if (path.startsWith(contentTasks)) return answerContent(asked);
  return undefined;
}

function readBody(text: string): Members {
  try {
    return Object(JSON.parse(text)) as Members;
  } catch {
    return {};
  }
}

/** The first of these members that is a text; empty: none is. */
function textIn(sent: Members, ...names: readonly string[]): string {
  const found = names.map((name) => sent[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : "";
}

/** What a submission gets instead of a task; undefined: it gets one. */
function misfortuneOf(prompt: string): TaskAnswer | undefined {
  if (has(prompt, "silent")) return { kind: "cut" };
  if (has(prompt, "busy")) {
    return ok({ code: 23, description: "queue full", message: "queue full" }, 429);
  }
  return undefined;
}

function begin({ tasks, sent }: ReceivedTask, platform: string, action: string): DemoTask {
  const prompt = textIn(sent, "prompt", "gpt_description_prompt", "content");
  const before = tasks.last();
  if (has(prompt, "twin") && before !== undefined) return before;
  const seconds = Number(sent["seconds"] ?? sent["duration"] ?? 4);
  return tasks.add({
    platform,
    action,
    prompt,
    seconds,
    model: textIn(sent, "model", "model_name"),
    notifyHook: textIn(sent, "notifyHook"),
    size: textIn(sent, "size") || "720x1280",
  });
}

const drawingStatus = {
  queued: "SUBMITTED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
} as const;

const buttons = [1, 2, 3, 4].flatMap((index) => [
  {
    customId: `MJ::JOB::upsample::${index}::demo`,
    emoji: "",
    label: `U${index}`,
    style: 2,
    type: 2,
  },
]);

function showDrawing(asked: ReceivedTask, task: DemoTask) {
  const { status, progress } = asked.tasks.stateOf(task);
  const isShown = progress > 0 && status !== "failed";
  return {
    id: task.id,
    action: task.action,
    prompt: task.prompt,
    promptEn: task.prompt,
    status: drawingStatus[status],
    progress: `${progress}%`,
    imageUrl: isShown ? `${asked.url}/media/${task.id}.bmp` : "",
    failReason: status === "failed" ? "Scripted failure" : "",
    submitTime: task.startedMs,
    startTime: task.startedMs,
    finishTime: status === "succeeded" ? Date.now() : 0,
    buttons: status === "succeeded" ? buttons : [],
    // Real servers repeat the address for callbacks.
    properties: { finalPrompt: task.prompt, notifyHook: task.notifyHook },
  };
}

function answerDrawing(asked: ReceivedTask): TaskAnswer {
  const { path, sent, tasks } = asked;
  if (path.endsWith("/task/list-by-condition")) {
    const ids = Array.isArray(sent["ids"]) ? sent["ids"].map(String) : [];
    const found = ids.flatMap((id) => tasks.find(id) ?? []);
    return ok(found.map((task) => showDrawing(asked, task)));
  }
  const seed = /\/task\/([^/]+)\/image-seed$/.exec(path);
  if (seed !== null) return ok({ code: 1, description: "success", result: "1234567890" });
  const prompt = textIn(sent, "prompt");
  const misfortune = misfortuneOf(prompt);
  if (misfortune !== undefined) return misfortune;
  if (has(prompt, "nobody")) return ok({ code: 3, description: "No available account" });
  if (has(prompt, "banned")) {
    return ok({ code: 24, description: "banned prompt: banned", properties: {} });
  }
  const action = (/\/([a-z-]+)$/.exec(path)?.[1] ?? "").replaceAll("-", "_").toUpperCase();
  const task = begin(asked, "midjourney", action);
  // An upload is over at once, and is answered with the addresses of its pictures.
  if (action === "UPLOAD_DISCORD_IMAGES") {
    return ok({ code: 1, description: "success", result: [`${asked.url}/media/${task.id}.bmp`] });
  }
  const code = has(prompt, "queue") ? 22 : 1;
  return ok({
    code,
    description: code === 1 ? "Submit success" : "In queue",
    result: task.id,
    properties: {},
  });
}

const songStatus = {
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
} as const;

function answerSong(asked: ReceivedTask): TaskAnswer {
  const { path, sent, tasks } = asked;
  if (path === "/suno/fetch") {
    const ids = Array.isArray(sent["ids"]) ? sent["ids"].map(String) : [];
    const data = ids.flatMap((id) => tasks.find(id) ?? []).map((task) => showSong(asked, task));
    return ok({ code: "success", message: "", data });
  }
  const action = /^\/suno\/submit\/(\w+)$/.exec(path)?.[1] ?? "";
  const prompt = textIn(sent, "prompt", "gpt_description_prompt");
  const misfortune = misfortuneOf(prompt);
  if (misfortune !== undefined) return misfortune;
  if (has(prompt, "banned")) {
    return ok({ code: "invalid_prompt", message: "banned prompt", data: "" });
  }
  return ok({ code: "success", message: "", data: begin(asked, "suno", action).id });
}

function showSong(asked: ReceivedTask, task: DemoTask) {
  const { status, progress } = asked.tasks.stateOf(task);
  const media = `${asked.url}/media/${task.id}`;
  const song = {
    id: `clip-${task.id}`,
    title: "A scripted song",
    audio_url: `${media}.wav`,
    image_url: `${media}.bmp`,
    status: "complete",
    metadata: { prompt: task.prompt, duration: 3 },
  };
  const lyrics = {
    id: task.id,
    title: "Scripted lyrics",
    text: `[Verse]\n${task.prompt}`,
    status: "complete",
  };
  const results = task.action === "LYRICS" ? lyrics : [song];
  return {
    task_id: task.id,
    action: task.action,
    status: songStatus[status],
    progress: `${progress}%`,
    fail_reason: status === "failed" ? "Scripted failure" : "",
    submit_time: Math.floor(task.startedMs / 1_000),
    data: status === "succeeded" ? results : null,
  };
}

const klingStatus = {
  queued: "submitted",
  running: "processing",
  succeeded: "succeed",
  failed: "failed",
} as const;

function answerKling(asked: ReceivedTask): TaskAnswer {
  const { method, path, sent, tasks } = asked;
  const [, kind = "", id = ""] =
    /v1\/(?:videos\/)?([\w-]+|images\/generations)(?:\/([\w-]+))?$/.exec(path) ?? [];
  if (method === "GET") {
    const task = tasks.find(id);
    if (task === undefined) return ok({ code: 1203, message: "task not found" }, 404);
    return ok({ code: 0, message: "SUCCEED", data: showKling(asked, task) });
  }
  const prompt = textIn(sent, "prompt");
  const misfortune = misfortuneOf(prompt);
  if (misfortune !== undefined) return misfortune;
  if (has(prompt, "banned")) return ok({ code: 1301, message: "banned prompt" }, 400);
  const task = begin(asked, "kling", kind);
  return ok({ code: 0, message: "SUCCEED", data: { task_id: task.id, task_status: "submitted" } });
}

function showKling(asked: ReceivedTask, task: DemoTask) {
  const { status } = asked.tasks.stateOf(task);
  const isPicture = task.action.includes("images");
  const file = {
    id: `video-${task.id}`,
    url: `${asked.url}/media/${task.id}.${isPicture ? "bmp" : "webm"}`,
  };
  const result = isPicture
    ? { images: [{ index: 0, ...file }] }
    : { videos: [{ ...file, duration: String(task.seconds) }] };
  return {
    task_id: task.id,
    task_status: klingStatus[status],
    task_status_msg: status === "failed" ? "Scripted failure" : "",
    created_at: task.startedMs,
    updated_at: Date.now(),
    ...(status === "succeeded" ? { task_result: result } : {}),
  };
}

const videoStatus = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
} as const;

function answerVideo(asked: ReceivedTask): TaskAnswer {
  const { method, path, sent, tasks } = asked;
  const [, id = "", more] = /^\/v1\/videos\/([\w-]+)(\/content|\/remix)?$/.exec(path) ?? [];
  if (id !== "" && more !== "/remix") {
    const task = tasks.find(id);
    if (task === undefined) {
      return ok({ error: { message: "no such video", code: "not_found" } }, 404);
    }
    if (method === "DELETE") return ok({ id, object: "video.deleted", deleted: true });
    if (more === "/content") return { kind: "bytes", type: "video/webm", bytes: film };
    return ok(showVideo(task, tasks.stateOf(task)));
  }
  const prompt = textIn(sent, "prompt");
  const misfortune = misfortuneOf(prompt);
  if (misfortune !== undefined) return misfortune;
  if (has(prompt, "banned")) {
    return ok({ error: { message: "banned prompt", code: "moderation_blocked" } }, 400);
  }
  const original = tasks.find(id);
  if (original === undefined) {
    return ok(showVideo(begin(asked, "video", "create"), { status: "queued", progress: 0 }));
  }
  const { seconds, size, model } = original;
  const remix = begin({ ...asked, sent: { ...sent, seconds, size, model } }, "video", "remix");
  return ok({
    ...showVideo(remix, { status: "queued", progress: 0 }),
    remixed_from_video_id: id,
  });
}

function showVideo(task: DemoTask, { status, progress }: DemoState) {
  return {
    id: task.id,
    object: "video",
    model: task.model,
    status: videoStatus[status],
    progress,
    created_at: Math.floor(task.startedMs / 1_000),
    completed_at: status === "succeeded" ? Math.floor(Date.now() / 1_000) : null,
    seconds: String(task.seconds),
    size: task.size,
    error: status === "failed" ? { code: "scripted", message: "Scripted failure" } : null,
  };
}

/** Where Doubao's videos are begun and asked for. */
const contentTasks = "/api/v3/contents/generations/tasks";

function answerContent(asked: ReceivedTask): TaskAnswer {
  const { method, path, sent, tasks } = asked;
  if (method === "GET") {
    const task = tasks.find(path.slice(contentTasks.length + 1));
    if (task === undefined) return ok({ error: { code: "NotFound", message: "no task" } }, 404);
    return ok(showContent(asked, task));
  }
  const [first] = Array.isArray(sent["content"]) ? sent["content"] : [];
  const prompt = textIn(Object(first) as Members, "text");
  const misfortune = misfortuneOf(prompt);
  if (misfortune !== undefined) return misfortune;
  if (has(prompt, "banned")) {
    return ok({ error: { code: "SensitiveContent", message: "banned prompt" } }, 400);
  }
  return ok({ id: begin({ ...asked, sent: { ...sent, prompt } }, "doubao", "video").id });
}

function showContent({ tasks, url }: ReceivedTask, task: DemoTask) {
  const { status } = tasks.stateOf(task);
  return {
    id: task.id,
    model: task.model,
    status,
    error: status === "failed" ? { code: "scripted", message: "Scripted failure" } : null,
    content: status === "succeeded" ? { video_url: `${url}/media/${task.id}.webm` } : {},
    created_at: Math.floor(task.startedMs / 1_000),
    updated_at: Math.floor(Date.now() / 1_000),
  };
}
