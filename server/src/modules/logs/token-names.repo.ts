/** Finds the tokens of a name or an id, which log rows are filtered by. */

import type { Db } from "#db/database.ts";
import { isNamed } from "#db/text-search.ts";
import { type LogFilter, namedTokensMax } from "./log-filter.repo.ts";

/** Rows of the playground have no token, but the name `playground-<group>`. */
const playgroundPrefix = "playground-";

/**
 * Looks up the token of the filter's `tokenId`, or else those of its `tokenName`, so that their rows
 * are found by an index.
 * @returns the filter with them; null: no row can match.
 */
export async function withTokens(db: Db, filter: LogFilter): Promise<LogFilter | null> {
  const { tokenName, tokenId } = filter;
  if (tokenId > 0) return await withToken(db, filter);
  if (tokenName === "" || mayBePlayground(tokenName)) return filter;
  // A user's own rows are few enough to be searched.
  if (filter.userId !== null) return filter;
  const named = await db
    .selectFrom("token_names")
    .select(["token_id", "user_id"])
    .where(isNamed("name", tokenName))
    .limit(namedTokensMax + 1)
    .execute();
  if (named.length === 0) return null;
  const areMany = named.length > namedTokensMax;
  const ids = areMany ? [] : named.map(({ token_id }) => token_id);
  const userIds = areMany ? [] : [...new Set(named.map(({ user_id }) => user_id))];
  const areExact = !(await hasOtherNames(db, tokenName));
  return { ...filter, tokens: { ids, userIds, areMany, areExact } };
}

/** Whether rows of the playground may have this name, or one that begins so. */
function mayBePlayground(name: string): boolean {
  if (name.startsWith(playgroundPrefix)) return true;
  return name.endsWith("%") && playgroundPrefix.startsWith(name.slice(0, -1).toLowerCase());
}

async function withToken(db: Db, filter: LogFilter): Promise<LogFilter | null> {
  const { tokenId, tokenName } = filter;
  const owner = await db
    .selectFrom("token_names")
    .select("user_id")
    .where("token_id", "=", tokenId)
    .limit(1)
    .executeTakeFirst();
  if (owner === undefined) return null;
  // The token may have had other names, so a name as well is compared row by row.
  const areExact = tokenName === "";
  const tokens = { ids: [tokenId], userIds: [owner.user_id], areMany: false, areExact };
  return { ...filter, tokens };
}

/** Whether a token of this name has had another one. */
async function hasOtherNames(db: Db, name: string): Promise<boolean> {
  const found = await db
    .selectFrom("token_names as other")
    .innerJoin("token_names as named", "named.token_id", "other.token_id")
    .select("other.token_id")
    .where(isNamed("named.name", name))
    .where(({ not }) => not(isNamed("other.name", name)))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
