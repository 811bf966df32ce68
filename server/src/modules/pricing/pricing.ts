/**
 * Prices. A price version contains the whole price list and never changes, and every charged call
 * stores the version that it was charged by. The versions form a hash chain, so that a change of a
 * past price is detected.
 */

import { createHash } from "node:crypto";
import { type PriceList, priceList } from "@tollgate/contract/charge.ts";
import { defaultPriceList } from "@tollgate/contract/default-prices.ts";
import type { Selectable } from "kysely";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import type { PriceVersionTable } from "#db/tables/options.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { tellPrices } from "#modules/notifications/notifications.ts";
import { requireRatios } from "./groups-in-use.ts";

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

/** Parts of a price list, or a function that makes them of the list in force. */
type PriceParts = Partial<PriceList> | ((present: PriceList) => Partial<PriceList>);

type PriceChange = {
  /** The parts of the price list that are replaced; the others stay as they are. */
  readonly parts: PriceParts;
  /** Id of the user who makes the change. */
  readonly createdBy: number;
  /** Why the prices change; absent: nobody said. */
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Creates a version in which `parts` replace parts of the list in force. Simultaneous changes run
 * one after another, each based on the one before it, so that none is lost.
 * @returns the lists before and after. If they are equal, no version is created.
 */
export async function changePrices(
  tx: Db,
  { parts, createdBy, reason, nowMs }: PriceChange,
): Promise<{ readonly before: PriceList; readonly after: PriceList }> {
  // Recorded before the prices are read: this locks the row with the configuration's version until
  // the transaction ends, so that simultaneous changes of prices run one after another.
  await recordChange(tx, "prices", 0);
  const row = await findPrices(tx);
  const present = row === undefined ? undefined : parsePrices(row);
  if (row === undefined || present === undefined) throw new Error("no price version in force");
  const after = priceList.parse({
    ...present.list,
    ...(typeof parts === "function" ? parts(present.list) : parts),
  });
  if (JSON.stringify(after) !== JSON.stringify(present.list)) {
    const [last] = await newest(tx, 1);
    await insertVersion(tx, last, { list: after, createdBy, reason: reason ?? "", nowMs });
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
  /** Parts of the price list that replace the current ones. */
  readonly parts: PriceParts;
  readonly actor: Actor;
  /** What the audit log names as changed; absent: the options that the parts are. */
  readonly target?: string;
  /** Why the prices change; absent: nobody said. */
  readonly reason?: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Saves prices that root changed as a version, notes them in the audit log, and has users told.
 * @throws Refusal `invalid-input` if a group in use would have no ratio.
 */
export async function savePrices(tx: Db, save: PriceSave): Promise<void> {
  const { parts, actor, reason, nowMs } = save;
  const change = {
    parts,
    createdBy: actor.userId,
    nowMs,
    ...(reason === undefined ? {} : { reason }),
  };
  const { before, after } = await changePrices(tx, change);
  const hasGroups = typeof parts !== "function" && parts.GroupRatio !== undefined;
  if (hasGroups) await requireRatios(tx, after.GroupRatio);
  const changed = differences(before, after);
  if (Object.keys(changed).length > 0) await tellPrices(tx, nowMs);
  await appendAudit(tx, {
    actor,
    action: "price.update",
    target: save.target ?? `option:${Object.keys(parts).join(",")}`,
    detail: changed,
    nowMs,
  });
}

/**
 * The largest number of changed prices that one audit log entry names. The price versions contain
 * all of them.
 */
const differencesMax = 50;

/**
 * Returns the changed prices: maps `<option>.<name>` to the values before and after; null for none.
 */
function differences(before: PriceList, after: PriceList): Record<string, (string | null)[]> {
  const old = flatten(before);
  const now = flatten(after);
  const changed: Record<string, (string | null)[]> = {};
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const pair = [old.get(name) ?? null, now.get(name) ?? null];
    if (pair[0] === pair[1]) continue;
    if (Object.keys(changed).length === differencesMax) break;
    changed[name] = pair;
  }
  return changed;
}

function flatten(list: PriceList): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [part, value] of Object.entries(list)) {
    if (typeof value === "string") flat.set(part, value);
    else {
      for (const [name, of] of Object.entries(value ?? {})) {
        flat.set(`${part}.${name}`, typeof of === "string" ? of : JSON.stringify(of));
      }
    }
  }
  return flat;
}
