/** Notes what could not be written into the books as its record says. */

import type { Db } from "#db/database.ts";
import type { JournalRefusedKind } from "#db/tables/ledger.ts";

/** What could not be written, and why. */
export type Refused = {
  readonly seq: number;
  readonly place: number;
  readonly requestId: string;
  readonly kind: JournalRefusedKind;
  readonly reason: string;
  readonly body: string;
};

export async function noteRefused(
  tx: Db,
  nodeId: string,
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return;
  const at = { node_id: nodeId, created_at: Date.now() };
  await tx
    .insertInto("journal_refused")
    .values(
      refused.map(({ seq, place, requestId, kind, reason, body }) => ({
        ...at,
        seq,
        place,
        request_id: requestId,
        kind,
        reason,
        body,
      })),
    )
    .execute();
}

/** Counts what root has to look into. */
export async function countRefused(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom("journal_refused")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
