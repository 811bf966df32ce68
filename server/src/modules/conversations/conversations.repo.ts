/** The queries of conversations and of links to them. */

import { turnsSummedMax } from "@tollgate/contract/endpoints/conversations.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import type { ConversationLinkTable } from "#db/tables/console/conversations.ts";

/** The rows of log types that are turns: charged and failed calls. */
const charged = 2;
const failed = 5;

export type TurnRow = Awaited<ReturnType<typeof listTurns>>[number];

/**
 * Lists the newest turns of a conversation, newest first: one more than are summed, if there are more.
 *
 * @param userId null: whoever's it is.
 */
export async function listTurns(db: Db, conversationId: number, userId: number | null) {
  return await db
    .selectFrom("logs")
    .select(["id", "request_id", "type", "username", "token_name", "channel", "model_name"])
    .select([
      "created_at",
      "use_time",
      "content",
      "other",
      "usage",
      "placement",
      "moved_quota",
      "tool_names",
    ])
    .select(["prompt_tokens", "completion_tokens"])
    .select(
      sql<number>`case when reversed = 1 then 0 else quota - refunded + rerated end`.as("quota"),
    )
    .where("conversation_id", "=", conversationId)
    // Repeats the condition of the partial index on conversations.
    .where(sql<SqlBool>`conversation_id <> 0`)
    .where(sql<SqlBool>`(type = ${sql.lit(charged)} or type = ${sql.lit(failed)})`)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(turnsSummedMax + 1)
    .execute();
}

/** Whether there is a turn of the conversation that the user may read. */
export async function hasTurns(
  db: Db,
  conversationId: number,
  userId: number | null,
): Promise<boolean> {
  const found = await db
    .selectFrom("logs")
    .select("id")
    .where("conversation_id", "=", conversationId)
    .where(sql<SqlBool>`conversation_id <> 0`)
    .$if(userId !== null, (query) => query.where("user_id", "=", userId))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export async function namesOfChannels(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("channels")
    .select(["id", "name"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

type Link = Omit<ConversationLinkTable, "id">;

export async function insertLink(tx: Db, link: Link): Promise<number> {
  const { id } = await tx
    .insertInto("conversation_links")
    .values(link)
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Removes the links of a user that have expired, and returns how many are left. */
export async function tidyLinks(tx: Db, userId: number, now: number): Promise<number> {
  await tx
    .deleteFrom("conversation_links")
    .where("user_id", "=", userId)
    .where("expires_at", "<=", now)
    .execute();
  const { count } = await tx
    .selectFrom("conversation_links")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function listLinks(db: Db, userId: number, conversationId: number, now: number) {
  return await db
    .selectFrom("conversation_links")
    .select(["id", "created_at", "expires_at"])
    .where("user_id", "=", userId)
    .where("conversation_id", "=", conversationId)
    .where("expires_at", ">", now)
    .orderBy("id", "desc")
    .execute();
}

/** Finds a link that has not expired, and whose maker may still sign in. */
export async function findLink(db: Db, lookup: string, now: number) {
  return await db
    .selectFrom("conversation_links")
    .innerJoin("users", "users.id", "conversation_links.user_id")
    .select(["conversation_id", "user_id", "expires_at", "role"])
    .where("lookup", "=", lookup)
    .where("expires_at", ">", now)
    .where("users.status", "=", 1)
    .where("users.DeletedAt", "is", null)
    .executeTakeFirst();
}

/** @returns the conversation that it led to; undefined: the user has no such link. */
export async function deleteLink(tx: Db, id: number, userId: number) {
  return await tx
    .deleteFrom("conversation_links")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("conversation_id")
    .executeTakeFirst();
}
