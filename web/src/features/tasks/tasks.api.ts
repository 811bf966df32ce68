/** The API calls of the lists of tasks. Users read their own tasks, admins those of all users. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import * as contract from "@tollgate/contract/endpoints/tasks.ts";
import { call, callWhole } from "#api/call.ts";
import type { TaskSearch } from "./tasks.search.ts";

export type TaskInput = Pick<
  TaskSearch,
  "action" | "channel" | "end" | "page" | "platform" | "start" | "status" | "task_id"
> & { readonly size: number; readonly isAdmin: boolean };

/** How often a list is read again while one of its tasks runs, in milliseconds. */
const runningMs = 3_000;

function isRunning({ status }: Pick<contract.Task, "status">): boolean {
  return status !== "SUCCESS" && status !== "FAILURE" && status !== "UNKNOWN";
}

function intervalOf(items: readonly Pick<contract.Task, "status">[] | undefined): number | false {
  return items?.some(isRunning) === true ? runningMs : false;
}

export function useTasks(input: TaskInput, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["tasks", input],
    queryFn: ({ signal }) => readTasks(input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => intervalOf(state.data?.items),
  });
}

export function useDrawings(input: TaskInput, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["drawings", input],
    queryFn: ({ signal }) => readDrawings(input, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => intervalOf(state.data?.items),
  });
}

function windowOf({ page, size, channel, isAdmin }: TaskInput) {
  const ofChannel = isAdmin && channel !== "" ? { channel_id: Number(channel) } : {};
  return { p: page - 1, page_size: size, ...ofChannel };
}

export async function readTasks(input: TaskInput, signal: AbortSignal) {
  const { task_id, platform, status, action, start, end } = input;
  const endpoint = input.isAdmin ? contract.listTasks : contract.listOwnTasks;
  const times = { start_timestamp: start, end_timestamp: end };
  const asked = { ...windowOf(input), ...times, task_id, platform, status, action };
  const { data, extras } = await callWhole(endpoint, asked, signal);
  return pageOf(data, extras.total);
}

export async function readDrawings(input: TaskInput, signal: AbortSignal) {
  const { task_id: mj_id, start, end } = input;
  const endpoint = input.isAdmin ? contract.listDrawings : contract.listOwnDrawings;
  const times = { start_timestamp: start * 1_000, end_timestamp: end * 1_000 };
  const asked = { ...windowOf(input), ...times, mj_id };
  const { data, extras } = await callWhole(endpoint, asked, signal);
  return pageOf(data, extras.total);
}

function pageOf<Row>(items: readonly Row[], total: number) {
  return { items, total, capped: total >= contract.taskCountMost };
}

export function usePlatforms() {
  return useQuery({
    queryKey: ["task-platforms"],
    queryFn: ({ signal }) => call(contract.listPlatforms, {}, signal),
    staleTime: Infinity,
  });
}
