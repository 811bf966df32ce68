/**
 * Moves orders, and calls of the log, as history. They are many, and never change there, so it is
 * noted up to which row they are here, and not each of them.
 */

import { isPlain } from "@tollgate/contract/fields/fields.ts";
import type { Db } from "#db/database.ts";
import type { LogReader, NeutralHistory, TableReader } from "#modules/import/import.ts";
import { findImported, listUserNames, noteImported } from "#modules/import/imports.repo.ts";
import { noteFault } from "#modules/import/report.ts";
import { addImportedLogs, type ImportedLog } from "#modules/logs/imported-logs.ts";
import { judged, type Move, moveTable } from "./move.ts";
import { sourceName } from "./move-users.ts";

/** How many rows are one transaction. */
const batchSize = 1_000;

/** Under this id it is noted up to which row of a table all are here. */
export const markKey = "until";

/** The longest text of a row, in characters. */
const contentMax = 1_000;
const nameMax = 300;

/** Moves orders, and as much of the log as is wanted. */
export async function moveHistory(move: Move): Promise<void> {
  const { orders, logs } = move.reader;
  for (const reader of orders) await moveRows(move, "order", reader, undefined);
  if (move.logsSince === null) return;
  for (const reader of logs) await moveRows(move, "log", reader, reader.time);
}

async function moveRows(
  move: Move,
  kind: "log" | "order",
  reader: LogReader | TableReader<NeutralHistory>,
  time: string | undefined,
): Promise<void> {
  const { db, source, importId, writes, report } = move;
  if (!source.tables.has(reader.table)) return;
  const known = await findImported(db, importId, kind, [markKey]);
  const after = known.get(markKey)?.target_id ?? null;
  const since =
    time === undefined ? undefined : { column: time, at: Math.max(0, move.logsSince ?? 0) };
  const handle = async (tx: Db, rows: readonly NeutralHistory[]): Promise<void> => {
    const own = await ownRows(move, tx, kind, rows);
    report.rows[kind].created += own.length;
    if (kind === "log") for (const { quota } of own) report.sums.logs += quota;
    if (!writes) return;
    await addImportedLogs(tx, own);
    const last = rows.at(-1);
    if (last === undefined) return;
    const mark = { source_id: markKey, target_id: Number(last.id), seen: "" };
    await noteImported(tx, importId, kind, mark);
  };
  await moveTable(move, kind, reader, handle, { after, limit: batchSize, since });
}

/** Gives rows the ids that their users, tokens and channels have here. */
async function ownRows(
  move: Move,
  tx: Db,
  kind: "log" | "order",
  rows: readonly NeutralHistory[],
): Promise<ImportedLog[]> {
  const { importId, convert, writes, report, comingUsers } = move;
  const find = async (of: string, ids: readonly string[]) =>
    await findImported(
      tx,
      importId,
      of,
      ids.filter((id) => id !== ""),
    );
  const users = await find(
    "user",
    rows.map(({ userId }) => userId),
  );
  const tokens = await find(
    "token",
    rows.map(({ tokenId }) => tokenId),
  );
  const channels = await find(
    "channel",
    rows.map(({ channelId }) => channelId),
  );
  const names = await listUserNames(
    tx,
    [...users.values()].map(({ target_id }) => target_id),
  );
  const own: ImportedLog[] = [];
  for (const row of rows) {
    const userId = users.get(row.userId)?.target_id;
    if (userId === undefined && (writes || !comingUsers.has(row.userId))) {
      noteFault(report, { kind, id: row.id, what: "its user does not come" });
      continue;
    }
    await judged(move, kind, row.id, async () => {
      own.push({
        name: `${sourceName(move)}:${kind}:${row.id}`,
        createdAt: row.createdTime,
        userId: userId ?? 0,
        username: names.get(userId ?? 0) ?? "",
        tokenId: tokens.get(row.tokenId)?.target_id ?? 0,
        tokenName: plain(row.tokenName),
        channelId: channels.get(row.channelId)?.target_id ?? 0,
        model: plain(row.model),
        group: plain(row.group),
        quota: convert("quota", row.quota),
        promptTokens: Math.max(0, row.promptTokens),
        completionTokens: Math.max(0, row.completionTokens),
        useTimeSeconds: Math.max(0, row.useTimeSeconds),
        isStream: row.isStream,
        content: row.content.slice(0, contentMax),
      });
    });
  }
  return own;
}

/** A name that cannot be shown is left out of the row. */
function plain(text: string): string {
  return isPlain(text) && text.length <= nameMax ? text : "";
}
