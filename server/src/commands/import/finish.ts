/**
 * Opens users who have moved: one by one while the source is followed, and all of them after the
 * last run, which compares what they have with what they should have.
 */

import { unixSeconds } from "#base/clock.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { ForeignError } from "#db/foreign.ts";
import {
  type ImportRow,
  listNetBalances,
  pageImported,
  updateImport,
} from "#modules/import/imports.repo.ts";
import type { Report } from "#modules/import/report.ts";
import { openImported } from "#modules/import/imports.store.ts";
import { openMovedUsers } from "#modules/users/users.ts";
import type { Move } from "./move.ts";

/** How many users are one transaction or one question. */
const batchSize = 500;

const differentMax = 20;

/** Ends an import: compares the amounts with the source, then lets all moved users call here. */
export async function finishMove(move: Move, row: ImportRow): Promise<void> {
  const { db, report, now } = move;
  report.check = await check(db, [...move.expected.values()]);
  for (let after = ""; ;) {
    const rows = await pageImported(db, row.id, "user", after, batchSize);
    if (rows.length === 0) break;
    await db.transaction().execute(async (tx) => {
      await openMovedUsers(
        tx,
        rows.map(({ target_id }) => target_id),
      );
    });
    after = rows.at(-1)?.source_id ?? after;
  }
  await db.transaction().execute(async (tx) => {
    await updateImport(tx, row.id, { ended_at: unixSeconds(now()) });
    await recordChange(tx, "users", 0);
  });
}

async function check(
  db: Db,
  expected: readonly { readonly id: number; readonly username: string; readonly amount: number }[],
): Promise<Report["check"]> {
  let there = 0;
  let here = 0;
  const different: { username: string; there: number; here: number }[] = [];
  for (let at = 0; at < expected.length; at += batchSize) {
    const users = expected.slice(at, at + batchSize);
    const amounts = await listNetBalances(
      db,
      users.map(({ id }) => id),
    );
    for (const { id, username, amount } of users) {
      const own = amounts.get(id) ?? 0;
      there += amount;
      here += own;
      const isListed = own !== amount && different.length < differentMax;
      if (isListed) different.push({ username, there: amount, here: own });
    }
  }
  return { users: expected.length, there, here, different };
}

/**
 * Lets one user call here, who is not read again from then on.
 *
 * @param name of the user here, or the id at the source.
 * @throws ForeignError if the user is not one who cannot call here yet.
 */
export async function openOne(db: Db, row: ImportRow, name: string): Promise<string> {
  const found = await db.transaction().execute(async (tx) => await openImported(tx, row, name));
  if (found !== undefined) return `${found.username} can call here, and is not read again.`;
  throw new ForeignError(`The import ${row.name} has no user ${name} who cannot call here yet.`);
}
