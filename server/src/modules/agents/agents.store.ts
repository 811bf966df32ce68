/** What runs beside the database for agents, their dividends and withdrawals. */

import {
  type AgentState,
  type Withdrawal,
  withdrawalCurrency,
} from "@tollgate/contract/endpoints/agents.ts";
import { moneyText } from "@tollgate/contract/money/money.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { AgentTable } from "#db/tables/agents.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { moveEarnings, transferEarnings } from "#modules/affiliates/affiliates.ts";
import { type Actor, appendAudit, noteRow } from "#modules/audit/audit.ts";
import {
  lockEarnings,
  type Posted,
  postEarning,
  readDebt,
  refuseDebtor,
} from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import { tellMoney } from "#modules/notifications/notifications.ts";
import {
  agentHash,
  endCause,
  endHash,
  inviteeHash,
  requestHash,
  withdrawalCause,
} from "./agents.ts";
import * as repo from "./agents.repo.ts";
import { claimDay, findOpenDay, payDividends } from "./dividends.ts";

const hourSeconds = 3_600;

/** The largest number of rows that one statement inserts. */
const insertedMax = 500;

/** Who makes a change, and when in Unix milliseconds. */
type By = { readonly actor: Actor; readonly nowMs: number };

/**
 * Makes a user an agent, or lets the user wait for root's approval. Whoever was rejected may ask
 * again.
 */
async function join(
  tx: Db,
  { approval }: { readonly approval: boolean },
  { actor, nowMs }: By,
): Promise<{ readonly state: AgentState }> {
  const { userId } = actor;
  const now = unixSeconds(nowMs);
  const state = approval ? "requested" : "approved";
  const approved_at = approval ? 0 : now;
  const own = { user_id: userId, state, rate_bp: -1, requested_at: now, approved_at };
  const joined = await tx
    .insertInto("agents")
    .values({ ...own, hash: agentHash(own) })
    .onConflict((conflict) => conflict.column("user_id").doNothing())
    .returning("user_id")
    .executeTakeFirst();
  if (joined === undefined) {
    const before = await lockAgent(tx, userId);
    if (before?.state !== "rejected") throw new Refusal("already-exists", "您已加入代理计划");
    await changeAgent(tx, before, { state, requested_at: now, approved_at });
  }
  if (!approval) await noteSpending(tx, userId, now);
  const changed = { state, rate_bp: -1, requested_at: now, approved_at };
  const { rate_bp: _, ...again } = changed;
  await appendAudit(tx, {
    actor,
    action: "agent.join",
    target: `user:${userId}`,
    detail: { state },
    row: await noteRow(tx, "agent", userId, joined === undefined ? again : changed),
    nowMs,
  });
  return { state };
}

async function lockAgent(tx: Db, userId: number): Promise<AgentTable | undefined> {
  const query = tx.selectFrom("agents").selectAll().where("user_id", "=", userId);
  return await lockRows(tx, query).executeTakeFirst();
}

/** Changes an agent whose row is locked, and its hash. */
async function changeAgent(
  tx: Db,
  row: AgentTable,
  change: Partial<Omit<AgentTable, "hash" | "user_id">>,
): Promise<void> {
  await tx
    .updateTable("agents")
    .set({ ...change, hash: agentHash({ ...row, ...change }) })
    .where("user_id", "=", row.user_id)
    .execute();
}

/**
 * Notes what an agent's invitees had spent in the hour of the approval before it. All later sums
 * begin with that hour.
 */
async function noteSpending(tx: Db, agentId: number, now: number): Promise<void> {
  await tx
    .deleteFrom("agent_invitees")
    .where("invitee_id", "in", inviteesOf(tx, agentId))
    .execute();
  const spending = await tx
    .selectFrom("users")
    .innerJoin("usage_hours", "usage_hours.user_id", "users.id")
    .select((eb) => ["users.id", eb.fn.sum<number>("usage_hours.quota").as("quota")])
    .where("users.inviter_id", "=", agentId)
    .where("usage_hours.hour", "=", now - (now % hourSeconds))
    .groupBy("users.id")
    .execute();
  const rows = spending.map(({ id, quota }) => {
    const row = { invitee_id: id, spent_before: Number(quota), counted: 0 };
    return { ...row, hash: inviteeHash(row) };
  });
  for (let at = 0; at < rows.length; at += insertedMax) {
    const part = rows.slice(at, at + insertedMax);
    await tx.insertInto("agent_invitees").values(part).execute();
  }
}

