/**
 * Calls and orders of another gateway as rows of the log. They are history: of a type of their own,
 * so that no sum, charge or audit counts them, and outside of every chain.
 */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
import type { Db } from "#db/database.ts";
import { blankRow, insertCallLogs } from "./logs.ts";

/** A row of another gateway, with the ids that things have here; 0: they are not here. */
export type ImportedLog = {
  /** Names the row among all imported ones. */
  readonly name: string;
  readonly createdAt: number;
  readonly userId: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly channelId: number;
  readonly model: string;
  readonly group: string;
  /** Quota units of this installation. */
  readonly quota: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly useTimeSeconds: number;
  readonly isStream: boolean;
  readonly content: string;
};

/** Adds rows of another gateway. */
export async function addImportedLogs(tx: Db, logs: readonly ImportedLog[]): Promise<void> {
  await insertCallLogs(
    tx,
    logs.map((log) => ({
      ...blankRow,
      request_id: log.name,
      created_at: log.createdAt,
      type: logType.enum.imported,
      user_id: log.userId,
      username: log.username,
      token_id: log.tokenId,
      token_name: log.tokenName,
      channel: log.channelId,
      model_name: log.model,
      group: log.group,
      quota: log.quota,
      prompt_tokens: log.promptTokens,
      completion_tokens: log.completionTokens,
      use_time: log.useTimeSeconds,
      is_stream: log.isStream ? 1 : 0,
      content: log.content,
    })),
  );
}

/**
 * Removes rows of another gateway whose names begin so.
 *
 * @param prefix ends with a colon.
 * @returns how many were removed, at most `limit`.
 */
export async function removeImportedLogs(tx: Db, prefix: string, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom("logs")
    .select("id")
    .where("type", "<>", logType.enum.consumption)
    .where("type", "=", logType.enum.imported)
    .where("request_id", "like", `${prefix}%`)
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom("logs").where("id", "in", ids).execute();
  return ids.length;
}
