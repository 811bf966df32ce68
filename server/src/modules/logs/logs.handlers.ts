import { readLogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import * as contract from "@tollgate/contract/endpoints/logs.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { readReceipt } from "@tollgate/contract/endpoints/receipts.ts";
import { readStatementPart } from "@tollgate/contract/endpoints/statements.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Caller, type Handler, handle, reply, withExtras } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Ports } from "#modules/module.ts";
import type { Transcripts } from "#modules/transcripts/transcripts.ts";
import type { LogCleaner } from "./cleaning/log-cleaner.ts";
import type { LogFilter } from "./log-filter.repo.ts";
import { type LogQuery, readFilter, showLog, showOwnLog } from "./log-query.ts";
import type { logStore } from "./logs.store.ts";

type LogDeps = {
  readonly store: RemoteStore<typeof logStore>;
  /** Makes the keyed hash by which a token is found, from its key without `sk-`. */
  readonly lookupOf: (key: string) => string;
  readonly judgeKey: Ports["judgeKey"];
  readonly cleaner: LogCleaner;
  readonly transcripts: Pick<Transcripts, "removeBefore">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for the usage log. */
export function logHandlers(deps: LogDeps): Handler[] {
  const { store, lookupOf, judgeKey, now } = deps;
  const filterOf = (sent: LogQuery, userId: number | null): LogFilter =>
    readFilter(sent, userId, lookupOf);
  const page = async (
    sent: Parameters<typeof readPageWindow>[0] & LogQuery,
    userId: number | null,
  ) => await store.pageLogs(filterOf(sent, userId), readPageWindow(sent), unixSeconds(now()));
  const listAll = async (sent: Parameters<typeof page>[0], caller: Caller) => {
    const { items, ...rest } = await page(sent, null);
    return { ...rest, items: items.map((row) => showLog(row, caller.role === role.enum.root)) };
  };
  const sum = async (sent: LogQuery, userId: number | null) =>
    await store.sumLogs(filterOf(sent, userId), unixSeconds(now()));
  return [
    handle(contract.listLogs, listAll),
    handle(contract.listLogsByKey, listAll),

    handle(contract.listOwnLogs, async (input, { userId }) => {
      const found = await page(input, userId);
      return { ...found, items: found.items.map(showOwnLog) };
    }),

    handle(contract.readLogStat, (input) => sum(input, null)),
    handle(contract.readLogStatByKey, (input) => sum(input, null)),
    handle(contract.readOwnLogStat, (input, { userId }) => sum(input, userId)),

    handle(readLogCharge, async ({ id }, caller) => {
      const found = await store.findCharge(
        id,
        caller.role >= role.enum.admin ? null : caller.userId,
      );
      if (found === null) throw new Refusal("not-found", "日志不存在");
      return found;
    }),

    handle(readReceipt, async ({ id }, caller) => {
      const ofAll = caller.role >= role.enum.admin;
      const receipt = await store.findReceipt(id, ofAll ? null : caller.userId);
      if (receipt === undefined) throw new Refusal("not-found", "日志不存在");
      return receipt;
    }),

    handle(readStatementPart, async (input, { userId }) => {
      const { start_timestamp: start = 0, end_timestamp: end, after = 0, previous } = input;
      return await store.readStatement({
        userId,
        start,
        end: end ?? unixSeconds(now()) + 1,
        after,
        previous,
      });
    }),

    handle(contract.listTokenLogs, async (input, { tokenKey = "", clientIp }) => {
      const { lookup } = await judgeKey(tokenKey, clientIp);
      const filter = { ...readFilter({}, null, lookupOf), lookup };
      const found = await store.pageLogs(filter, readPageWindow(input), unixSeconds(now()));
      return withExtras(found.items.map(showOwnLog), { total: found.total });
    }),

    ...cleaningHandlers(deps),
  ];
}

const noTime = (): Refusal => new Refusal("invalid-input", "target timestamp is required");

function cleaningHandlers({ store, transcripts, cleaner, now }: LogDeps): Handler[] {
  return [
    handle(contract.startLogCleaning, async ({ target_timestamp: before }, caller) => {
      if (before <= 0) throw noTime();
      return await cleaner.start(before, actorOf(caller));
    }),
    handle(contract.readLogCleaning, cleaner.read),
    handle(contract.stopLogCleaning, cleaner.stop),

    handle(contract.cleanLogs, async ({ target_timestamp: before = 0 }, caller) => {
      if (before <= 0) throw noTime();
      const until = now() + contract.logCleanMaxMs;
      let removed = 0;
      let more = true;
      while (more && now() < until) {
        const batch = await store.cleanLogs(before);
        removed += batch.removed;
        more = batch.more;
      }
      await transcripts.removeBefore(before);
      await store.noteCleaning({ before, removed, actor: actorOf(caller), nowMs: now() });
      const message = more ? "还有更早的日志，请再次清理" : "";
      return reply(removed, { extras: undefined, message });
    }),
  ];
}
