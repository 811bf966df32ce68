/** Makes the same change to several users in one transaction, with a result for each user. */

import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import { refusalOf } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { type By, editUser, manageUser } from "./changes.ts";
import { lockUser } from "./users.repo.ts";

type BatchChange =
  | { readonly status: 1 | 2 }
  | { readonly group: string; readonly groups: readonly string[] };

type BatchResult = {
  readonly id: number;
  readonly success: boolean;
  /** Why the change was refused; empty when it was made. */
  readonly message: string;
};

/** Changes users one after the other. If one change is refused, the others are still made. */
export async function changeUsers(
  tx: Db,
  ids: readonly number[],
  change: BatchChange,
  by: By,
): Promise<BatchResult[]> {
  const results = new Map<number, BatchResult>();
  const inOrder = [...new Set(ids)].toSorted((a, b) => a - b);
  // All users are locked first, in order of id, so that two transactions cannot deadlock.
  for (const id of inOrder) await lockUser(tx, { id });
  for (const id of inOrder) {
    const message = await refusalOf(() => changeOne(tx, id, change, by));
    results.set(id, { id, success: message === "", message });
  }
  return ids.flatMap((id) => results.get(id) ?? []);
}

async function changeOne(tx: Db, id: number, change: BatchChange, by: By): Promise<void> {
  if ("status" in change) {
    const action = change.status === userStatus.enum.enabled ? "enable" : "disable";
    await manageUser(tx, { id }, action, by);
  } else {
    const { group, groups } = change;
    await editUser(tx, { id, group, groups, wish: {}, delta: 0, reason: "" }, by);
  }
}
