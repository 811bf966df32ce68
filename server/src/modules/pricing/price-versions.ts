/** Reads the versions of the price list, and goes back to one of them. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { PriceDifference, PriceVersion } from "@tollgate/contract/endpoints/price-versions.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { countChanges, differenceOf } from "./price-difference.ts";
import { findPrices, parsePrices, type PriceVersionRow, saveDerived } from "./pricing.ts";

type VersionPage = {
  readonly items: PriceVersion[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
};

/** How many versions are read at once: each of them holds a whole price list. */
const versionsAtOnce = 10;

/** Reads one page of the versions, newest first. */
export async function pageVersions(db: Db, window: PageWindow): Promise<VersionPage> {
  const { page, page_size } = window;
  const inForce = (await findPrices(db))?.id;
  const items: PriceVersion[] = [];
  while (items.length < page_size) {
    const count = Math.min(versionsAtOnce, page_size - items.length);
    const part = await readVersions(db, { offset: (page - 1) * page_size + items.length, count });
    items.push(...part.map((version) => ({ ...version, in_force: version.id === inForce })));
    if (part.length < count) break;
  }
  const { total } = await db
    .selectFrom("price_versions")
    .select((eb) => eb.fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  return { items, page, page_size, total: Number(total) };
}

async function readVersions(
  db: Db,
  { offset, count }: { readonly offset: number; readonly count: number },
): Promise<Omit<PriceVersion, "in_force">[]> {
  const rows = await db
    .selectFrom("price_versions")
    .leftJoin("users", "users.id", "price_versions.created_by")
    .selectAll("price_versions")
    .select("users.username as name")
    .orderBy("price_versions.id", "desc")
    // One more, which the oldest of them is compared with.
    .limit(count + 1)
    .offset(offset)
    .execute();
  const lists = rows.map((row) => parsePrices(row)?.list);
  return rows.slice(0, count).map((row, at) => {
    const [list, before] = [lists[at], lists[at + 1]];
    return {
      id: row.id,
      before_id: rows[at + 1]?.id ?? 0,
      created_at: Math.floor(row.created_at / 1_000),
      starts_at: Math.floor(row.starts_at / 1_000),
      created_by: row.created_by,
      created_by_name: row.name ?? "",
      reason: row.reason,
      readable: list !== undefined,
      ...(list === undefined || before === undefined
        ? { changed_models: 0, changed_groups: 0 }
        : countChanges(before, list)),
    };
  });
}

/**
 * Compares two versions; an absent id is that of the version in force.
 * @throws Refusal `not-found`.
 */
export async function diffVersions(
  db: Db,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
): Promise<PriceDifference> {
  return differenceOf(await readList(db, from), await readList(db, to));
}

/**
 * Makes a new version with the content of an earlier one.
 * @throws Refusal `not-found`; `invalid-input` if a group in use would have no ratio.
 */
export async function rollBackPrices(
  tx: Db,
  back: {
    readonly id: number;
    readonly reason: string;
    readonly actor: Actor;
    /** Unix milliseconds. */
    readonly nowMs: number;
  },
): Promise<void> {
  const list = await readList(tx, back.id);
  const { id, ...save } = back;
  const target = `price-version:${id}`;
  await saveDerived(tx, { ...save, derive: () => list, hasGroups: true, target });
}

async function readList(db: Db, id: number | undefined): Promise<PriceList> {
  const row: PriceVersionRow | undefined =
    id === undefined
      ? await findPrices(db)
      : await db.selectFrom("price_versions").selectAll().where("id", "=", id).executeTakeFirst();
  const prices = row === undefined ? undefined : parsePrices(row);
  if (prices === undefined) throw new Refusal("not-found", "价格版本不存在或无法读取");
  return prices.list;
}
