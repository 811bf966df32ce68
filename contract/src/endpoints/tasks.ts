/**
 * Asynchronous tasks: the lists of pictures and of other tasks, newest first, as one-api compatible
 * consoles read them. The times of the list of pictures are Unix milliseconds, those of the other
 * list Unix seconds; amounts are quota units. Ids are the gateway's own.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { pageInput } from "./page.ts";

/** The states of a task; empty: it is being submitted. */
export const taskStatus = z.enum([
  "",
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "MODAL",
  "SUCCESS",
  "FAILURE",
  "UNKNOWN",
]);
export type TaskStatus = z.infer<typeof taskStatus>;

/** The words by which screens name what a platform offers. */
export const taskLabels = [
  ...(["music", "lyrics", "splice", "upload", "video", "extend"] as const),
  ...(["watermark", "image", "kling"] as const),
];
export type TaskLabel = (typeof taskLabels)[number];

/** A task of this age is shown as slow, in seconds. */
export const slowTaskSeconds = 60;

const whole = z.number().int();

const everyTask = {
  id: whole,
  user_id: whole,
  /** The names of user and channel; empty in rows that users read about themselves. */
  username: z.string(),
  channel_name: z.string(),
  action: z.string(),
  status: taskStatus,
  /** `0%` to `100%`. */
  progress: z.string(),
  fail_reason: z.string(),
  submit_time: whole,
  start_time: whole,
  finish_time: whole,
  /** What was charged, and what of it was given back. */
  quota: whole,
  refunded: whole,
  /** 0 in rows that users read about themselves. */
  channel_id: whole,
};

const drawing = z.object({
  ...everyTask,
  mj_id: z.string(),
  code: whole,
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  /** Address of the picture; empty: there is none yet. */
  image_url: z.string(),
  /** JSON texts. */
  buttons: z.string(),
  properties: z.string(),
});
export type Drawing = z.infer<typeof drawing>;

const task = z.object({
  ...everyTask,
  /** When the task was submitted, as consoles of the family read it. */
  created_at: whole,
  task_id: z.string(),
  platform: z.string(),
  prompt: z.string(),
  /** Address of the picture, song or video; empty: there is none yet. */
  result_url: z.string(),
  /** JSON text of what the platform's upstream said. */
  data: z.string(),
});
export type Task = z.infer<typeof task>;

/** The most matching rows that are counted: `total` is at most this. */
export const taskCountMost = 10_000;

/** How many tasks match. */
const listExtras = z.object({ total: whole.default(0) });

/** A time of a query: consoles send `NaN` for none. */
const times = { start_timestamp: queryWhole, end_timestamp: queryWhole };

const drawingFilter = z.object({
  ...pageInput,
  ...times,
  channel_id: queryWhole,
  mj_id: queryText,
});

export const listDrawings = endpoint({
  method: "GET",
  path: "/api/mj/",
  access: "admin",
  input: drawingFilter,
  output: z.array(drawing),
  extras: listExtras,
});

export const listOwnDrawings = endpoint({
  method: "GET",
  path: "/api/mj/self/",
  access: "user",
  input: drawingFilter,
  output: z.array(drawing),
  extras: listExtras,
});

const taskFilter = z.object({
  ...pageInput,
  ...times,
  channel_id: queryWhole,
  task_id: queryText,
  platform: queryText,
  status: queryText,
  action: queryText,
});

export const listTasks = endpoint({
  method: "GET",
  path: "/api/task/",
  access: "admin",
  input: taskFilter,
  output: z.array(task),
  extras: listExtras,
});

export const listOwnTasks = endpoint({
  method: "GET",
  path: "/api/task/self",
  access: "user",
  input: taskFilter,
  output: z.array(task),
  extras: listExtras,
});

/** What each platform offers, by its id; for the filters of screens. */
export const listPlatforms = endpoint({
  method: "GET",
  path: "/api/task/platforms",
  access: "user",
  input: z.object({}),
  output: z.array(
    z.object({ id: z.string(), name: z.string(), labels: z.array(z.enum(taskLabels)) }),
  ),
});
