/** The rows of the list: channels; in tag mode tags, with the channels of unfolded ones below. */

import { type Channel, channelStatus } from "@tollgate/contract/channels.ts";

type ChannelRow = {
  readonly kind: "channel";
  readonly channel: Channel;
  /** The row of a channel is below the row of its tag. */
  readonly nested: boolean;
};

export type TagRow = {
  readonly kind: "tag";
  readonly tag: string;
  readonly channels: readonly Channel[];
  readonly unfolded: boolean;
  readonly used_quota: number;
  readonly balance: number;
  /** Mean of the tested channels; 0: none is tested. */
  readonly response_time: number;
  /** Null: the channels differ. */
  readonly priority: number | null;
  readonly weight: number | null;
  /** The groups of all its channels, sorted. */
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly enabledCount: number;
};

export type ListRow = ChannelRow | TagRow;

const { enabled } = channelStatus.enum;

/** The rows of a page of the server's answer. */
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

/** The channels of these rows, each once. */
export function channelsOf(rows: readonly ListRow[]): Channel[] {
  const all = rows.flatMap((row) => (row.kind === "tag" ? row.channels : [row.channel]));
  return [...new Map(all.map((channel) => [channel.id, channel])).values()];
}

/** The entries of a comma-separated field. */
export function listOf(text: string): string[] {
  return text.split(",").filter((entry) => entry !== "");
}

/** Tags in the address are encoded, because a tag may contain commas. */
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
