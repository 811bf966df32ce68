/**
 * The channel columns that an administrator sets directly: the console sends each value under the
 * column's name. Each column is listed once, with its default and whether an empty value in an edit
 * means no change. To add a column, add an entry here, a field in the contract, a line in
 * `db/tables/channels.ts` and a migration. Group, status and keys are not listed, because they have
 * rules of their own: `channel-edits.ts`.
 */

import type { createChannel } from "@tollgate/contract/endpoints/channels.ts";
import type { z } from "zod";
import type { ChannelTable } from "#db/tables/channels.ts";
import type { ChannelRow } from "./channels.repo.ts";

type ChannelInput = z.output<(typeof createChannel)["input"]>;

type Column<Stored> = {
  /**
   * What is stored when a new channel is sent without this column, or when an empty text is sent.
   */
  readonly default: Stored;
  /** Whether an empty text or 0 in an edit leaves the column unchanged. */
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
  readonly [Name in keyof ChannelInput & keyof ChannelTable]?: Column<ChannelTable[Name]>;
};

type Name = keyof typeof columns;

/**
 * Returns the values of the listed columns for a new channel: those that were sent, or else the
 * defaults.
 */
export function newColumns(sent: Partial<ChannelInput>): Pick<ChannelRow, Name> {
  // The cast is sound: each value is sent under its column's name, and `columns` has a default of
  // the column's type.
  return mapColumns((name) => stored(name, sent[name] ?? "")) as Pick<ChannelRow, Name>;
}

/** Returns the columns that an edit changes; the others are undefined. */
export function editedColumns(sent: Partial<ChannelInput>): {
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
  // The cast is sound: `columns` has exactly the keys of its type.
  const names = Object.keys(columns) as readonly Name[];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
