/**
 * The part of T10 and T11 (see `proof.ts`) about rows that lead to entries, or keep what entries do
 * not say: refunds, codes, agents and how far their invitees are counted. Each stores the hash of its
 * columns.
 */

import type { Db } from "#db/database.ts";
import type { AgentInviteeTable, AgentTable } from "#db/tables/agents.ts";
import { agentHash, inviteeHash } from "#modules/agents/agents.ts";
import { refundHash, type RefundRow } from "#modules/payments/payments.ts";
import { redemptionHash, type RedemptionRow } from "#modules/redemptions/redemptions.ts";
import type { Flaw } from "./flaw.ts";

/** The number of rows that are read at a time. */
const pageSize = 2_000;

type Walk<Row> = {
  readonly check: Flaw["check"];
  readonly table: string;
  /** The column that identifies a row. */
  readonly key: keyof Row & string;
  /** Reads the next rows after the one with this key. */
  readonly read: (after: number) => Promise<readonly Row[]>;
  readonly hashOf: (row: Row) => string;
};

/** Finds a refund or a code whose hash is not that of its columns. */
export async function findAlteredRow(db: Db): Promise<Flaw | null> {
  return (
    (await walk<RefundRow>({
      check: "T10",
      table: "order_refunds",
      key: "id",
      read: (after) => pageOf(db, after).refunds.execute(),
      hashOf: refundHash,
    })) ??
    (await walk<RedemptionRow>({
      check: "T10",
      table: "redemptions",
      key: "id",
      read: (after) => pageOf(db, after).redemptions.execute(),
      hashOf: redemptionHash,
    })) ??
    (await walk<AgentTable>({
      check: "T11",
      table: "agents",
      key: "user_id",
      read: (after) => pageOf(db, after).agents.execute(),
      hashOf: agentHash,
    })) ??
    (await walk<AgentInviteeTable>({
      check: "T11",
      table: "agent_invitees",
      key: "invitee_id",
      read: (after) => pageOf(db, after).invitees.execute(),
      hashOf: inviteeHash,
    }))
  );
}

function pageOf(db: Db, after: number) {
  return {
    refunds: db
      .selectFrom("order_refunds")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize),
    redemptions: db
      .selectFrom("redemptions")
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize),
    agents: db
      .selectFrom("agents")
      .selectAll()
      .where("user_id", ">", after)
      .orderBy("user_id")
      .limit(pageSize),
    invitees: db
      .selectFrom("agent_invitees")
      .selectAll()
      .where("invitee_id", ">", after)
      .orderBy("invitee_id")
      .limit(pageSize),
  };
}

async function walk<Row extends { readonly hash: string }>(given: Walk<Row>): Promise<Flaw | null> {
  const { check, table, key, read, hashOf } = given;
  for (let after = 0; ;) {
    const rows = await read(after);
    const altered = rows.find((row) => hashOf(row) !== row.hash);
    if (altered !== undefined) {
      return { check, table, row: `${key}=${String(altered[key])}`, reason: "hash" };
    }
    after = Number(rows.at(-1)?.[key] ?? after);
    if (rows.length < pageSize) return null;
  }
}
