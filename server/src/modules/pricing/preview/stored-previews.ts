/** The rows of previews: whichever node is asked, it finds how far a preview is, and its result. */

import type { PreviewResult, PricePreview } from "@tollgate/contract/endpoints/price-previews.ts";
import type { Db } from "#db/database.ts";
import type { PricePreviewTable } from "#db/tables/rerates.ts";
import type { PreviewPlan } from "./preview.repo.ts";

/** How many previews run at a time in all nodes, and how many are kept. */
const runningMax = 2;
const keptMax = 20;

/** A preview of which nothing was written for so long has lost its node. */
const lostMs = 15_000;

type NewPreview = {
  readonly plan: PreviewPlan;
  readonly days: number;
  readonly about: number;
};

/** Stores a preview that begins. @returns false: too many run. */
export async function addPreview(tx: Db, added: NewPreview): Promise<boolean> {
  const { plan, days, about } = added;
  const { nowMs } = plan;
  const known = await tx
    .selectFrom("price_previews")
    .select(["id", "state", "beat_at"])
    .orderBy("begun_at", "desc")
    .execute();
  if (known.filter((row) => isRunning(row, nowMs)).length >= runningMax) return false;
  const old = known.filter((row) => !isRunning(row, nowMs)).slice(keptMax - 1 - runningMax);
  for (const { id } of old) await tx.deleteFrom("price_previews").where("id", "=", id).execute();
  await tx
    .insertInto("price_previews")
    .values({
      id: plan.name,
      state: "running",
      message: "",
      days,
      starts_at: plan.start,
      ends_at: plan.end,
      version: plan.version,
      done: 0,
      about,
      begun_at: nowMs,
      beat_at: nowMs,
      plan: JSON.stringify(plan),
      result: "",
    })
    .execute();
  return true;
}

function isRunning(row: Pick<PricePreviewTable, "beat_at" | "state">, nowMs: number): boolean {
  return row.state === "running" && row.beat_at > nowMs - lostMs;
}

/** What has become of a preview since it was stored. */
export type PreviewNews = {
  readonly done: number;
  readonly state: "done" | "failed" | "running";
  readonly message: string;
  readonly result: PreviewResult | null;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Writes how far a preview is. @returns false: it was ended. */
export async function savePreview(tx: Db, name: string, news: PreviewNews): Promise<boolean> {
  const { done, state, message, result, nowMs } = news;
  const saved = await tx
    .updateTable("price_previews")
    .set({ done, state, message, beat_at: nowMs })
    .set({ result: result === null ? "" : JSON.stringify(result) })
    .where("id", "=", name)
    .where("state", "=", "running")
    .returning("id")
    .executeTakeFirst();
  return saved !== undefined;
}

/** Forgets a preview, which ends it if it runs. @returns false: there is none. */
export async function dropPreview(tx: Db, name: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom("price_previews")
    .where("id", "=", name)
    .returning("id")
    .executeTakeFirst();
  return gone !== undefined;
}

/** A preview as every node reads it, and what it needs to be made again. */
type StoredPreview = { readonly preview: PricePreview; readonly plan: PreviewPlan };

/** Reads a preview; undefined: there is none. */
export async function readPreview(
  db: Db,
  name: string,
  nowMs: number,
): Promise<StoredPreview | undefined> {
  const row = await db
    .selectFrom("price_previews")
    .selectAll()
    .where("id", "=", name)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // Safe casts: only this file writes these texts.
  const plan = JSON.parse(row.plan) as PreviewPlan;
  const result = row.result === "" ? null : (JSON.parse(row.result) as PreviewResult);
  const isLost = row.state === "running" && !isRunning(row, nowMs);
  const state = isLost ? "failed" : stateOf(row.state);
  const { id, days, starts_at: start, ends_at: end, version, done, about } = row;
  const message = isLost ? interrupted : row.message;
  return {
    plan,
    preview: { id, state, message, days, start, end, version, done, about, result },
  };
}

/** Why a preview failed whose node is gone, or that met an error of the gateway. */
export const interrupted = "试算中断，请重试";

function stateOf(state: string): PricePreview["state"] {
  return state === "done" || state === "failed" ? state : "running";
}
