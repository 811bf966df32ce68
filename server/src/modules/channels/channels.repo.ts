/**
 * All queries on the tables `channels` and `channel_keys`. The rules of channels are in
 * `channels.ts`.
 */

import { channelSearchMax, channelSorts } from "@tollgate/contract/endpoints/channels.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { type Expression, type Insertable, type Selectable, sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import type { ChannelKeyTable, ChannelTable } from "#db/tables/channels.ts";
import { contains } from "#db/text-search.ts";

export type ChannelRow = Selectable<ChannelTable>;
export type ChannelKeyRow = Selectable<ChannelKeyTable>;

/**
 * A channel key, sealed (encrypted) by the thread that has the secret. The insert adds
 * `channel_id`.
 */
export type SealedKey = Pick<ChannelKeyRow, "sealed" | "fingerprint" | "hint">;

/**
 * A channel's row, with the quota charged through the channel, and with the hints by which the
 * console shows its keys.
 */
export type ListedChannel = ChannelRow & {
  readonly used_quota: number;
  readonly key_hints: readonly string[];
};

/** The columns that an administrator or a test may change. */
export type ChannelSet = Partial<Omit<ChannelRow, "id" | "created_time">>;

/** Which channels a list shows. A field that is empty, 0 or null matches every channel. */
export type ChannelFilter = {
  readonly keyword: string;
  /**
   * Keyed hash of `keyword`, because the keyword may be a channel key; keys are found by their
   * hash.
   */
  readonly keywordFingerprint: string;
  readonly group: string;
  readonly model: string;
  readonly status: number;
  readonly type: number;
  /** Whether to list only channels whose last test failed. */
  readonly failed: boolean;
  /** Keyed hash of a key that the channel must have. */
  readonly fingerprint: string | null;
};

export type ChannelOrder = {
  readonly idSort: boolean;
  readonly tagMode: boolean;
  /** A name in `channelSorts`, with a leading minus for largest first; other texts are ignored. */
  readonly sort: string;
};

function matching(db: Db, filter: ChannelFilter | null) {
  return db.selectFrom("channels").where((eb) => {
    if (filter === null) return eb.and([]);
    const where: Expression<SqlBool>[] = [];
    const { keyword, group, model, status, type, failed, fingerprint } = filter;
    const withKey = (hash: string) =>
      eb(
        "channels.id",
        "in",
        eb.selectFrom("channel_keys").select("channel_id").where("fingerprint", "=", hash),
      );
    if (keyword !== "") {
      const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
      const byName = contains("channels.name", keyword);
      where.push(eb.or([eb("channels.id", "=", id), byName, withKey(filter.keywordFingerprint)]));
    }
    if (group !== "") where.push(listHas("channels.group", group));
    if (model !== "") where.push(contains("channels.models", model));
    if (status !== 0) where.push(eb("channels.status", "=", status));
    if (type !== 0) where.push(eb("channels.type", "=", type));
    if (failed) where.push(eb("channels.test_error", "<>", ""));
    if (fingerprint !== null) where.push(withKey(fingerprint));
    return eb.and(where);
  });
}

/** Whether a comma-separated column contains this entry. */
function listHas(column: string, entry: string): Expression<SqlBool> {
  const pattern = `%,${entry.replaceAll(/[\\%_]/g, "\\$&")},%`;
  return sql<SqlBool>`(',' || ${sql.ref(column)} || ',') like ${pattern} escape '\\'`;
}

export type ChannelsPage = {
  readonly rows: readonly ListedChannel[];
  /** How many channels match, on all pages together; in tag mode how many tags. */
  readonly total: number;
};

