/**
 * The channel columns that an administrator sets, sent under their own names. Each is named once,
 * with its default and with what an empty value means in an edit. A new column is an entry here, a
 * field in the contract, a line in `db/tables/channels.ts` and a migration. Group, status and keys
 * have rules of their own: `channel-edits.ts`.
 */

import type { createChannel } from "@tollgate/contract/channels.ts";
import type { z } from "zod";
import type { ChannelTable } from "#db/tables/channels.ts";
import type { ChannelRow } from "./channels.repo.ts";

type Sent = z.output<(typeof createChannel)["input"]>;

type Column<Stored> = {
  /** The value of a new channel if none is sent, and in place of an empty text. */
  readonly default: Stored;
  /** True: an empty text or 0 in an edit means no change. */
  readonly keptWhenEmpty: boolean;
};

const kept = <Stored>(byDefault: Stored) => ({ default: byDefault, keptWhenEmpty: true });
const plain = <Stored>(byDefault: Stored) => ({ default: byDefault, keptWhenEmpty: false });

const columns = {
  type: kept(0),
  name: kept(""),
  models: kept(""),
  other: kept(""),
  base_url: plain(""),
  model_mapping: plain(""),
  status_code_mapping: plain(""),
  param_override: plain(""),
  setting: plain(""),
  tag: plain(null),
  priority: plain(0),
  weight: plain(0),
  auto_ban: plain(1),
  openai_organization: plain(""),
  test_model: plain(""),
} as const satisfies {
  readonly [Name in keyof Sent & keyof ChannelTable]?: Column<ChannelTable[Name]>;
};

type Name = keyof typeof columns;

/** The columns of a new channel. */
export function newColumns(sent: Partial<Sent>): Pick<ChannelRow, Name> {
  // Each value is sent under its column's name, and `columns` has a default of the column's type.
  return mapColumns((name) => stored(name, sent[name] ?? "")) as Pick<ChannelRow, Name>;
}

/** The columns that an edit changes; the others are undefined. */
export function editedColumns(sent: Partial<Sent>): {
  readonly [Column in Name]?: ChannelRow[Column] | undefined;
} {
  return mapColumns((name) => {
    const value = sent[name];
    const isKept = columns[name].keptWhenEmpty && (value === "" || value === 0);
    return value === undefined || isKept ? undefined : stored(name, value);
  });
}

function stored(name: Name, value: number | string): number | string | null {
  return value === "" ? columns[name].default : value;
}

function mapColumns(valueOf: (name: Name) => unknown): object {
  // The keys of this object are exactly those of its type.
  const names = Object.keys(columns) as readonly Name[];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
