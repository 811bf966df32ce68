import * as contract from "@tollgate/contract/endpoints/agents.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Options } from "#modules/options/options.ts";
import type { AgentStore, WithdrawalEnd } from "./agents.store.ts";
import type { DividendRun } from "./close-days.ts";

type AgentDeps = {
  readonly store: AgentStore;
  readonly money: Money;
  readonly readOption: Options["read"];
  /** Option `QuotaPerUnit`, as decimal text. */
  readonly quotaPerUnit: () => string;
  /** Computes the dividends of all days that are over; undefined: another run does so now. */
  readonly closeDays: () => Promise<DividendRun | undefined>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function agentHandlers(deps: AgentDeps): Handler[] {
  return [...ownHandlers(deps), ...ownLists(deps), ...rootHandlers(deps)];
}

/** Returns the rate of agents without one of their own, in hundredths of a per cent. */
export function usualRate(readOption: Options["read"]): number {
  return contract.readPercent(readOption("AgentDividendPercent")) ?? 0;
}

function ownHandlers({ store, money, readOption, quotaPerUnit, now }: AgentDeps): Handler[] {
  return [
    handle(contract.readAgent, async (_, { userId }) => {
      const own = await store.readAgent(userId);
      return {
        ...own,
        rate_bp: own.rate_bp < 0 ? usualRate(readOption) : own.rate_bp,
        enabled: readOption("AgentsEnabled"),
        approval: readOption("AgentApprovalRequired"),
        withdraw_min: readOption("AgentWithdrawMin"),
        price: readOption("Price"),
        quota_per_unit: quotaPerUnit(),
      };
    }),

    handle(contract.joinAgents, async (_, caller) => {
      if (!readOption("AgentsEnabled")) throw new Refusal("not-allowed", "管理员未开启代理计划");
      const approval = readOption("AgentApprovalRequired");
      return await store.join({ approval }, { actor: actorOf(caller), nowMs: now() });
    }),

    handle(contract.movePurse, async ({ quota }, { userId, requestId }) => {
      if (quota === undefined) throw needed();
      const tooLittle = "可用收益不足";
      const what = { account: "purse", userId, amount: quota, tooLittle, requestId } as const;
      await money.moveUser(userId, quota, () => store.transferEarnings({ ...what, nowMs: now() }));
    }),

    handle(contract.requestWithdrawal, async ({ quota, payee }, { userId }) => {
      if (quota === undefined) throw needed();
      const least = readOption("AgentWithdrawMin");
      if (quota < least) {
        throw new Refusal("invalid-input", `提现额度不能小于 ${least}`, { field: "quota" });
      }
      const terms = { price: readOption("Price"), quotaPerUnit: quotaPerUnit() };
      const paid = contract.withdrawalMoney(quota, terms.price, terms.quotaPerUnit);
      if (paid < 1 || !Number.isSafeInteger(paid)) {
        throw new Refusal("invalid-input", "提现金额过低", { field: "quota" });
      }
      const request = { userId, quota, payee, money: paid, ...terms };
      return await store.requestWithdrawal({ ...request, nowMs: now() });
    }),
  ];
}

function needed(): Refusal {
  return new Refusal("invalid-input", "额度必须是正整数", { field: "quota" });
}

function ownLists({ store }: AgentDeps): Handler[] {
  return [
    handle(contract.listOwnDividends, async (input, { userId }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageDividends(userId, window, "agent")) };
    }),

    handle(contract.listOwnPurse, async (input, { userId }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageEarnings(userId, "purse", window)) };
    }),

    handle(contract.listOwnEarnings, async (input, { userId }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageEarnings(userId, "invitations", window)) };
    }),

    handle(contract.listOwnWithdrawals, async (input, { userId }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageOwnWithdrawals(userId, window)) };
    }),
  ];
}

function rootHandlers({ store, money, closeDays, now }: AgentDeps): Handler[] {
  const end = async (id: number, ended: WithdrawalEnd, caller: Caller) => {
    const by = { actor: actorOf(caller), nowMs: now() };
    const userId = await store.readWithdrawer(id);
    await money.creditUser(userId, () => store.endWithdrawal(id, ended, by));
  };
  return [
    handle(contract.listAgents, async ({ keyword, state, ...input }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageAgents({ keyword, state }, window)) };
    }),

    handle(contract.updateAgent, async ({ id, state, rate_bp }, caller) => {
      const by = { actor: actorOf(caller), nowMs: now() };
      await store.updateAgent({ userId: id, state, rateBp: rate_bp }, by);
    }),

    handle(contract.listAgentDividends, async ({ id, ...input }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageDividends(id, window, "root")) };
    }),

    handle(contract.listAgentPurse, async ({ id, ...input }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageEarnings(id, "purse", window)) };
    }),

    handle(contract.listWithdrawals, async ({ keyword, state, ...input }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageWithdrawals({ keyword, state }, window)) };
    }),

    handle(contract.payWithdrawal, async ({ id, note }, caller) => {
      await end(id, { state: "paid", note }, caller);
    }),

    handle(contract.rejectWithdrawal, async ({ id, note }, caller) => {
      await end(id, { state: "rejected", note }, caller);
    }),

    handle(contract.runDividends, async (_, caller) => {
      const run = await closeDays();
      if (run === undefined) throw new Refusal("not-allowed", "分红正在计算，请稍后再试");
      await store.noteRun(run, { actor: actorOf(caller), nowMs: now() });
      return run;
    }),
  ];
}