/** Reads one page of channels; in tag mode one page of tags, with all channels of each tag. */
export async function pageChannels(
  db: Db,
  filter: ChannelFilter | null,
  { idSort, tagMode, sort }: ChannelOrder,
  window: PageWindow,
): Promise<ChannelsPage> {
  const offset = (window.page - 1) * window.page_size;
  const { total } = await matching(db, filter)
    .select((eb) =>
      (tagMode ? eb.fn.count<number>("tag").distinct() : eb.fn.countAll<number>()).as("total"),
    )
    .executeTakeFirstOrThrow();
  let query = matching(db, filter).selectAll("channels");
  if (tagMode) {
    const tags = await matching(db, filter)
      .select("channels.tag")
      .distinct()
      .where("channels.tag", "is not", null)
      .orderBy("channels.tag")
      .limit(window.page_size)
      .offset(offset)
      .execute();
    const names = tags.flatMap(({ tag }) => tag ?? []);
    if (names.length === 0) return { rows: [], total };
    query = query.where("channels.tag", "in", names).orderBy("channels.tag");
  } else {
    query = query.limit(window.page_size).offset(offset);
  }
  const column = sortColumn(sort);
  if (column !== undefined) query = query.orderBy(column, sort.startsWith("-") ? "desc" : "asc");
  else if (!idSort) query = query.orderBy("channels.priority", "desc");
  const rows = await query
    .orderBy("channels.id", "desc")
    .$if(tagMode, (all) => all.limit(channelSearchMax))
    .execute();
  return { rows: await listed(db, rows), total };
}

/**
 * Returns the SQL expression by which a list is sorted; undefined if `sort` names none.
 * `used_quota` is read from the ledger's table `counters`.
 */
function sortColumn(sort: string): Expression<unknown> | undefined {
  const name = channelSorts.find((one) => one === sort.replace(/^-/, ""));
  if (name === undefined) return undefined;
  if (name !== "used_quota") return sql.ref(`channels.${name}`);
  return sql`coalesce((select counters.used_quota from counters
    where counters.kind = 'channel' and counters.id = channels.id), 0)`;
}

/**
 * Reads a channel with its used quota and the hints of its keys.
 * @returns undefined when there is no such channel.
 */
export async function findChannel(db: Db, id: number): Promise<ListedChannel | undefined> {
  const rows = await db.selectFrom("channels").selectAll().where("id", "=", id).execute();
  return (await listed(db, rows))[0];
}

/** Reads the newest channel of this name. */
export async function findChannelByName(db: Db, name: string): Promise<ListedChannel | undefined> {
  const rows = await db
    .selectFrom("channels")
    .selectAll()
    .where("name", "=", name)
    .orderBy("id", "desc")
    .limit(1)
    .execute();
  return (await listed(db, rows))[0];
}

async function listed(db: Db, rows: readonly ChannelRow[]): Promise<ListedChannel[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const used = await db
    .selectFrom("counters")
    .select(["id", "used_quota"])
    .where("kind", "=", "channel")
    .where("id", "in", ids)
    .execute();
  const quotas = new Map(used.map(({ id, used_quota }) => [id, used_quota]));
  const hints = Map.groupBy(await listKeys(db, ids), (key) => key.channel_id);
  return rows.map((row) => ({
    ...row,
    used_quota: quotas.get(row.id) ?? 0,
    key_hints: (hints.get(row.id) ?? []).map(({ hint }) => hint),
  }));
}

/** Reads the rows of the channels in `ids`, or of all channels when `ids` is null. */
export async function listRows(db: Db, ids: readonly number[] | null): Promise<ChannelRow[]> {
  const all = db.selectFrom("channels").selectAll().orderBy("id");
  return await (ids === null ? all : all.where("id", "in", [...ids])).execute();
}

/**
 * Reads the sealed keys of the channels in `ids`, or of all channels when `ids` is null, in the
 * order in which they were entered.
 */
export async function listKeys(db: Db, ids: readonly number[] | null): Promise<ChannelKeyRow[]> {
  const all = db.selectFrom("channel_keys").selectAll().orderBy("id");
  return await (ids === null ? all : all.where("channel_id", "in", [...ids])).execute();
}