function inviteesOf(tx: Db, agentId: number) {
  return tx.selectFrom("users").select("id").where("inviter_id", "=", agentId);
}

/** The states from which root can bring an agent into a state. */
const statesBefore: Readonly<Record<AgentState, readonly string[]>> = {
  requested: [],
  approved: ["requested", "rejected", "suspended"],
  rejected: ["requested"],
  suspended: ["approved"],
};

type AgentChange = {
  readonly userId: number;
  readonly state: AgentState | undefined;
  readonly rateBp: number | undefined;
};

async function updateAgent(tx: Db, change: AgentChange, { actor, nowMs }: By): Promise<void> {
  const { userId, state, rateBp } = change;
  const before = await lockAgent(tx, userId);
  if (before === undefined) throw new Refusal("not-found", "代理不存在");
  const isNew = state !== undefined && state !== before.state;
  if (isNew && !statesBefore[state].includes(before.state)) {
    throw new Refusal("not-allowed", "代理当前状态不允许此操作");
  }
  const now = unixSeconds(nowMs);
  const isFirst = state === "approved" && before.approved_at === 0;
  const after = {
    state: state ?? before.state,
    rate_bp: rateBp ?? before.rate_bp,
    approved_at: isFirst ? now : before.approved_at,
  };
  await changeAgent(tx, before, after);
  if (isFirst) await noteSpending(tx, userId, now);
  await appendAudit(tx, {
    actor,
    action: "agent.update",
    target: `user:${userId}`,
    detail: { before: { state: before.state, rate_bp: before.rate_bp }, after },
    row: await noteRow(tx, "agent", userId, changedOf(before, after)),
    nowMs,
  });
}

/** Returns the columns of `after` that are others than before. */
function changedOf(
  before: AgentTable,
  after: Pick<AgentTable, "approved_at" | "rate_bp" | "state">,
) {
  const { approved_at, rate_bp, state } = after;
  return {
    ...(state === before.state ? {} : { state }),
    ...(rate_bp === before.rate_bp ? {} : { rate_bp }),
    ...(approved_at === before.approved_at ? {} : { approved_at }),
  };
}

type WithdrawalRequest = {
  readonly userId: number;
  readonly quota: number;
  readonly money: number;
  readonly price: string;
  readonly quotaPerUnit: string;
  readonly payee: string;
  readonly nowMs: number;
};

/**
 * Requests a payout. The purse is locked first, so that of many requests one is granted, and none
 * takes what a transfer to the balance takes as well.
 */
async function requestWithdrawal(tx: Db, request: WithdrawalRequest): Promise<Withdrawal> {
  const { userId, quota, nowMs } = request;
  const purse = await lockEarnings(tx, userId, "purse");
  const agent = await tx
    .selectFrom("agents")
    .select("state")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (agent?.state !== "approved") throw new Refusal("not-allowed", "您还不是代理");
  await refuseDebtor(tx, userId);
  if (purse.requested > 0) throw new Refusal("not-allowed", "已有待处理的提现申请");
  const terms = {
    user_id: userId,
    quota,
    money: request.money,
    currency: withdrawalCurrency,
    price: request.price,
    quota_per_unit: request.quotaPerUnit,
    payee: request.payee,
    created_at: unixSeconds(nowMs),
  };
  const open = { state: "requested", note: "", ended_at: 0, ended_by: 0 } as const;
  const { id } = await tx
    .insertInto("withdrawals")
    .values({ ...terms, ...open })
    .returning("id")
    .executeTakeFirstOrThrow();
  await postEarning(tx, {
    account: "purse",
    cause: withdrawalCause(id),
    kind: "withdrawal",
    userId,
    amount: -quota,
    requested: quota,
    detail: requestHash({ id, ...terms }),
    nowMs,
    tooLittle: "可提现额度不足",
  });
  return repo.showWithdrawal({ id, ...terms, ...open });
}

