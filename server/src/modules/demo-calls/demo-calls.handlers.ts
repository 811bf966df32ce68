import * as contract from "@tollgate/contract/endpoints/demo-calls.ts";
import type { Logger } from "#base/logger.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import type { CallList, LogRow } from "#modules/logs/logs.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { DemoAccount } from "./demo-calls.ts";

type DemoCallDeps = {
  /** Null: the account is not ready. */
  readonly account: () => DemoAccount | null;
  readonly calls: CallList;
  readonly startTour: Sessions["startTour"];
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number;
  readonly log: Logger;
};

/**
 * How long all visitors are answered with the same list, in milliseconds, so that many of them
 * together cost one query a second.
 */
const listKeptMs = 1_000;

/** The demo makes a call itself at most once in this many milliseconds. */
const ownCallMs = 5_000;

/** The number of calls that a demo makes at once when its list is read for the first time. */
const firstCalls = 6;

/** Handles the requests of the home page for the rows of the demo account, and of no other. */
export function demoCallHandlers(deps: DemoCallDeps): Handler[] {
  const { account, calls, startTour, nowMs, log } = deps;
  let list: { readonly rows: Promise<readonly LogRow[]>; readonly untilMs: number } | null = null;
  let nextCallMs = Number.NEGATIVE_INFINITY;
  const known = (): DemoAccount => {
    const found = account();
    if (found === null) throw new Refusal("not-found", "演示账户尚未就绪");
    return found;
  };
  const makeCalls = (demo: DemoAccount, count: number): void => {
    if (nowMs() < nextCallMs) return;
    nextCallMs = nowMs() + ownCallMs;
    const make = async (): Promise<void> => {
      for (let made = 0; made < count; made += 1) await demo.makeCall();
    };
    make().catch((error: unknown) => log.warn({ err: error }, "a demo call failed"));
  };
  return [
    handle(contract.startDemoTour, async () => {
      const tour = startTour();
      if (tour === null) throw new Refusal("not-found", "本站不提供演示参观");
      return reply(tour.user, { setCookie: tour.setCookie });
    }),

    handle(contract.listDemoCalls, async () => {
      const demo = known();
      if (list === null || nowMs() >= list.untilMs) {
        const rows = calls.newest(demo.userId, contract.demoCallsMax);
        list = { rows, untilMs: nowMs() + listKeptMs };
        // A failed query is not kept.
        rows.catch(() => (list = null));
      }
      const rows = await list.rows;
      makeCalls(demo, rows.length === 0 ? firstCalls : 1);
      return rows.map(showRow);
    }),

    handle(contract.readDemoCall, async ({ request_id }) => {
      const found = await calls.find(known().userId, request_id);
      if (found === null) throw new Refusal("not-found", "日志不存在");
      return { ...showRow(found.row), charge: found.charge };
    }),
  ];
}

function showRow(row: LogRow) {
  return { ...row, is_stream: row.is_stream === 1 };
}