/**
 * Lists the ids of the channels with this tag or one of these statuses, oldest first.
 * @param set.exceptTypes channels of these types are left out.
 */
export async function listIds(
  db: Db,
  set:
    | { readonly tag: string }
    | { readonly statuses: readonly number[]; readonly exceptTypes?: readonly number[] },
  filter: ChannelFilter | null = null,
): Promise<number[]> {
  const query = matching(db, filter).select("channels.id").orderBy("channels.id");
  const rows = await (
    "tag" in set
      ? query.where("channels.tag", "=", set.tag)
      : query
          .where("channels.status", "in", [...set.statuses])
          .where("channels.type", "not in", [...(set.exceptTypes ?? [0])])
  ).execute();
  return rows.map(({ id }) => id);
}

export type TestedBefore = {
  /** Unix seconds. */
  readonly before: number;
  readonly statuses: readonly number[];
  readonly exceptTypes: readonly number[];
};

/** Lists the channels whose last test began before a time, and when it did; 0: there was none. */
export async function listTestedBefore(
  db: Db,
  { before, statuses, exceptTypes }: TestedBefore,
): Promise<{ readonly id: number; readonly test_time: number }[]> {
  return await db
    .selectFrom("channels")
    .select(["id", "test_time"])
    .where("test_time", "<", before)
    .where("status", "in", [...statuses])
    .where("type", "not in", [0, ...exceptTypes])
    .orderBy("id")
    .execute();
}

/**
 * Notes that a channel is tested now, unless it was tested since `seen`, which is when its last test
 * was. Both are Unix seconds.
 *
 * @returns whether it was noted.
 */
export async function claimTest(
  db: Db,
  { id, seen, at }: { readonly id: number; readonly seen: number; readonly at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("channels")
    .set({ test_time: at })
    .where("id", "=", id)
    .where("test_time", "=", seen)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function countChannels(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom("channels")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * Inserts the row of a channel.
 * @returns the id of the new channel.
 */
export async function insertChannel(db: Db, row: Insertable<ChannelTable>): Promise<number> {
  const { id } = await db
    .insertInto("channels")
    .values(row)
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Replaces all keys of a channel. */
export async function replaceKeys(
  db: Db,
  channelId: number,
  keys: readonly SealedKey[],
  created_time: number,
): Promise<void> {
  await removeKeys(db, [channelId]);
  if (keys.length === 0) return;
  await db
    .insertInto("channel_keys")
    .values(keys.map((key) => ({ ...key, channel_id: channelId, status: 1, created_time })))
    .execute();
}

/**
 * Sets the same columns in the rows of all given channels.
 * @returns the number of changed channels.
 */
export async function updateChannels(
  db: Db,
  ids: readonly number[],
  set: ChannelSet,
): Promise<number> {
  if (ids.length === 0 || Object.keys(set).length === 0) return 0;
  const result = await db
    .updateTable("channels")
    .set(set)
    .where("id", "in", [...ids])
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Removes channels with their keys. @returns the number of removed channels. */
export async function removeChannels(db: Db, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  await removeKeys(db, ids);
  const result = await db
    .deleteFrom("channels")
    .where("id", "in", [...ids])
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

async function removeKeys(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .deleteFrom("channel_keys")
    .where("channel_id", "in", [...ids])
    .execute();
}

/** Finds the channels that have keys with these fingerprints; a channel stands once for each. */
export async function findKeyHolders(
  db: Db,
  fingerprints: readonly string[],
): Promise<{ readonly fingerprint: string; readonly id: number; readonly name: string }[]> {
  return await db
    .selectFrom("channel_keys")
    .innerJoin("channels", "channels.id", "channel_keys.channel_id")
    .select(["channel_keys.fingerprint", "channels.id", "channels.name"])
    .where("channel_keys.fingerprint", "in", fingerprints)
    .orderBy("channels.id")
    .limit(keyHoldersMax)
    .execute();
}

/** The most channels that are told to have some of the asked keys. */
const keyHoldersMax = 1_000;