/** Returns the user who asked for a withdrawal. */
async function readWithdrawer(db: Db, id: number): Promise<number> {
  const row = await db
    .selectFrom("withdrawals")
    .select("user_id")
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) throw new Refusal("not-found", "提现申请不存在");
  return row.user_id;
}

export type WithdrawalEnd = { readonly state: "paid" | "rejected"; readonly note: string };

/**
 * Ends a withdrawal: it is paid out, or rejected and its quota goes back to the purse, from where it
 * pays a debt.
 * @throws Refusal `not-allowed` when it was ended before, or is to be paid out although its user has
 * come into debt meanwhile.
 */
async function endWithdrawal(
  tx: Db,
  id: number,
  { state, note }: WithdrawalEnd,
  { actor, nowMs }: By,
): Promise<{ readonly posted: Posted | null }> {
  const query = tx.selectFrom("withdrawals").selectAll().where("id", "=", id);
  const row = await lockRows(tx, query).executeTakeFirst();
  if (row === undefined) throw new Refusal("not-found", "提现申请不存在");
  if (row.state !== "requested") throw new Refusal("not-allowed", "该提现申请已处理");
  const { user_id: userId, quota, money } = row;
  const debt = await readDebt(tx, userId);
  if (state === "paid" && debt > 0) {
    throw new Refusal("not-allowed", `该用户欠费额度 ${debt}，不能打款；拒绝后，额度将先偿还欠费`);
  }
  const ended = { state, note, ended_at: unixSeconds(nowMs), ended_by: actor.userId };
  await tx.updateTable("withdrawals").set(ended).where("id", "=", id).execute();
  await postEarning(tx, {
    account: "purse",
    cause: endCause(id),
    kind: state === "paid" ? "withdrawal_paid" : "withdrawal_rejected",
    userId,
    amount: state === "paid" ? 0 : quota,
    requested: -quota,
    detail: endHash({ ...row, ...ended }),
    nowMs,
  });
  await insertLog(tx, { type: 4, userId, content: tellEnd(quota, { state, note }), nowMs });
  const shown = `${moneyText(money, row.currency)} ${row.currency.toUpperCase()}`;
  const event = state === "paid" ? "withdrawal_paid" : "withdrawal_rejected";
  await tellMoney(tx, { cause: endCause(id), userId, event, quota, money: shown });
  await appendAudit(tx, {
    actor,
    action: state === "paid" ? "withdrawal.pay" : "withdrawal.reject",
    target: `user:${userId}`,
    detail: { withdrawal: id, quota, money, note },
    nowMs,
  });
  const owed = Math.min(debt, quota);
  if (owed === 0) return { posted: null };
  const move = { account: "purse", userId, amount: owed, tooLittle: "可用收益不足" } as const;
  return { posted: await moveEarnings(tx, { ...move, requestId: endCause(id), nowMs }) };
}

function tellEnd(quota: number, { state, note }: WithdrawalEnd): string {
  return state === "paid" ? `提现 ${quota} 已打款：${note}` : `提现 ${quota} 被拒绝：${note}`;
}

/** Notes in the audit log that root had the dividends computed. */
async function noteRun(tx: Db, detail: object, { actor, nowMs }: By): Promise<void> {
  await appendAudit(tx, { actor, action: "dividend.run", target: "", detail, nowMs });
}

export const agentStore = defineStore({
  reads: {
    findOpenDay,
    pageAgents: repo.pageAgents,
    pageDividends: repo.pageDividends,
    pageEarnings: repo.pageEarnings,
    pageOwnWithdrawals: repo.pageOwnWithdrawals,
    pageWithdrawals: repo.pageWithdrawals,
    readAgent: repo.readAgent,
    readWithdrawer,
  },
  writes: {
    claimDay,
    endWithdrawal,
    join,
    noteRun,
    payDividends,
    requestWithdrawal,
    transferEarnings,
    updateAgent,
  },
});

export type AgentStore = RemoteStore<typeof agentStore>;
