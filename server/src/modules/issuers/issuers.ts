/** Which channel has issued what clients send back in later requests, and to whom. */

import type { GivenIds } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import { preparedOf } from "#db/prepared.ts";
import type { IssuedTable } from "#db/tables/issued.ts";

export type Issuers = {
  /** Undefined: it is not known. */
  find(text: string): Promise<Issuer | undefined>;
  /** Finds several at once; those that are not known are left out. */
  findAll(texts: readonly string[]): Promise<ReadonlyMap<string, Issuer>>;
  /** Notes it in memory at once, and in the database soon after. */
  note(texts: readonly string[], issuer: Noted): void;
  /**
   * Notes it in memory at once, and returns what the settlement of the call has to store: null, if
   * all of it is stored.
   */
  give(texts: readonly string[], issuer: Noted): GivenIds | null;
  /** Returns what identifies a channel's key, or a family of channels, in an `Issuer`. */
  markOf(key: string): string;
  /** Resolves when everything that was noted is stored. */
  drained(): Promise<void>;
};

export type Issuer = {
  readonly userId: number;
  readonly channelId: number;
  readonly keyMark: string;
};

export type Noted = {
  readonly userId: number;
  readonly channelId: number;
  /** The channel's key that was used, or the family of channels that can read the text. */
  readonly key: string;
};

/** The most rows of one statement: SQL takes 32,766 values. */
const rowsAtOnce = 1_000;

const insertText =
  "insert into issued (mark, user_id, channel_id, key_mark, day) values (?, ?, ?, ?, ?) " +
  "on conflict (mark) do nothing";

/** Stores rows; a row that is there already stays as it is. */
export async function addIssued(tx: Db, rows: readonly IssuedTable[]): Promise<void> {
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const { channel_id, day, key_mark, mark, user_id } of rows) {
      prepared.run(insertText, [mark, user_id, channel_id, key_mark, day]);
    }
    return;
  }
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await tx
      .insertInto("issued")
      .values(rows.slice(from, from + rowsAtOnce))
      .onConflict((conflict) => conflict.column("mark").doNothing())
      .execute();
  }
}
