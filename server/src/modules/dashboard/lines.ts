/** Judges how well the calls of each group are answered: line monitoring. */

import { channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import { type Line, lineHours, type LineState } from "@tollgate/contract/endpoints/dashboard.ts";
import { hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { isFault } from "#modules/logs/logs.ts";

/** What the database knows about the groups. */
export type LineFacts = {
  readonly channels: readonly LineChannel[];
  /** Charged calls by group and hour. */
  readonly calls: readonly {
    readonly group: string;
    readonly hour: number;
    readonly calls: number;
  }[];
  /** Calls that were not charged, from their log rows. */
  readonly failed: readonly {
    readonly group: string;
    readonly created_at: number;
    readonly other: string;
  }[];
  /** The same of log rows that were removed, counted. */
  readonly cleaned: readonly {
    readonly group: string;
    readonly hour: number;
    readonly faults: number;
  }[];
};

type LineChannel = {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  readonly groups: readonly string[];
  /** JSON text with `status_reason` and `status_time`; `""`: none. */
  readonly other_info: string;
};

/** Shares of failed calls from which an hour counts as degraded, and as down. */
const degradedShare = 0.05;
const downShare = 0.5;

/** Makes the lines of those groups that are in use, in the order in which they are given. */
export function judgeLines(
  facts: LineFacts,
  groups: ReadonlyMap<string, string>,
  nowSeconds: number,
): Line[] {
  const present = nowSeconds - (nowSeconds % hourSeconds);
  const first = present - (lineHours - 1) * hourSeconds;
  const counts = new Map<string, { calls: number; failures: number }>();
  const countOf = (group: string, at: number) => {
    const key = `${at - (at % hourSeconds)} ${group}`;
    const count = counts.get(key) ?? { calls: 0, failures: 0 };
    counts.set(key, count);
    return count;
  };
  for (const { group, hour, calls } of facts.calls) countOf(group, hour).calls += calls;
  for (const { group, hour, faults } of facts.cleaned) countOf(group, hour).failures += faults;
  for (const { group, created_at, other } of facts.failed) {
    if (isFault(other)) countOf(group, created_at).failures += 1;
  }
  return [...groups].flatMap(([group, description]): Line[] => {
    const hours = Array.from({ length: lineHours }, (_, index) => {
      const at = first + index * hourSeconds;
      const { calls, failures } = countOf(group, at);
      return { at, calls, failures, state: stateOfHour(calls, failures) };
    });
    const channels = facts.channels.filter((channel) => channel.groups.includes(group));
    const enabled = channels.filter(({ status }) => status === channelStatus.enum.enabled).length;
    const stopped = channels.filter(({ status }) => status !== channelStatus.enum.enabled);
    // A group that no channel has and nobody called is not in use.
    if (channels.length === 0 && hours.every(({ state }) => state === "idle")) return [];
    const state = stateNow(hours.at(-1)?.state ?? "idle", enabled, stopped);
    return [{ group, description, state, hours, channels: stopped.map(showStopped), enabled }];
  });
}

/** Removes from lines what only admins may know: counts of calls, and channels. */
export function withoutDetails(lines: readonly Line[]): Line[] {
  return lines.map((line) => ({
    ...line,
    enabled: 0,
    channels: [],
    hours: line.hours.map(({ at, state }) => ({ at, state, calls: 0, failures: 0 })),
  }));
}

function stateOfHour(calls: number, failures: number): LineState {
  if (calls + failures === 0) return "idle";
  const share = failures / (calls + failures);
  if (share >= downShare) return "down";
  return share >= degradedShare ? "degraded" : "up";
}

/** Judges by the channels, and by the calls of the present hour. */
function stateNow(hour: LineState, enabled: number, stopped: readonly LineChannel[]): LineState {
  if (enabled === 0) return "down";
  if (hour === "down" || hour === "degraded") return hour;
  return stopped.some(({ status }) => status === channelStatus.enum.disabledAutomatically)
    ? "degraded"
    : "up";
}

function showStopped({ id, name, status, other_info }: LineChannel): Line["channels"][number] {
  const info = parseObject(other_info);
  const reason = info["status_reason"];
  const since = info["status_time"];
  return {
    id,
    name,
    automatically: status === channelStatus.enum.disabledAutomatically,
    reason: typeof reason === "string" ? reason : "",
    since: typeof since === "number" && Number.isSafeInteger(since) ? since : 0,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    // Safe cast: the fields of any object have a string as name, and are judged one by one.
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
