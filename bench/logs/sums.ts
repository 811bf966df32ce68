/** Writes what the calls of a seed add up to: balances, counters and attempts by day. */

import type { Db } from "@tollgate/server/src/db/database.ts";
import type { BalanceTable } from "@tollgate/server/src/db/tables/ledger.ts";

export type Sum = {
  quota: number;
  request_count: number;
  prompt_tokens: number;
  completion_tokens: number;
};

export type Sums = {
  /** Balance and end of the chain of each user, by user. */
  readonly heads: ReadonlyMap<number, BalanceTable>;
  /** By kind and id, such as `user 7`. */
  readonly counters: Map<string, Sum>;
  /** Rows of `channel_days`, by day, channel and model. */
  readonly days: Map<string, Record<string, number | string>>;
};

export async function saveSums(tx: Db, { heads, counters, days }: Sums): Promise<void> {
  for (const { user_id, ...head } of heads.values()) {
    await tx.updateTable("balances").set(head).where("user_id", "=", user_id).execute();
  }
  for (const [key, { quota, ...counts }] of counters) {
    const [kind, id] = key.split(" ");
    // Safe cast: the keys are made of these kinds.
    const row = { kind: kind as "channel" | "token" | "user", id: Number(id), ...counts };
    await tx
      .insertInto("counters")
      .values({ ...row, used_quota: quota })
      .onConflict((conflict) =>
        conflict.columns(["kind", "id"]).doUpdateSet((eb) => ({
          used_quota: eb("counters.used_quota", "+", quota),
          request_count: eb("counters.request_count", "+", counts.request_count),
          prompt_tokens: eb("counters.prompt_tokens", "+", counts.prompt_tokens),
          completion_tokens: eb("counters.completion_tokens", "+", counts.completion_tokens),
        })),
      )
      .execute();
    if (kind !== "token") continue;
    await tx
      .updateTable("token_balances")
      .set((eb) => ({ used: eb("used", "+", quota), granted: eb("granted", "+", quota) }))
      .where("token_id", "=", row.id)
      .execute();
  }
  for (const row of days.values()) {
    // Safe cast: every column of the table is set.
    await tx
      .insertInto("channel_days")
      .values(row as never)
      .execute();
  }
}
