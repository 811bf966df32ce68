import * as contract from "@tollgate/contract/endpoints/tasks.ts";
import { readPageWindowFromZero } from "@tollgate/contract/endpoints/page.ts";
import type { z } from "zod";
import { type Handler, handle, withExtras } from "#http/handler.ts";
import { findPlatform, platforms } from "#platforms/registry.ts";
import { isStreamed } from "./desk.ts";
import type { DeskDeps } from "./desk-work.ts";
import { showTask as showStored } from "./task-state.ts";
import type { NamedTask, TaskFilter } from "./tasks.repo.ts";
import type { TaskRow } from "./tasks.ts";

type Deps = Pick<DeskDeps, "findChannel" | "forwardsPictures" | "serverAddress" | "store">;

/** Handles the console's requests for lists of tasks. */
export function taskHandlers(deps: Deps): Handler[] {
  const { store } = deps;
  return [
    handle(contract.listDrawings, async (input) => {
      const { rows, total } = await store.pageTasks(drawingFilter(input, null));
      return withExtras(
        rows.map((row) => showDrawing(deps, row)),
        { total },
      );
    }),
    handle(contract.listOwnDrawings, async (input, { userId }) => {
      const filter = { ...drawingFilter(input, userId), channelId: 0 };
      const { rows, total } = await store.pageTasks(filter);
      return withExtras(
        rows.map((row) => ({ ...showDrawing(deps, row), ...ownView })),
        { total },
      );
    }),
    handle(contract.listTasks, async (input) => {
      const { rows, total } = await store.pageTasks(taskFilter(input, null));
      return withExtras(
        rows.map((row) => showTask(deps, row)),
        { total },
      );
    }),
    handle(contract.listOwnTasks, async (input, { userId }) => {
      const filter = { ...taskFilter(input, userId), channelId: 0 };
      const { rows, total } = await store.pageTasks(filter);
      return withExtras(
        rows.map((row) => ({ ...showTask(deps, row), ...ownView })),
        { total },
      );
    }),
    handle(contract.listPlatforms, async () =>
      platforms.map(({ id, name, labels }) => ({ id, name, labels: [...labels] })),
    ),
  ];
}

/** What users do not read about their own tasks. */
const ownView = { channel_id: 0, channel_name: "", username: "" } as const;

type DrawingInput = z.output<typeof contract.listDrawings.input>;
type TaskInput = z.output<typeof contract.listTasks.input>;

const anything = {
  taskId: "",
  platform: "",
  status: null,
  action: "",
  channelId: 0,
  start: 0,
  end: 0,
};

function windowOf(input: DrawingInput | TaskInput): Pick<TaskFilter, "limit" | "offset"> {
  const { page, page_size: limit } = readPageWindowFromZero(input);
  return { limit, offset: (page - 1) * limit };
}

function drawingFilter(input: DrawingInput, userId: number | null): TaskFilter {
  return {
    ...anything,
    ...windowOf(input),
    userId,
    drawings: true,
    taskId: input.mj_id,
    channelId: input.channel_id ?? 0,
    start: input.start_timestamp ?? 0,
    end: input.end_timestamp ?? 0,
  };
}

function taskFilter(input: TaskInput, userId: number | null): TaskFilter {
  return {
    ...anything,
    ...windowOf(input),
    userId,
    drawings: false,
    taskId: input.task_id,
    platform: input.platform,
    status: input.status === "" ? null : input.status,
    action: input.action,
    channelId: input.channel_id ?? 0,
    start: (input.start_timestamp ?? 0) * 1_000,
    end:
      input.end_timestamp === undefined || input.end_timestamp <= 0
        ? 0
        : input.end_timestamp * 1_000 + 999,
  };
}

/** Codes of Midjourney's proxies: submitted; the queue is full, the prompt is looked at. */
const submittedCode = 1;
const queueCodes: ReadonlySet<number> = new Set([23, 24]);

/** What the console shows of a task: its data, and the address of its result at this server. */
function shownOf(deps: Deps, row: TaskRow) {
  const platform = findPlatform(row.platform);
  if (platform === undefined) return { link: "", data: {} };
  const { task, link } = showStored(platform, row, {
    streams: isStreamed(deps, row),
    serverAddress: deps.serverAddress(),
    drawing: null,
    marksProgress: false,
  });
  return { link, data: task.data };
}

function shared(row: NamedTask) {
  const { id, user_id, username, action, fail_reason, quota, refunded, channel_id } = row;
  const status = contract.taskStatus.catch("UNKNOWN").parse(row.status);
  return {
    id,
    user_id,
    username,
    channel_name: row.channel_name,
    action,
    status,
    fail_reason,
    quota,
    refunded,
    channel_id,
    progress: `${row.progress}%`,
  };
}

function showDrawing(deps: Deps, row: NamedTask): contract.Drawing {
  const { link, data } = shownOf(deps, row);
  return {
    ...shared(row),
    submit_time: row.submit_time,
    start_time: row.start_time,
    finish_time: row.finish_time,
    mj_id: row.task_id,
    // With an id of its upstream, the task waits in a queue.
    code: row.upstream_id !== "" && queueCodes.has(row.code) ? submittedCode : row.code,
    prompt: row.prompt,
    prompt_en: row.prompt_en,
    description: row.description,
    state: row.state,
    image_url: link,
    buttons: JSON.stringify(data["buttons"] ?? []),
    properties: JSON.stringify(data["properties"] ?? {}),
  };
}

function showTask(deps: Deps, row: NamedTask): contract.Task {
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  const { link, data } = shownOf(deps, row);
  return {
    ...shared(row),
    created_at: seconds(row.submit_time),
    submit_time: seconds(row.submit_time),
    start_time: seconds(row.start_time),
    finish_time: seconds(row.finish_time),
    task_id: row.task_id,
    platform: row.platform,
    prompt: row.prompt,
    result_url: link,
    data: JSON.stringify(data),
  };
}
