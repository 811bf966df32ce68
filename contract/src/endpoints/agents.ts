/**
 * Agents: resellers, whom root approves. What their invitees pay for and spend earns them dividends
 * once a day, in a purse apart from their balance. From there they are moved to the balance, or paid
 * out by root.
 *
 * Quota is whole quota units, rates are hundredths of a per cent, money is whole minor units of its
 * currency, times are Unix seconds.
 */

import { z } from "zod";
import { scaled } from "@tollgate/contract/money/decimals.ts";
import { endpoint } from "./endpoint.ts";
import { id, queryText, sentWhole } from "@tollgate/contract/fields/fields.ts";
import { currencyDigits } from "@tollgate/contract/money/money.ts";
import { page, pageInput } from "./page.ts";

const whole = z.number().int();

/** The currency in which withdrawals are paid out: that of option `Price`. */
export const withdrawalCurrency = "cny";

/** The largest rate, in hundredths of a per cent. */
export const rateMaxBp = 10_000;

/** The longest text about where a withdrawal is paid to, and the longest note of root. */
export const payeeMax = 200;
export const noteMax = 200;

/** Reads a per cent with at most two decimal places as hundredths of a per cent. */
export function readPercent(text: string): number | undefined {
  const [, first = "", part = ""] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text.trim()) ?? [];
  if (first === "") return undefined;
  const bp = Number(first) * 100 + Number(part.padEnd(2, "0"));
  return bp > rateMaxBp ? undefined : bp;
}

/** Writes hundredths of a per cent as per cent: 1250 is `12.5`. */
export function percentText(bp: number): string {
  return String(bp / 100);
}

/** Computes the money that a withdrawal pays out: rounded down to the cent. */
export function withdrawalMoney(quota: number, price: string, quotaPerUnit: string): number {
  const minor = 10n ** BigInt(currencyDigits(withdrawalCurrency));
  // Both factors are scaled alike, so the scales cancel out.
  return Number((BigInt(quota) * minor * scaled(price)) / scaled(quotaPerUnit));
}

/**
 * States of an agent. `requested`: waits for root; `suspended`: earns nothing and cannot ask for
 * payouts.
 */
export const agentState = z.enum(["requested", "approved", "rejected", "suspended"]);
export type AgentState = z.infer<typeof agentState>;

const purse = {
  /** What can be moved to the balance or requested for a payout. */
  balance: whole,
  /** What is requested and not paid out yet. */
  requested: whole,
  /** Sum of all dividends. */
  earned: whole,
};

/** What the caller's own page of resellers shows. */
export const readAgent = endpoint({
  method: "GET",
  path: "/api/user/agent",
  access: "user",
  input: z.object({}),
  output: z.object({
    /** `none`: the caller has not joined. */
    state: z.enum(["none", ...agentState.options]),
    /** Whether root lets users join, and agents earn, at present. */
    enabled: z.boolean(),
    /** The caller's rate, or the one that new agents get. */
    rate_bp: whole,
    /** Whether root has to approve new agents. */
    approval: z.boolean(),
    invitees: whole,
    ...purse,
    /** Sum of all withdrawals that were paid out, in quota units and in money. */
    paid_out: whole,
    paid_money: whole,
    /** The smallest withdrawal. */
    withdraw_min: whole,
    /** The texts from which the money of a withdrawal follows; see `withdrawalMoney`. */
    price: z.string(),
    quota_per_unit: z.string(),
  }),
});
export type OwnAgent = z.infer<typeof readAgent.output>;

/** Asks to become an agent. */
export const joinAgents = endpoint({
  method: "POST",
  path: "/api/user/agent/join",
  access: "user",
  input: z.object({}),
  output: z.object({ state: agentState }),
});

/** What an agent earned by one invitee in one UTC day. */
const dividend = z.object({
  /** Unix seconds: the start of the UTC day. */
  day: whole,
  invitee_id: whole,
  /** The invitee's name; only root reads the whole name. */
  invitee: z.string(),
  /** The part of the invitee's spending that earned it. */
  base: whole,
  rate_bp: whole,
  dividend: whole,
});
export type Dividend = z.infer<typeof dividend>;

export const listOwnDividends = endpoint({
  method: "GET",
  path: "/api/user/agent/dividends",
  access: "user",
  input: z.object(pageInput),
  output: page(dividend),
});

export const earningKind = z.enum([
  "dividend",
  "invite",
  "rebate",
  "rebate_back",
  "rebate_restored",
  "transfer",
  "withdrawal",
  "withdrawal_paid",
  "withdrawal_rejected",
]);
export type EarningKind = z.infer<typeof earningKind>;

/** A change of what a user earned. */
const earning = z.object({
  /** Position in the account's statement, from 1. */
  seq: whole,
  kind: earningKind,
  /** Changes of the two amounts of the account, and both amounts after it. */
  amount: whole,
  requested: whole,
  balance_after: whole,
  requested_after: whole,
  /** What the change comes from, such as the number of a withdrawal or of an order. */
  about: z.string(),
  created_at: whole,
});
export type Earning = z.infer<typeof earning>;

