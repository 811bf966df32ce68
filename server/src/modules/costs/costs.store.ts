import type { ModelCost } from "@tollgate/contract/costs.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { makeCosts } from "./cost-list.ts";
import { findCallCost, pageLosses, pageMargins } from "./margins.repo.ts";
import { addCosts, type CostVersionRow, findCosts } from "./costs.ts";

export const costStore = defineStore({
  reads: { findCallCost, pageLosses, pageMargins, pageVersions, readCosts },
  writes: { saveCosts },
});

/** A version with the name of the user who made it; empty: nobody, or a user who is gone. */
export type NamedVersion = CostVersionRow & { readonly username: string };

/** Returns the models of a channel and the newest version of its costs; null: no such channel. */
async function readCosts(
  db: Db,
  channelId: number,
): Promise<{ readonly models: string; readonly version: NamedVersion | null } | null> {
  const channel = await db
    .selectFrom("channels")
    .select("models")
    .where("id", "=", channelId)
    .executeTakeFirst();
  if (channel === undefined) return null;
  const version = (await findCosts(db, [channelId])).get(channelId);
  const [named = null] = await withNames(db, version === undefined ? [] : [version]);
  return { models: channel.models, version: named };
}

async function withNames(db: Db, versions: readonly CostVersionRow[]): Promise<NamedVersion[]> {
  const ids = [...new Set(versions.map(({ created_by }) => created_by))];
  if (ids.length === 0) return [];
  const users = await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", ids)
    .execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return versions.map((row) => ({ ...row, username: names.get(row.created_by) ?? "" }));
}

async function pageVersions(
  db: Db,
  channelId: number,
  { page, page_size }: PageWindow,
): Promise<{ readonly items: readonly NamedVersion[]; readonly total: number }> {
  const ofChannel = db.selectFrom("cost_versions").where("channel_id", "=", channelId);
  const { total } = await ofChannel
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await ofChannel
    .selectAll()
    .orderBy("id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  return { items: await withNames(db, rows), total: Number(total) };
}

type Save = {
  readonly channelId: number;
  readonly typed: Readonly<Record<string, ModelCost>>;
  /** The quota units of a US dollar. */
  readonly quotaPerUnit: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Saves what was typed of a channel's costs as a new version. */
async function saveCosts(tx: Db, save: Save): Promise<void> {
  const { channelId, typed, quotaPerUnit, actor, nowMs } = save;
  // Recorded first: this locks the configuration's version, so that saves run one after the other.
  await recordChange(tx, "channels", channelId);
  const channel = await tx
    .selectFrom("channels")
    .select("id")
    .where("id", "=", channelId)
    .executeTakeFirst();
  if (channel === undefined) throw new Refusal("not-found", "渠道未找到，请刷新页面后重试。");
  const made = makeCosts(typed, quotaPerUnit);
  if (!made.ok) throw new Refusal("invalid-input", made.message, { field: "models" });
  const createdBy = actor.userId;
  const isNew = await addCosts(tx, { channelId, content: made.value, createdBy, nowMs });
  if (!isNew) return;
  await appendAudit(tx, {
    actor,
    action: "channel.costs",
    target: `channel:${channelId}`,
    detail: { models: Object.keys(typed).length },
    nowMs,
  });
}
