/**
 * Translates the filters of the usage log into SQL conditions on the tables `logs` and
 * `usage_hours`.
 */

import { type LogSort, logType } from "@tollgate/contract/endpoints/logs.ts";
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { Database, Db } from "#db/database.ts";
import { dialectOf } from "#db/dialect.ts";
import { contains, isNamed, startsWith } from "#db/text-search.ts";

/**
 * Which rows a list shows. A field that is empty, 0 or null matches every row. The names of users,
 * tokens, channels and groups match whole, or, with a final `%`, by their beginning.
 */
export type LogFilter = {
  readonly userId: number | null;
  readonly username: string;
  /** Keyed hash of a token's key: only rows of this token; null: no such filter. */
  readonly lookup: string | null;
  readonly tokenName: string;
  /** The token's id; `withoutToken`: only calls without a token; 0: any. */
  readonly tokenId: number;
  readonly modelName: string;
  readonly type: number;
  /** `start` and `end` are Unix seconds and both inclusive. */
  readonly start: number;
  readonly end: number;
  readonly channel: number;
  /** Only calls of channels with this name; absent and empty: of any. */
  readonly channelName?: string;
  readonly group: string;
  /** Only rows that were inserted after the row with this id match; 0: all rows. */
  readonly afterId: number;
  /**
   * Only rows of the call with this id match. The column has no index, so the query reads all of a
   * user's rows from `start` on.
   */
  readonly requestId: string;
  /** Only charges with counts from there match. The column has no index either. */
  readonly usageSource: string;
  /** Only rows of at least so many quota units match; 0: all rows. */
  readonly quotaMin: number;
  /** Only turns of this conversation match; absent and 0: all rows. */
  readonly conversationId?: number;
  /** Only calls with this tag match; absent and empty: all rows. */
  readonly tag?: string;
  /** How many of the newest calls with the tag are searched; absent: `taggedRowsMax`. */
  readonly taggedMax?: number;
  /** Whether more calls have the tag than are searched; absent: no. */
  readonly isCut?: boolean;
  /** The first words of an ending; absent and empty: all rows. */
  readonly ending?: string;
  /** How rows are sorted; absent: newest first. Sorting by a column reads all matching rows. */
  readonly sort?: { readonly by: LogSort; readonly order: "asc" | "desc" };
  /** The token `tokenId`, or those that have or had `tokenName`; absent: they were not looked up. */
  readonly tokens?: NamedTokens;
};

/** The value of `tokenId` for calls without a token. */
export const withoutToken = -1;

/** Tokens that have or had a name, or the one of an id. */
type NamedTokens = {
  readonly ids: readonly number[];
  /** The users who own them. */
  readonly userIds: readonly number[];
  /** Whether there are too many to be listed in a query; then `ids` and `userIds` are empty. */
  readonly areMany: boolean;
  /** Whether none of them has had another name, so that sums by token are sums by name. */
  readonly areExact: boolean;
};

/** The largest number of tokens that a query names one by one. */
export const namedTokensMax = 200;

type Where = Expression<SqlBool>[];

/** The log type of charged calls; rows of other types are rare. */
export const consumption = 2;

/** What a charged call costs now. */
export const chargedNow = sql<number>`quota - refunded + rerated`;

const otherTypes = logType.options.filter((type) => type !== consumption);

/**
 * Matches rows that are not charged calls. Their partial index begins with `type` and has the
 * condition `type <> 2`. A query uses the index only if it repeats the condition, and is faster if
 * it lists the types.
 */
export const isUncharged = sql<SqlBool>`(type in (${sql.join(otherTypes.map((type) => sql.lit(type)))}) and type <> 2)`;

/**
 * Matches charged calls whose charge was given back. The 1 is a literal and not a parameter, so
 * that the partial index with this condition is used.
 */
export const isReversed = sql<SqlBool>`reversed = 1`;

