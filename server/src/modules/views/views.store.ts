/** Reads and writes saved views of lists. */

import type { SavedView, SavedViewBody, ViewedList } from "@tollgate/contract/endpoints/views.ts";
import { savedViewsMax } from "@tollgate/contract/endpoints/views.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";

/** The `user_id` of views that everybody sees. */
const everybody = 0;

async function listViews(db: Db, userId: number, list: ViewedList): Promise<SavedView[]> {
  const rows = await db
    .selectFrom("saved_views")
    .select(["id", "user_id", "name", "body"])
    .where("user_id", "in", [userId, everybody])
    .where("list", "=", list)
    .orderBy("name")
    .orderBy("id")
    .execute();
  return rows.map(({ id, user_id, name, body }) => ({
    id,
    name,
    shared: user_id === everybody,
    // Safe cast: only `saveView` writes the column.
    ...(JSON.parse(body) as SavedViewBody),
  }));
}

type Saved = SavedViewBody & {
  readonly list: ViewedList;
  readonly name: string;
  readonly shared: boolean;
};

/** @returns the view's id; null: there are too many. */
async function saveView(
  tx: Db,
  userId: number,
  { list, name, shared, search, columns }: Saved,
): Promise<number | null> {
  const user_id = shared ? everybody : userId;
  const body = JSON.stringify({ search, columns } satisfies SavedViewBody);
  const others = await tx
    .selectFrom("saved_views")
    .select("id")
    .where("user_id", "=", user_id)
    .where("list", "=", list)
    .where("name", "<>", name)
    .execute();
  if (others.length >= savedViewsMax) return null;
  const { id } = await tx
    .insertInto("saved_views")
    .values({ user_id, list, name, body })
    .onConflict((conflict) => conflict.columns(["user_id", "list", "name"]).doUpdateSet({ body }))
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** @returns whether there was such a view. */
async function removeView(
  tx: Db,
  id: number,
  by: { readonly userId: number; readonly isRoot: boolean },
): Promise<boolean> {
  const owners = by.isRoot ? [by.userId, everybody] : [by.userId];
  const removed = await tx
    .deleteFrom("saved_views")
    .where("id", "=", id)
    .where("user_id", "in", owners)
    .returning("id")
    .executeTakeFirst();
  return removed !== undefined;
}

export const viewStore = defineStore({ reads: { listViews }, writes: { removeView, saveView } });

export type ViewStore = RemoteStore<typeof viewStore>;
