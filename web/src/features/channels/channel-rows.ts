/**
 * Makes the rows of the channel list: one per channel, or, in tag mode, one per tag, with the
 * channels of an unfolded tag below its row.
 */

import { type Channel, channelStatus } from "@tollgate/contract/endpoints/channels.ts";

type ChannelRow = {
  readonly kind: "channel";
  readonly channel: Channel;
  /** Whether the row stands below the row of its tag, and is indented. */
  readonly nested: boolean;
};

export type TagRow = {
  readonly kind: "tag";
  readonly tag: string;
  readonly channels: readonly Channel[];
  readonly unfolded: boolean;
  readonly used_quota: number;
  readonly balance: number;
  /**
   * The mean test duration of those channels that have been tested, in milliseconds; 0: none has.
   */
  readonly response_time: number;
  /** How many channels of the tag have failed their last test. */
  readonly failedCount: number;
  /** The priority that all channels of the tag have; null: they differ. */
  readonly priority: number | null;
  readonly weight: number | null;
  /** The groups that any of the tag's channels has, sorted. */
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly enabledCount: number;
};

export type ListRow = ChannelRow | TagRow;

const { enabled } = channelStatus.enum;

/** Makes the rows for the channels on one page of the server's list. */
export function rowsOf(
  channels: readonly Channel[],
  tagMode: boolean,
  unfolded: ReadonlySet<string>,
): ListRow[] {
  if (!tagMode) return channels.map((channel) => ({ kind: "channel", channel, nested: false }));
  const byTag = Map.groupBy(channels, ({ tag }) => tag ?? "");
  return [...byTag].flatMap(([tag, own]): ListRow[] => {
    const row = tagRow(tag, own, unfolded.has(tag));
    if (!row.unfolded) return [row];
    return [row, ...own.map((channel) => ({ kind: "channel" as const, channel, nested: true }))];
  });
}

function tagRow(tag: string, channels: readonly Channel[], unfolded: boolean): TagRow {
  const tested = channels.filter(({ response_time }) => response_time > 0);
  const total = sum(tested.map(({ response_time }) => response_time));
  return {
    kind: "tag",
    tag,
    channels,
    unfolded,
    used_quota: sum(channels.map(({ used_quota }) => used_quota)),
    balance: sum(channels.map(({ balance }) => balance)),
    response_time: tested.length === 0 ? 0 : Math.round(total / tested.length),
    failedCount: channels.filter(({ test_error }) => test_error !== "").length,
    priority: common(channels.map(({ priority }) => priority)),
    weight: common(channels.map(({ weight }) => weight)),
    groups: union(channels.map(({ group }) => group)),
    models: union(channels.map(({ models }) => models)),
    enabledCount: channels.filter(({ status }) => status === enabled).length,
  };
}

export function rowId(row: ListRow): string {
  return row.kind === "tag" ? `tag ${row.tag}` : String(row.channel.id);
}

/** Returns the channels that the rows stand for, each once. */
export function channelsOf(rows: readonly ListRow[]): Channel[] {
  const all = rows.flatMap((row) => (row.kind === "tag" ? row.channels : [row.channel]));
  return [...new Map(all.map((channel) => [channel.id, channel])).values()];
}

/** Splits a comma-separated text, such as a channel's models or groups. */
export function listOf(text: string): string[] {
  return text.split(",").filter((entry) => entry !== "");
}

/**
 * Reads the unfolded tags in the address. Each is percent-encoded, because a tag may contain
 * commas.
 */
export function readUnfolded(text: string): ReadonlySet<string> {
  return new Set(listOf(text).map(decodeTag));
}

export function writeUnfolded(tags: ReadonlySet<string>): string {
  return [...tags].map((tag) => encodeURIComponent(tag)).join(",");
}

function decodeTag(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function union(lists: readonly string[]): string[] {
  return [...new Set(lists.flatMap(listOf))].toSorted();
}

function common(values: readonly number[]): number | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