/** Returns the conditions of a filter on those columns that `logs` and `usage_hours` share. */
function shared(
  eb:
    | ExpressionBuilder<Database, "ending_hours">
    | ExpressionBuilder<Database, "logs">
    | ExpressionBuilder<Database, "usage_hours">,
  filter: LogFilter,
): Where {
  // The cast is sound because all three tables have all columns that are named here.
  const on = eb as ExpressionBuilder<Database, "logs">;
  const where: Where = [];
  if (filter.userId !== null) where.push(on("user_id", "=", filter.userId));
  if (filter.username !== "") {
    const named = on.selectFrom("users").select("users.id");
    const found = named.where(isNamed("users.username", filter.username));
    // One user's rows are read in the order of an index, and those of several are not.
    where.push(on("user_id", filter.username.endsWith("%") ? "in" : "=", found));
  }
  if (filter.lookup !== null) {
    const { lookup } = filter;
    const token = on.selectFrom("tokens").where((any) =>
      any.or([
        any("tokens.lookup", "=", lookup),
        // The second condition lets the database use the index of old keys.
        any.and([any("tokens.old_lookup", "=", lookup), any("tokens.old_lookup", "<>", "")]),
      ]),
    );
    // The condition on the user is redundant, but the user id has an index and the token id has
    // none.
    where.push(on("user_id", "=", token.select("tokens.user_id")));
    where.push(on("token_id", "=", token.select("tokens.id")));
  }
  if (filter.tokenId === withoutToken) where.push(on("token_id", "=", 0));
  if (filter.tokens !== undefined && !filter.tokens.areMany) {
    where.push(on("user_id", "in", [...filter.tokens.userIds]));
    where.push(on("token_id", "in", [...filter.tokens.ids]));
  }
  where.push(...kindsOf(filter));
  return where;
}

/** Returns the conditions on model and group, which every roll-up has. */
function kindsOf(filter: LogFilter): Where {
  const where: Where = [];
  if (filter.modelName !== "") where.push(likeModel(filter.modelName));
  if (filter.group !== "") where.push(isNamed("group", filter.group));
  return where;
}

/** Returns the conditions on the channel, whose column has another name in each table. */
function ofChannel(column: "channel" | "channel_id", filter: LogFilter): Where {
  const where: Where = [];
  const { channel, channelName = "" } = filter;
  if (channel !== 0) where.push(sql<SqlBool>`${sql.ref(column)} = ${channel}`);
  if (channelName !== "") {
    const named = isNamed("channels.name", channelName);
    where.push(
      sql<SqlBool>`${sql.ref(column)} in (select channels.id from channels where ${named})`,
    );
  }
  return where;
}

/**
 * Returns the condition for a text in the model filter. A text that ends in `%`, such as `gpt-4%`,
 * matches the start of a model's name, as one-api consoles expect; any other text matches a part of
 * the name. A text that begins with `=`, such as `=gpt-4o`, is the whole name: a bar of the
 * dashboard leads to exactly the calls that it adds up.
 */
function likeModel(text: string): Expression<SqlBool> {
  if (text.startsWith("=")) return sql<SqlBool>`model_name = ${text.slice(1)}`;
  return text.endsWith("%")
    ? startsWith("model_name", text.slice(0, -1))
    : contains("model_name", text);
}

/**
 * Returns the conditions on how calls ended. The partial index of endings is used only where a query
 * repeats its condition.
 */
function endedSo(text: string): Where {
  if (text === "") return [];
  if (text === "complete") return [sql<SqlBool>`type = 2`, sql<SqlBool>`ending = ''`];
  // The index of rows that are no charges has them in the order of lists.
  if (text === "failed") return [sql<SqlBool>`type = 5`, sql<SqlBool>`type <> 2`];
  return beginsSo(text);
}

function beginsSo(text: string): Where {
  const isEnded = sql<SqlBool>`ending <> ''`;
  const isWhole = text !== "failed" && !/^failed \d{1,9}$/.test(text);
  if (isWhole) return [isEnded, sql<SqlBool>`ending = ${text}`];
  // The sign after the space is the first that is no beginning of a further word.
  return [isEnded, sql<SqlBool>`ending >= ${`${text} `}`, sql<SqlBool>`ending < ${`${text}!`}`];
}

/** Returns the conditions on time and tag: the table of tags has the times of its calls. */
function timed(db: Db, filter: LogFilter): Where {
  if ((filter.tag ?? "") !== "") {
    const found = sql`select log_tags.log_id from log_tags where ${taggedSo(filter)}`;
    // Were the times named here as well, all rows of them might be read; an array is read before the
    // log on PostgreSQL, which might otherwise search all rows of a type.
    return dialectOf(db) === "postgres"
      ? [sql<SqlBool>`logs.id = any(array(${found}))`]
      : [sql<SqlBool>`logs.id in (${found})`];
  }
  const where: Where = [];
  if (filter.start > 0) where.push(sql<SqlBool>`logs.created_at >= ${filter.start}`);
  if (filter.end > 0) where.push(sql<SqlBool>`logs.created_at <= ${filter.end}`);
  return where;
}

