/** What the audit log says of tokens, by which an altered row is found. */

import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import type { Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type { TokenTable } from "#db/tables/tokens.ts";
import {
  type NotedRow,
  noteRow,
  parseState,
  readNoted,
  type RowState,
} from "#modules/audit/audit.ts";
import { settingNames } from "./setting-columns.ts";

/** The columns of a token that the audit log proves beside its settings. */
const notedColumns = [
  "user_id",
  "lookup",
  "sealed",
  "hint",
  "old_lookup",
  "old_hint",
  "old_ends_at",
  "created_time",
  "DeletedAt",
] as const;

/**
 * Returns what the audit log says of a token. Of its status only whether it is disabled: calls mark
 * tokens as expired or exhausted.
 */
export function notedToken(row: Selectable<TokenTable>): RowState {
  const names = [...notedColumns, ...settingNames];
  const isDisabled = row.status === tokenStatus.enum.disabled ? 1 : 0;
  return {
    ...Object.fromEntries(names.map((name) => [name, row[name]])),
    is_disabled: isDisabled,
  };
}

/**
 * Makes the note of a token that was changed in this transaction. `given` is what the console has
 * given to the token, and `was_both` whether it has had both a limit and none: then calls of either
 * time may end later.
 *
 * @param names the changed columns; absent: the token is new.
 * @param delta by how much the granted quota was changed.
 */
export async function noteToken(
  tx: Db,
  id: number,
  names: readonly string[] | undefined,
  delta: number,
): Promise<NotedRow> {
  const row = await tx
    .selectFrom("tokens")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const state = notedToken(row);
  const changed = Object.entries(state).filter(([name]) => names?.includes(name) ?? true);
  const last = parseState((await readNoted(tx, "token", [id])).get(id) ?? "{}");
  const given = Number(last["given"] ?? 0) + delta;
  const isOther =
    names !== undefined && Number(last["unlimited_quota"] ?? 0) !== row.unlimited_quota;
  const was_both = isOther && names.includes("unlimited_quota") ? 1 : (last["was_both"] ?? 0);
  return await noteRow(tx, "token", id, { ...Object.fromEntries(changed), given, was_both });
}
