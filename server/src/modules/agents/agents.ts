/** The facts about agents that the ledger proves, and what other modules ask about them. */

import { rateMaxBp } from "@tollgate/contract/endpoints/agents.ts";
import type { Selectable } from "kysely";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type {
  AgentInviteeTable,
  AgentTable,
  DividendDayTable,
  DividendTable,
  WithdrawalTable,
} from "#db/tables/agents.ts";
import { appendAudit, noteRow, type RowState, systemActor } from "#modules/audit/audit.ts";

const dayMs = 86_400_000;

export type DividendRow = DividendTable;
export type WithdrawalRow = Selectable<WithdrawalTable>;

/** Hex SHA-256 over an agent, as JSON text in this order. */
export function agentHash(row: Omit<AgentTable, "hash">): string {
  const { user_id, state, rate_bp, requested_at, approved_at } = row;
  return hashText(JSON.stringify([user_id, state, rate_bp, requested_at, approved_at]));
}

/** Returns what the audit log says of an agent. */
export function notedAgent(row: Omit<AgentTable, "hash">): RowState {
  const { user_id: _, ...state } = row;
  return { ...state };
}

/** Returns what the audit log says of a day whose dividends are computed. */
export function notedDay({ closed_at }: Pick<DividendDayTable, "closed_at">): RowState {
  return { closed_at };
}

/** Notes in the audit log that a day is closed. */
export async function noteClosedDay(
  tx: Db,
  { day, closed_at }: { readonly day: number; readonly closed_at: number },
  nowMs: number,
): Promise<void> {
  await appendAudit(tx, {
    actor: systemActor,
    action: "dividend.close",
    target: new Date(day * dayMs).toISOString().slice(0, 10),
    row: await noteRow(tx, "closed_day", day, notedDay({ closed_at })),
    nowMs,
  });
}

/** Hex SHA-256 over how far an invitee is counted, as JSON text in this order. */
export function inviteeHash(row: Omit<AgentInviteeTable, "hash">): string {
  return hashText(JSON.stringify([row.invitee_id, row.spent_before, row.counted]));
}

/** Hex SHA-256 over a dividend, as JSON text in this order. */
export function dividendHash(row: Omit<DividendRow, "hash">): string {
  return hashText(
    JSON.stringify([
      row.day,
      row.invitee_id,
      row.agent_id,
      row.spent,
      row.paid,
      row.base,
      row.rate_bp,
      row.dividend,
      row.created_at,
    ]),
  );
}

/** The columns of a withdrawal that are fixed when it is requested. */
type WithdrawalTerms = Omit<WithdrawalRow, "ended_at" | "ended_by" | "note" | "state">;

/** Hex SHA-256 over what was requested. */
export function requestHash(row: WithdrawalTerms): string {
  return hashText(
    JSON.stringify([
      row.id,
      row.user_id,
      row.quota,
      row.money,
      row.currency,
      row.price,
      row.quota_per_unit,
      row.payee,
      row.created_at,
    ]),
  );
}

/** Hex SHA-256 over how a withdrawal ended. */
export function endHash(row: WithdrawalRow): string {
  return hashText(
    JSON.stringify([requestHash(row), row.state, row.note, row.ended_at, row.ended_by]),
  );
}

/** The causes of the entries in the purse. */
export function dividendCause({ day, invitee_id }: Pick<DividendRow, "day" | "invitee_id">) {
  return `dividend:${day}:${invitee_id}`;
}
export function withdrawalCause(id: number): string {
  return `withdrawal:${id}`;
}
export function endCause(id: number): string {
  return `withdrawal_end:${id}`;
}

/** Computes a share of quota units, rounded down. */
export function shareOf(quota: number, rateBp: number): number {
  return Number((BigInt(quota) * BigInt(rateBp)) / BigInt(rateMaxBp));
}

/** Whether a user is an agent, suspended or not, who gets dividends in place of rebates. */
export async function isAgent(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom("agents")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("approved_at", ">", 0)
    .executeTakeFirst();
  return row !== undefined;
}
