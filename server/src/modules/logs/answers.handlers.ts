/** Answers what the log says about all rows that a list's filters match. */

import * as contract from "@tollgate/contract/endpoints/log-answers.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Caller, type Handler, handle, pushReply } from "#http/handler.ts";
import { type LogQuery, readFilter, showLog, showOwnLog } from "./log-query.ts";
import type { logStore } from "./logs.store.ts";
import type { NamedLogRow } from "./logs.repo.ts";

type AnswerDeps = {
  readonly store: RemoteStore<typeof logStore>;
  /** Makes the keyed hash by which a token is found, from its key without `sk-`. */
  readonly lookupOf: (key: string) => string;
  /** The value in force of option `TimeZone`. */
  readonly zone: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type ChartQuery = LogQuery & {
  readonly by: contract.ChartPart;
  readonly measure: contract.ChartMeasure;
};

type FacetQuery = LogQuery & { readonly facet: contract.LogFacet; readonly prefix: string };

/** Handles the requests for charts, facets, groups of failed calls and files of the log. */
export function answerHandlers(deps: AnswerDeps): Handler[] {
  const { store, lookupOf, zone, now } = deps;
  const filterOf = (sent: LogQuery, userId: number | null) => readFilter(sent, userId, lookupOf);
  const chart = async (sent: ChartQuery, userId: number | null) => {
    const { by, measure } = sent;
    const asked = { by, measure, zone: zone(), now: unixSeconds(now()) };
    return await store.readChart(filterOf(sent, userId), asked);
  };
  const facet = async (sent: FacetQuery, userId: number | null) => {
    const asked = { facet: sent.facet, prefix: sent.prefix, now: unixSeconds(now()) };
    return await store.readFacet(filterOf(sent, userId), asked);
  };
  const failures = async (sent: LogQuery, userId: number | null) => {
    const groups = await store.readFailures(filterOf(sent, userId), unixSeconds(now()));
    // Users are not told at which channel a call failed.
    return userId === null ? groups : groups.map((group) => ({ ...group, channels: [] }));
  };
  const files = openFiles();
  const send = <Row>(
    sent: LogQuery,
    caller: Caller,
    { userId, show }: { readonly userId: number | null; show: (row: NamedLogRow) => Row },
  ) => {
    files.check(caller.userId);
    return pushReply(sendRows(deps, files, { filter: filterOf(sent, userId), caller, show }));
  };
  const sendAll = (sent: LogQuery, caller: Caller) => {
    const asRoot = caller.role === role.enum.root;
    return send(sent, caller, { userId: null, show: (row) => showLog(row, asRoot) });
  };
  return [
    handle(contract.readLogChart, (sent) => chart(sent, null)),
    handle(contract.readLogChartByKey, (sent) => chart(sent, null)),
    handle(contract.readOwnLogChart, (sent, { userId }) => chart(sent, userId)),

    handle(contract.readLogFacet, (sent) => facet(sent, null)),
    handle(contract.readLogFacetByKey, (sent) => facet(sent, null)),
    handle(contract.readOwnLogFacet, (sent, { userId }) => facet(sent, userId)),

    handle(contract.readLogFailures, (sent) => failures(sent, null)),
    handle(contract.readLogFailuresByKey, (sent) => failures(sent, null)),
    handle(contract.readOwnLogFailures, (sent, { userId }) => failures(sent, userId)),

    handle(contract.exportLogs, async (sent, caller) => sendAll(sent, caller)),
    handle(contract.exportOwnLogs, async (sent, caller) =>
      send(sent, caller, { userId: caller.userId, show: showOwnLog }),
    ),
  ];
}

/** How many files one user, and all users of a node, may read at a time. */
const filesOfOneMax = 2;
const filesMax = 6;

type Files = ReturnType<typeof openFiles>;

/** Counts the files that are being read. */
function openFiles() {
  const byUser = new Map<number, number>();
  let all = 0;
  return {
    /** @throws Refusal `rate-limited`. */
    check(userId: number): void {
      if (all < filesMax && (byUser.get(userId) ?? 0) < filesOfOneMax) return;
      throw new Refusal("rate-limited", "同时导出的文件过多，请稍后再试", { retryAfterMs: 10_000 });
    },
    begin(userId: number): void {
      all += 1;
      byUser.set(userId, (byUser.get(userId) ?? 0) + 1);
    },
    end(userId: number): void {
      all -= 1;
      const left = (byUser.get(userId) ?? 1) - 1;
      if (left === 0) byUser.delete(userId);
      else byUser.set(userId, left);
    },
  };
}

/**
 * How many rows are sent at once. Checking and writing them takes a few milliseconds of the thread
 * that relays calls, and a pause of `pauseMs` follows.
 */
const rowsAtOnce = 200;
const pauseMs = 5;

type Sending<Row> = {
  readonly filter: ReturnType<typeof readFilter>;
  readonly caller: Caller;
  readonly show: (row: NamedLogRow) => Row;
};

async function* sendRows<Row>(
  { store, wait }: AnswerDeps,
  files: Files,
  { filter, caller, show }: Sending<Row>,
) {
  files.begin(caller.userId);
  try {
    const ids = await store.listLogIds(filter);
    const total = Math.min(ids.length, contract.exportRowsMax);
    const head = { total, is_cut: ids.length > total };
    if (total === 0) yield { ...head, rows: [] };
    for (let from = 0; from < total; from += rowsAtOnce) {
      const rows = await store.readLogRows(ids.slice(from, Math.min(total, from + rowsAtOnce)));
      yield { ...head, rows: rows.map(show) };
      await wait(pauseMs);
    }
  } finally {
    files.end(caller.userId);
  }
}
