/** The state of the start page: its queries, and whether steps are left. */

import {
  readSetupChecklist,
  readUserChecklist,
  type SetupChecklist,
  setupSteps,
  type UserChecklist,
} from "@tollgate/contract/endpoints/checklist.ts";
import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { call } from "#api/call.ts";

/** Every query about checklists begins with this key. */
export const checklistsKey = ["checklists"] as const;

type QueryContext = { readonly signal: AbortSignal };

/** The query of root's checklist, about the installation. */
export const setupChecklistQuery = {
  queryKey: [...checklistsKey, "setup"],
  queryFn: async ({ signal }: QueryContext) => await call(readSetupChecklist, {}, signal),
};

/** The query of everybody else's checklist, about a first call. */
export const userChecklistQuery = {
  queryKey: [...checklistsKey, "user"],
  queryFn: async ({ signal }: QueryContext) => await call(readUserChecklist, {}, signal),
};

export const isRoot = (user: ShortUser): boolean => user.role === role.enum.root;

/** The steps to a first call, in the order in which they are shown. */
export const userSteps = ["balance", "token", "call"] as const;
export type UserStep = (typeof userSteps)[number];

/** The steps that are done. A first call proves that there was a balance and a token. */
export function doneByUser({ quota, tokens, calls }: UserChecklist): UserStep[] {
  const done = { balance: quota > 0 || calls > 0, token: tokens > 0 || calls > 0, call: calls > 0 };
  return userSteps.filter((step) => done[step]);
}

export type Progress = {
  readonly done: number;
  readonly total: number;
  /** Whether the console still points to the start page by itself. */
  readonly isOpen: boolean;
};

export function setupProgress({ done, dismissed }: SetupChecklist): Progress {
  const total = setupSteps.length;
  return { done: done.length, total, isOpen: !dismissed && done.length < total };
}

export function userProgress(list: UserChecklist): Progress {
  const done = doneByUser(list).length;
  return { done, total: userSteps.length, isOpen: !list.dismissed && list.calls === 0 };
}

/** Asks the server whether the start page has something to do for this user. */
export async function hasStepsLeft(user: ShortUser): Promise<boolean> {
  const { isOpen } = isRoot(user)
    ? setupProgress(await call(readSetupChecklist, {}))
    : userProgress(await call(readUserChecklist, {}));
  return isOpen;
}
