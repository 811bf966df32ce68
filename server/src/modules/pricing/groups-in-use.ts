/**
 * Groups that users, tokens and channels are in. Each of these groups needs a ratio, because
 * without one its calls have no price.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";

/** The largest number of groups that a refusal names. */
const namedMax = 20;

/**
 * Requires that each group in use has a ratio.
 * @throws Refusal `invalid-input` that names the groups without one.
 */
export async function requireRatios(tx: Db, ratios: PriceList["GroupRatio"]): Promise<void> {
  const missing = new Map<string, string[]>();
  for (const [kind, groups] of Object.entries(await groupsInUse(tx))) {
    for (const group of groups) {
      if (Object.hasOwn(ratios, group)) continue;
      missing.set(group, [...(missing.get(group) ?? []), kind]);
    }
  }
  if (missing.size === 0) return;
  const names = [...missing]
    .slice(0, namedMax)
    .map(([group, kinds]) => `${group}（${kinds.join("、")}）`);
  throw new Refusal("invalid-input", `仍在使用的分组不能没有倍率：${names.join("，")}`);
}

/**
 * Finds the groups in use, by where they are used: for users, tokens or channels, in the words of
 * the console.
 */
async function groupsInUse(tx: Db): Promise<Readonly<Record<string, ReadonlySet<string>>>> {
  const [users, tokens, channels] = [
    await tx
      .selectFrom("users")
      .select("group")
      .distinct()
      .where("DeletedAt", "is", null)
      .execute(),
    await tx
      .selectFrom("tokens")
      .select("group")
      .distinct()
      .where("DeletedAt", "is", null)
      .execute(),
    await tx.selectFrom("channels").select("group").distinct().execute(),
  ];
  const namesOf = (rows: readonly { readonly group: string }[]): ReadonlySet<string> =>
    new Set(
      rows.flatMap(({ group }) => group.split(",").map((name) => name.trim())).filter(Boolean),
    );
  return { 用户: namesOf(users), 令牌: namesOf(tokens), 渠道: namesOf(channels) };
}