/** Matches the rows of the table of tags that have a filter's tag, user and time. */
export function taggedSo({ tag = "", userId, afterId, start, end }: LogFilter) {
  const where = [sql<SqlBool>`log_tags.tag = ${tag}`];
  if (userId !== null) where.push(sql<SqlBool>`log_tags.user_id = ${userId}`);
  if (start > 0) where.push(sql<SqlBool>`log_tags.created_at >= ${start}`);
  if (end > 0) where.push(sql<SqlBool>`log_tags.created_at <= ${end}`);
  if (afterId > 0) where.push(sql<SqlBool>`log_tags.log_id > ${afterId}`);
  return sql<SqlBool>`${sql.join(where, sql` and `)}`;
}

/** Selects the log rows that match a filter. */
export function matching(db: Db, filter: LogFilter) {
  return db.selectFrom("logs").where((eb) => {
    const where = shared(eb, filter);
    if (filter.type !== 0) where.push(eb("type", "=", filter.type));
    if (filter.type !== 0 && filter.type !== consumption) where.push(sql<SqlBool>`type <> 2`);
    if (filter.tokenName !== "") where.push(isNamed("token_name", filter.tokenName));
    where.push(...ofChannel("channel", filter));
    where.push(...timed(db, filter));
    if (filter.afterId > 0) where.push(eb("logs.id", ">", filter.afterId));
    if (filter.requestId !== "") where.push(eb("request_id", "=", filter.requestId));
    const { conversationId = 0 } = filter;
    where.push(...endedSo(filter.ending ?? ""));
    // The second condition repeats that of the partial index.
    if (conversationId > 0) {
      where.push(eb("conversation_id", "=", conversationId), sql<SqlBool>`conversation_id <> 0`);
    }
    if (filter.quotaMin > 0) where.push(eb("quota", ">=", filter.quotaMin));
    if (filter.usageSource !== "") where.push(eb("usage_source", "=", filter.usageSource));
    return eb.and(where);
  });
}

/** Selects the rows of the hourly roll-up that match a filter, except for its times. */
export function hoursOf(db: Db, filter: LogFilter) {
  return db
    .selectFrom("usage_hours")
    .where((eb) => eb.and([...shared(eb, filter), ...ofManyTokens(filter)]))
    .where((eb) => eb.and(ofChannel("channel_id", filter)));
}

/** Selects the sums of calls by how they ended that match a filter, except for its times. */
export function endingsOf(db: Db, filter: LogFilter) {
  return db
    .selectFrom("ending_hours")
    .where((eb) => eb.and([...shared(eb, filter), ...ofManyTokens(filter)]))
    .where((eb) => eb.and([...ofChannel("channel_id", filter), ...sumsEndedSo(filter)]));
}

/** Returns the same for the sums, which have no whole answers. */
function sumsEndedSo({ ending = "" }: LogFilter): Where {
  if (ending === "") return [];
  return ending === "complete" ? [sql<SqlBool>`1 = 0`] : beginsSo(ending);
}

/** Returns the condition on tokens that are too many to be listed. */
function ofManyTokens({ tokens, tokenName }: LogFilter): Where {
  if (tokens?.areMany !== true) return [];
  const named = isNamed("token_names.name", tokenName);
  return [sql<SqlBool>`token_id in (select token_names.token_id from token_names where ${named})`];
}

/** Whether a filter has nothing about users or tokens, so that totals without them have its sums. */
export function isOfTotals(filter: LogFilter): boolean {
  const { userId, username, lookup, tokenName, tokenId } = filter;
  const isOfToken = lookup !== null || tokenName !== "" || tokenId !== 0;
  return userId === null && username === "" && !isOfToken;
}

/** Selects the totals by hour (`span` 3,600) or by day (86,400) that match a filter. */
export function totalsOf(db: Db, filter: LogFilter, span: number) {
  return db
    .selectFrom("usage_totals")
    .where("span", "=", span)
    .where((eb) => eb.and([...kindsOf(filter), ...ofChannel("channel_id", filter)]));
}
