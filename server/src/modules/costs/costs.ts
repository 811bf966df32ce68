/**
 * What channels charge. A channel has a cost list in versions that never change; each charged call
 * stores the version by which its cost was computed. The versions of all channels form one hash
 * chain, so that a change of a past cost is detected.
 */

import { type UnitPrice, unitPrice } from "@tollgate/contract/money/charge.ts";
import { type CostContent, costContent, costGroup } from "@tollgate/contract/endpoints/costs.ts";
import { type Selectable, sql } from "kysely";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import type { CostVersionTable } from "#db/tables/options.ts";
import { makeCosts } from "./cost-list.ts";

export { makeCosts };

export type CostVersionRow = Selectable<CostVersionTable>;

/** The first version has no previous one, and is hashed with this in place of the previous hash. */
const chainStart = "";

/**
 * Computes the hash of a version: hex SHA-256 over the previous version's hash and the fields of
 * this one, as JSON text in this order.
 */
export function costVersionHash(previous: string, version: Omit<CostVersionRow, "hash">): string {
  const { id, channel_id, starts_at, content, created_by, created_at } = version;
  return hashText(
    JSON.stringify([previous, id, channel_id, starts_at, content, created_by, created_at]),
  );
}

/** Reads the content of a version; undefined if somebody has written something else there. */
export function parseCosts({ content }: Pick<CostVersionRow, "content">): CostContent | undefined {
  try {
    return costContent.parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}

/** Returns what a model costs by a cost list; undefined: the list does not say. */
export function costPrice({ list }: CostContent, model: string): UnitPrice | undefined {
  return unitPrice(list, model, costGroup);
}

/** Finds the newest version of each channel's cost list, or only of those in `ids`. */
export async function findCosts(
  db: Db,
  ids: readonly number[] | null,
): Promise<ReadonlyMap<number, CostVersionRow>> {
  if (ids?.length === 0) return new Map();
  const rows = await db
    .selectFrom("cost_versions")
    .selectAll()
    .where("id", "in", (eb) =>
      eb
        .selectFrom("cost_versions")
        .select(sql<number>`max(id)`.as("id"))
        .$if(ids !== null, (query) => query.where("channel_id", "in", ids ?? []))
        .groupBy("channel_id"),
    )
    .execute();
  return new Map(rows.map((row) => [row.channel_id, row]));
}

/** Prepares a version for calls: each model's price is made once. */
export function openCosts(row: CostVersionRow) {
  const content = parseCosts(row);
  const known = new Map<string, UnitPrice | undefined>();
  return {
    version: row.id,
    priceOf(model: string): UnitPrice | undefined {
      const found = known.get(model);
      // A channel lists few models, so the map stays small.
      if (found !== undefined || known.has(model) || content === undefined) return found;
      const price = costPrice(content, model);
      known.set(model, price);
      return price;
    },
  };
}

type NewVersion = {
  readonly channelId: number;
  readonly content: CostContent;
  readonly createdBy: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Adds a version, unless it says what the present one does. The caller has recorded the change of
 * the channel before, which lets simultaneous changes run one after the other.
 *
 * @returns whether there is a new version.
 */
export async function addCosts(tx: Db, given: NewVersion): Promise<boolean> {
  const { channelId, createdBy, nowMs } = given;
  const content = JSON.stringify(given.content);
  const present = (await findCosts(tx, [channelId])).get(channelId);
  if (present?.content === content) return false;
  const last = await tx
    .selectFrom("cost_versions")
    .select(["hash", "starts_at"])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  // A version never starts before the previous one, even if the clock was set back.
  const starts_at = Math.max(nowMs, last?.starts_at ?? 0);
  const version = {
    channel_id: channelId,
    starts_at,
    content,
    created_by: createdBy,
    created_at: nowMs,
  };
  const { id } = await tx
    .insertInto("cost_versions")
    .values({ ...version, hash: "" })
    .returning("id")
    .executeTakeFirstOrThrow();
  // The hash is set after the insert, because it covers the id.
  await tx
    .updateTable("cost_versions")
    .set({ hash: costVersionHash(last?.hash ?? chainStart, { id, ...version }) })
    .where("id", "=", id)
    .execute();
  return true;
}
