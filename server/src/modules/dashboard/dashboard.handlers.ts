import * as contract from "@tollgate/contract/endpoints/dashboard.ts";
import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle } from "#http/handler.ts";
import { groupsOpenTo, type OfferSources, visitorGroup } from "#modules/groups/groups.ts";
import type { CallFilter, Span } from "./dashboard.repo.ts";
import type { DashboardStore } from "./dashboard.store.ts";
import { readSpan, requireSpan, type SentSpan } from "./dashboard.ts";
import { judgeLines, withoutDetails } from "./lines.ts";

type DashboardDeps = {
  readonly store: DashboardStore;
  readonly offers: OfferSources;
  /** The value in force of option `TimeZone`. */
  readonly zone: () => string;
  /** The value in force of option `DataExportInterval`. */
  readonly refreshMinutes: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
};

type DashboardQuery = SentSpan & {
  readonly granularity: contract.Granularity;
  readonly model_name: string;
  readonly group: string;
  readonly token_id?: number | undefined;
  readonly username?: string;
  readonly channel?: number | undefined;
};

/** Handles the requests of the console API for the dashboard. */
export function dashboardHandlers(deps: DashboardDeps): Handler[] {
  const { store, offers, zone, now } = deps;
  const nowSeconds = (): number => unixSeconds(now());
  const spanOf = (sent: DashboardQuery, at: number): Span => {
    const span = readSpan(sent, { zone: zone(), now: at });
    const isHourly = sent.granularity === "hour";
    requireSpan(span, isHourly ? contract.hourlyDaysMax : contract.dashboardDaysMax);
    return span;
  };
  const read = async (sent: DashboardQuery, userId: number | null): Promise<contract.Dashboard> => {
    const at = nowSeconds();
    const { granularity } = sent;
    const span = spanOf(sent, at);
    const figures = await store.readDashboard({
      filter: readFilter(sent, userId),
      span,
      before: spanBefore(span, at),
      zone: zone(),
      granularity,
      wide: userId === null,
      now: at,
    });
    return { ...figures, refresh_minutes: deps.refreshMinutes() };
  };
  const caches = async (sent: DashboardQuery, userId: number | null) =>
    await store.readPromptCaches({
      filter: readFilter(sent, userId),
      span: spanOf(sent, nowSeconds()),
      zone: zone(),
      wide: userId === null,
    });
  return [
    handle(contract.readPromptCaches, async (sent) => await caches(sent, null)),
    handle(contract.readOwnPromptCaches, async (sent, { userId }) => await caches(sent, userId)),
    handle(contract.readDashboard, async (sent) => await read(sent, null)),
    handle(contract.readOwnDashboard, async (sent, { userId }) => await read(sent, userId)),

    handle(contract.listQuotaData, async (sent) => {
      const span = readSpan(sent, { zone: zone(), now: nowSeconds() });
      requireSpan(span, contract.dashboardDaysMax);
      return await store.readData({ ...everything, username: sent.username }, span);
    }),

    handle(contract.listOwnQuotaData, async (sent, { userId }) => {
      const span = readSpan(sent, { zone: zone(), now: nowSeconds() });
      const { start_timestamp: start = span.start, end_timestamp: end = span.end } = sent;
      if (end - start > contract.ownDataSecondsMax) {
        throw new Refusal("invalid-input", "时间跨度不能超过 1 个月");
      }
      return await store.readData({ ...everything, userId }, span);
    }),

    handle(contract.readLines, async (_, caller) => {
      const at = nowSeconds();
      const isAdmin = caller.role >= role.enum.admin;
      const ratios = offers.prices().GroupRatio;
      const usable = offers.usableGroups();
      const own = offers.groupOf(caller.userId) ?? visitorGroup;
      const open = groupsOpenTo({ usable, ratios, own });
      const groups = isAdmin
        ? new Map(Object.keys(ratios).map((group) => [group, usable[group] ?? ""]))
        : open;
      const lines = judgeLines(await store.readLineFacts(at), groups, at);
      return isAdmin ? lines : withoutDetails(lines);
    }),
  ];
}

const everything: CallFilter = {
  userId: null,
  username: "",
  tokenId: 0,
  modelName: "",
  group: "",
  channel: 0,
};

function readFilter(sent: DashboardQuery, userId: number | null): CallFilter {
  return {
    userId,
    username: sent.username ?? "",
    tokenId: Math.max(0, sent.token_id ?? 0),
    modelName: sent.model_name,
    group: sent.group,
    channel: Math.max(0, sent.channel ?? 0),
  };
}

/**
 * The span of the same length before. The part of a span that is still to come has no counterpart,
 * so that the first hours of a day are compared with the first hours of the day before.
 */
function spanBefore({ start, end }: Span, now: number): Span {
  const length = end - start;
  const past = Math.min(end, now - (now % hourSeconds) + hourSeconds);
  return { start: start - length, end: Math.max(start, past) - length };
}
