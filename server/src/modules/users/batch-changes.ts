/** The same change of several users in one transaction, with an answer for each. */

import { userStatus } from "@tollgate/contract/users.ts";
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
  /** Why not; empty when it was done. */
  readonly message: string;
};

/** Changes users one after the other. One that is refused does not keep the others from it. */
export async function changeUsers(
  tx: Db,
  ids: readonly number[],
  change: BatchChange,
  by: By,
): Promise<BatchResult[]> {
  const results = new Map<number, BatchResult>();
  const inOrder = [...new Set(ids)].toSorted((a, b) => a - b);
  // All of them first and in this order: no other change then waits for one and is waited for.
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
