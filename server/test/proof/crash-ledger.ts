/**
 * Computes from outside what the ledger must say after a crash: from what clients saw, what the
 * demo upstream served, and arithmetic. Each deviation is a line of text.
 */

import type { Log } from "@tollgate/contract/endpoints/logs.ts";
import type { DemoCallRecord } from "@tollgate/demo/account.ts";
import { readChannel, readLogs, readSelf, readTokens } from "./ledger.ts";
import { type CrashScene, fixedCharge, granted } from "./crash-scene.ts";
import type { Caller, Outcome, SentCall } from "./load.ts";

type Sums = { quota: number; calls: number };

export type CrashLedger = {
  /** Tells the expected ledger of a credit or charge that the suite caused outside the load. */
  moved(userId: number, amount: number): void;
  charged(userId: number, tokenId: number, amount: number): void;
  balance(userId: number): number;
  /** Checks the log rows that were added since the last check. */
  judge(calls: readonly SentCall[], served: readonly DemoCallRecord[]): Promise<RoundVerdict>;
};

type RoundVerdict = {
  readonly violations: readonly string[];
  /** The number of answers that arrived whole. Each of these calls was charged. */
  readonly seen: number;
  /** The number of charged calls whose answer the kill cut off. */
  readonly unseen: number;
  /** The number of calls that the kill interrupted and that were not charged. */
  readonly interrupted: number;
  /**
   * The number of those interrupted calls that had reached the upstream, which means that each had
   * a hold.
   */
  readonly reached: number;
};

export function openCrashLedger(scene: CrashScene): CrashLedger {
  const { installation, users, callers } = scene;
  const { root, channelId } = installation;
  const balances = new Map(users.map(({ client, opening }) => [client.userId, opening]));
  const userSums = new Map<number, Sums>(users.map(({ client }) => [client.userId, zero()]));
  const tokenSums = new Map<number, Sums>();
  const channelSums = zero();
  const callerOf = new Map(callers.map((caller) => [caller.tokenId, caller]));
  let lastLogId = 0;

  function add(sums: Sums | undefined, quota: number): void {
    if (sums === undefined) return;
    sums.quota += quota;
    sums.calls += 1;
  }
  function charged(userId: number, tokenId: number, amount: number): void {
    balances.set(userId, (balances.get(userId) ?? 0) - amount);
    add(userSums.get(userId), amount);
    const sums = tokenSums.get(tokenId) ?? zero();
    tokenSums.set(tokenId, sums);
    add(sums, amount);
    add(channelSums, amount);
  }

  async function judgeSums(): Promise<string[]> {
    const violations: string[] = [];
    const check = (what: string, is: number, must: number): void => {
      if (is !== must) violations.push(`${what} is ${is}, not ${must}`);
    };
    for (const { client } of users) {
      const { userId } = client;
      const self = await readSelf(client);
      const sums = userSums.get(userId) ?? zero();
      check(`I1 balance of user ${userId}`, self.quota, balances.get(userId) ?? 0);
      if (self.quota < 0) violations.push(`I4 balance of user ${userId} is ${self.quota}`);
      check(`I6 used_quota of user ${userId}`, self.used_quota, sums.quota);
      check(`I6 request_count of user ${userId}`, self.request_count, sums.calls);
      for (const [id, token] of await readTokens(client)) {
        const used = tokenSums.get(id)?.quota ?? 0;
        check(`I6 used_quota of token ${id}`, token.used_quota, used);
        if (token.unlimited_quota) continue;
        check(`I5 remain + used of token ${id}`, token.remain_quota + token.used_quota, granted);
      }
    }
    const channel = await readChannel(root, channelId);
    check("I6 used_quota of the channel", channel.used_quota, channelSums.quota);
    return violations;
  }

  return {
    moved: (userId, amount) => void balances.set(userId, (balances.get(userId) ?? 0) + amount),
    charged,
    balance: (userId) => balances.get(userId) ?? 0,
    async judge(calls, served) {
      const rows = await readLogs(root, { type: 2, afterId: lastLogId });
      lastLogId = Math.max(lastLogId, ...rows.map(({ id }) => id));
      const verdict = judgeRows({ calls, served, rows, callerOf });
      for (const row of rows) {
        if (callerOf.has(row.token_id)) charged(row.user_id, row.token_id, row.quota);
      }
      return { ...verdict, violations: [...verdict.violations, ...(await judgeSums())] };
    },
  };
}

function zero(): Sums {
  return { quota: 0, calls: 0 };
}

type Evidence = {
  readonly calls: readonly SentCall[];
  readonly served: readonly DemoCallRecord[];
  readonly rows: readonly Log[];
  readonly callerOf: ReadonlyMap<number, Caller>;
};

/**
 * Checks the log rows. I2: each answer has one log row with the exact amount. I3: each log row
 * belongs to a call that reached the upstream.
 */
function judgeRows({ calls, served, rows, callerOf }: Evidence): RoundVerdict {
  const violations: string[] = [];
  const servedWhole = new Set(
    served.filter(({ complete }) => complete).map(({ marker }) => marker),
  );
  const rowsById = new Map<string, Log>();
  for (const row of rows) {
    const caller = callerOf.get(row.token_id);
    if (caller === undefined) continue; // not of the load: the suite's own call
    if (rowsById.has(row.request_id)) violations.push(`I2 ${row.request_id} is charged twice`);
    rowsById.set(row.request_id, row);
    if (row.quota !== caller.charge || row.write_off !== 0) {
      const what = `${row.quota} and ${row.write_off} written off`;
      violations.push(`I2 ${row.request_id} is charged ${what}, not ${caller.charge}`);
    }
    if (row.is_stream !== caller.stream) violations.push(`${row.request_id}: is_stream is wrong`);
  }
  let seen = 0;
  const cut = new Map<number, SentCall>();
  for (const call of calls) {
    const { caller, outcome } = call;
    if (outcome?.whole === true) {
      seen += 1;
      const row = rowsById.get(outcome.requestId);
      rowsById.delete(outcome.requestId);
      if (row === undefined) violations.push(`I2 ${call.marker}: seen whole, not charged`);
      else if (row.token_id !== caller.tokenId) violations.push(`I2 ${call.marker}: wrong token`);
      if (!servedWhole.has(call.marker)) violations.push(`I3 ${call.marker}: never served`);
    } else if (outcome === undefined || outcome.status === 0 || outcome.status === 200) {
      if (cut.has(caller.tokenId)) violations.push(`${call.marker}: broke before the kill`);
      cut.set(caller.tokenId, call);
    } else if (!mayRefuse(outcome, caller)) {
      violations.push(`${call.marker}: refused with ${outcome.status}: ${outcome.text}`);
    }
  }
  for (const row of rowsById.values()) {
    const call = cut.get(row.token_id);
    if (call === undefined || !servedWhole.has(call.marker)) {
      violations.push(`I3 row ${row.id} belongs to no call that was served`);
    }
    cut.delete(row.token_id);
  }
  const heard = new Set(served.map(({ marker }) => marker));
  const reached = [...cut.values()].filter(({ marker }) => heard.has(marker)).length;
  return { violations, seen, unseen: rowsById.size, interrupted: cut.size, reached };
}

/**
 * Whether the relay may refuse this call: because the balance is used up, or because the database
 * is slow on a busy machine. A refused call is free, so a log row of it would be a violation.
 */
function mayRefuse({ status, text }: Outcome, { charge }: Caller): boolean {
  if (status === 403) return charge === fixedCharge;
  return status === 503 && /"(billing_unavailable|server_overloaded)"/.test(text);
}
