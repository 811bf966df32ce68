import type { Generated } from "kysely";

/** Agents: resellers, whose invitees' spending pays them. Written by `modules/agents` only. */
export type AgentTable = {
  user_id: number;
  /** `requested`, `approved`, `rejected` or `suspended`. */
  state: string;
  /** Share of the spending in hundredths of a per cent; −1: the one of the options. */
  rate_bp: number;
  /** Unix seconds, as are all times of this file. */
  requested_at: number;
  /** Spending and payments of invitees count from here; 0: never approved. */
  approved_at: number;
  /** `agentHash` over every column above. */
  hash: string;
};

/** How far the spending of an agent's invitee has been counted. Without a row it is 0. */
export type AgentInviteeTable = {
  invitee_id: number;
  /** What the invitee had spent before the approval, in the hour of the approval. */
  spent_before: number;
  /** Sum of `base` of the invitee's dividends. */
  counted: number;
  /** `inviteeHash` over every column above. */
  hash: string;
};

/** What an agent earned by an invitee in a UTC day. Rows are never changed or removed. */
export type DividendTable = {
  /** Number of the UTC day since 1970. */
  day: number;
  invitee_id: number;
  agent_id: number;
  /** Quota units that the invitee has spent and paid since the agent was approved. */
  spent: number;
  paid: number;
  /** The part of both that no earlier dividend counted. */
  base: number;
  /** The rate in force, in hundredths of a per cent; 0: the agent earned nothing in that day. */
  rate_bp: number;
  /** `base × rate_bp / 10000`, rounded down. */
  dividend: number;
  created_at: number;
  /** `dividendHash` over every column above. */
  hash: string;
};

/** Days whose dividends are computed, or have been. */
export type DividendDayTable = {
  /** Number of the UTC day since 1970. */
  day: number;
  /** Random text of the run that has claimed the day. */
  claimed_by: string;
  claimed_until: number;
  /** 0: not all dividends of the day are computed. */
  closed_at: number;
};

/** Payouts that agents asked for. */
export type WithdrawalTable = {
  id: Generated<number>;
  user_id: number;
  quota: number;
  /** What is paid out, in minor units of the currency. */
  money: number;
  currency: string;
  /** The texts of the options from which `money` was computed. */
  price: string;
  quota_per_unit: string;
  /** Where the agent wants the money. */
  payee: string;
  created_at: number;
  /** `requested`, `paid` or `rejected`. */
  state: string;
  /** Root's note about the payout, or why it was rejected. */
  note: string;
  /** 0: not ended. */
  ended_at: number;
  /** The user who ended it; 0: nobody. */
  ended_by: number;
};
