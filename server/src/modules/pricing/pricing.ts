/**
 * Prices. A price version contains the whole price list and never changes, and every charged call
 * stores the version that it was charged by. The versions form a hash chain, so that a change of a
 * past price is detected.
 */

import { createHash } from "node:crypto";
import { type PriceList, priceList } from "@tollgate/contract/money/charge.ts";
import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { Selectable } from "kysely";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import type { PriceVersionTable } from "#db/tables/options.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { tellPrices } from "#modules/notifications/notifications.ts";
import { requireRatios } from "./groups-in-use.ts";
import { completeOptions, differences } from "./price-changes.ts";

export { formsOf } from "./catalogue/names.ts";
export { chargeAgain, netOf, resolvePrices } from "./preview/charge-again.ts";
export { differences } from "./price-changes.ts";

export type PriceVersionRow = Selectable<PriceVersionTable>;

/** The columns of a version that its hash covers: all but the hash itself. */
type HashedPriceVersion = Omit<PriceVersionRow, "hash">;

/** The first version has no previous one, and is hashed with this in place of the previous hash. */
const chainStart = "";

/**
 * Computes the hash of a version: hex SHA-256 over the previous version's hash and the fields of
 * this one, as JSON text in this order. The reason is the last of them where there is one, so that
 * versions from before there were reasons keep their hashes.
 */
export function priceVersionHash(previous: string, version: HashedPriceVersion): string {
  const text = JSON.stringify([
    previous,
    version.id,
    version.starts_at,
    version.content,
    version.created_by,
    version.created_at,
    ...(version.reason === "" ? [] : [version.reason]),
  ]);
  return createHash("sha256").update(text).digest("hex");
}

/** Reads the price list in a row; undefined if the row contains no valid one. */
export function parsePrices(
  row: Pick<PriceVersionRow, "id" | "content">,
): { readonly id: number; readonly list: PriceList } | undefined {
  try {
    return { id: row.id, list: priceList.parse(JSON.parse(row.content)) };
  } catch {
    return undefined;
  }
}

/** How many of the newest versions are searched for a valid price list. */
const lookBackMax = 50;

/**
 * Finds the price version in force: the newest that has a valid price list. Only a direct write to
 * the table can make a list invalid; such a version is ignored here, and the proof of the ledger
 * reports it. Undefined before the installation has created the first version.
 */
export async function findPrices(db: Db): Promise<PriceVersionRow | undefined> {
  const rows = await newest(db, lookBackMax);
  return rows.find((row) => parsePrices(row) !== undefined);
}

async function newest(db: Db, count: number): Promise<PriceVersionRow[]> {
  return await db
    .selectFrom("price_versions")
    .selectAll()
    .orderBy("id", "desc")
    .limit(count)
    .execute();
}

/** Creates the first version from the default prices, unless a version exists. */
export async function installPrices(tx: Db, nowMs: number): Promise<void> {
  await recordChange(tx, "prices", 0);
  if ((await findPrices(tx)) !== undefined) return;
  const [last] = await newest(tx, 1);
  await insertVersion(tx, last, { list: defaultPriceList, createdBy: 0, reason: "", nowMs });
}

type PriceChange = {
  /** The parts of the price list that are replaced; the others stay as they are. */
  readonly parts: Partial<PriceList>;
  /** Id of the user who makes the change. */
  readonly createdBy: number;
  /** Why the prices change; absent: nobody said. */
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The lists before and after a change. If they are equal, no version was created. */
type ChangedPrices = { readonly before: PriceList; readonly after: PriceList };

/**
 * Creates a version in which `parts`, as options contain them, replace parts of the list in force.
 * Prices that change so are noted as set by hand.
 */
export async function changePrices(tx: Db, change: PriceChange): Promise<ChangedPrices> {
  const { parts, createdBy, nowMs } = change;
  return await derivePrices(tx, {
    derive: (list) => completeOptions(list, { ...list, ...parts }, { nowMs, by: createdBy }),
    createdBy,
    nowMs,
  });
}

/**
 * Creates a version that is derived from the list in force. Simultaneous changes run one after
 * another, each based on the one before it, so that none is lost.
 */
export async function derivePrices(
  tx: Db,
  {
    derive,
    createdBy,
    reason = "",
    nowMs,
  }: Omit<PriceChange, "parts"> & { readonly derive: (list: PriceList) => PriceList },
): Promise<ChangedPrices> {
  // Recorded before the prices are read: this locks the row with the configuration's version until
  // the transaction ends, so that simultaneous changes of prices run one after another.
  await recordChange(tx, "prices", 0);
  const row = await findPrices(tx);
  const present = row === undefined ? undefined : parsePrices(row);
  if (row === undefined || present === undefined) throw new Error("no price version in force");
  const after = priceList.parse(derive(present.list));
  if (JSON.stringify(after) !== JSON.stringify(present.list)) {
    const [last] = await newest(tx, 1);
    await insertVersion(tx, last, { list: after, createdBy, reason, nowMs });
  }
  return { before: present.list, after };
}

async function insertVersion(
  tx: Db,
  previous: PriceVersionRow | undefined,
  made: {
    readonly list: PriceList;
    readonly createdBy: number;
    readonly reason: string;
    readonly nowMs: number;
  },
): Promise<void> {
  // A version never starts before the previous one, even if the clock was set back.
  const starts_at = Math.max(made.nowMs, previous?.starts_at ?? 0);
  const content = JSON.stringify(made.list);
  const version = {
    starts_at,
    content,
    created_by: made.createdBy,
    created_at: made.nowMs,
    reason: made.reason,
  };
  const { id } = await tx
    .insertInto("price_versions")
    .values({ ...version, hash: "" })
    .returning("id")
    .executeTakeFirstOrThrow();
  // The hash is set after the insert, because it covers the id.
  await tx
    .updateTable("price_versions")
    .set({ hash: priceVersionHash(previous?.hash ?? chainStart, { id, ...version }) })
    .where("id", "=", id)
    .execute();
}

type PriceSave = {
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Saves options with prices as a version.
 * @throws Refusal `invalid-input` if a group in use would have no ratio.
 */
export async function savePrices(
  tx: Db,
  { parts, actor, nowMs }: PriceSave & { readonly parts: Partial<PriceList> },
): Promise<void> {
  await saveDerived(tx, {
    derive: (list) => completeOptions(list, { ...list, ...parts }, { nowMs, by: actor.userId }),
    hasGroups: parts.GroupRatio !== undefined,
    target: `option:${Object.keys(parts).join(",")}`,
    reason: "",
    actor,
    nowMs,
  });
}

/**
 * Saves a list that is derived from the one in force as a version, notes what changed in the audit
 * log, and has users told.
 * @throws Refusal `invalid-input` if a group in use would have no ratio.
 */
export async function saveDerived(
  tx: Db,
  save: PriceSave & {
    readonly derive: (list: PriceList) => PriceList;
    /** Whether the ratios of groups may change. */
    readonly hasGroups: boolean;
    /** What the audit log names as changed. */
    readonly target: string;
    readonly reason: string;
  },
): Promise<void> {
  const { derive, actor, reason, target, nowMs } = save;
  const change = { derive, createdBy: actor.userId, reason, nowMs };
  const { before, after } = await derivePrices(tx, change);
  if (save.hasGroups) await requireRatios(tx, after.GroupRatio);
  const detail = differences(before, after);
  if (Object.keys(detail).length > 0) await tellPrices(tx, nowMs);
  await appendAudit(tx, { actor, action: "price.update", target, detail, nowMs });
}