/** Lists the changes of the caller's purse, newest first. */
export const listOwnPurse = endpoint({
  method: "GET",
  path: "/api/user/agent/purse",
  access: "user",
  input: z.object(pageInput),
  output: page(earning),
});

/** Lists the rewards and rebates that invitations earned the caller, newest first. */
export const listOwnEarnings = endpoint({
  method: "GET",
  path: "/api/user/aff/earnings",
  access: "user",
  input: z.object(pageInput),
  output: page(earning),
});

const quota = sentWhole(1, Number.MAX_SAFE_INTEGER, "额度必须是正整数");

/** Moves dividends to the balance. */
export const movePurse = endpoint({
  method: "POST",
  path: "/api/user/agent/transfer",
  access: "user",
  input: z.object({ quota }),
  output: z.void(),
});

/** States of a withdrawal. `requested`: waits for root. */
export const withdrawalState = z.enum(["requested", "paid", "rejected"]);
export type WithdrawalState = z.infer<typeof withdrawalState>;

const withdrawal = z.object({
  id: whole,
  state: withdrawalState,
  quota: whole,
  money: whole,
  currency: z.string(),
  payee: z.string(),
  /** Root's note about the payout, or why it was rejected. */
  note: z.string(),
  created_at: whole,
  /** 0: it waits. */
  ended_at: whole,
});
export type Withdrawal = z.infer<typeof withdrawal>;

/** Asks for a payout. An agent can have one that waits. */
export const requestWithdrawal = endpoint({
  method: "POST",
  path: "/api/user/agent/withdraw",
  access: "user",
  input: z.object({
    quota,
    payee: z.string().trim().min(1, "请填写收款方式").max(payeeMax, "收款方式过长"),
  }),
  output: withdrawal,
});

export const listOwnWithdrawals = endpoint({
  method: "GET",
  path: "/api/user/agent/withdrawals",
  access: "user",
  input: z.object(pageInput),
  output: page(withdrawal),
});

/** An agent as root sees it. */
const agent = z.object({
  id: whole,
  username: z.string(),
  state: agentState,
  /** −1: the rate of the options. */
  rate_bp: whole,
  requested_at: whole,
  approved_at: whole,
  invitees: whole,
  ...purse,
});
export type Agent = z.infer<typeof agent>;

/** Lists all agents, those who wait for approval first. */
export const listAgents = endpoint({
  method: "GET",
  path: "/api/agent/",
  access: "root",
  input: z.object({ ...pageInput, keyword: queryText, state: queryText }),
  output: page(agent),
});

/** Changes an agent's state or rate. */
export const updateAgent = endpoint({
  method: "PUT",
  path: "/api/agent/",
  access: "root",
  input: z.object({
    id,
    state: agentState.exclude(["requested"]).optional(),
    rate_bp: sentWhole(-1, rateMaxBp, "分红比例无效"),
  }),
  output: z.void(),
});

/** Lists the dividends of an agent. */
export const listAgentDividends = endpoint({
  method: "GET",
  path: "/api/agent/:id/dividends",
  access: "root",
  input: z.object({ ...pageInput, id }),
  output: page(dividend),
});

/** Lists the changes of an agent's purse, newest first. */
export const listAgentPurse = endpoint({
  method: "GET",
  path: "/api/agent/:id/purse",
  access: "root",
  input: z.object({ ...pageInput, id }),
  output: page(earning),
});

const anyWithdrawal = withdrawal.extend({
  user_id: whole,
  username: z.string(),
  /** What the user owes now. While it is above 0, the withdrawal cannot be paid out. */
  debt: whole,
});
export type AnyWithdrawal = z.infer<typeof anyWithdrawal>;

/** Lists all withdrawals, newest first. */
export const listWithdrawals = endpoint({
  method: "GET",
  path: "/api/agent/withdrawals",
  access: "root",
  input: z.object({ ...pageInput, keyword: queryText, state: queryText }),
  output: page(anyWithdrawal),
});

const note = z.string().trim().min(1, "请填写备注").max(noteMax, "备注过长");

/** Says that a withdrawal was paid out. Refused while its user has a debt. */
export const payWithdrawal = endpoint({
  method: "POST",
  path: "/api/agent/withdrawals/:id/pay",
  access: "root",
  stepUp: () => true,
  input: z.object({ id, note }),
  output: z.void(),
});

/** Rejects a withdrawal: its quota goes back to the purse, and pays a debt of the user from there. */
export const rejectWithdrawal = endpoint({
  method: "POST",
  path: "/api/agent/withdrawals/:id/reject",
  access: "root",
  input: z.object({ id, note }),
  output: z.void(),
});

/** Computes the dividends of all days that are over. */
export const runDividends = endpoint({
  method: "POST",
  path: "/api/agent/dividends/run",
  access: "root",
  input: z.object({}),
  output: z.object({
    /** The number of days that were closed. */
    days: whole,
    dividends: whole,
    /** The sum of them, in quota units. */
    quota: whole,
  }),
});
