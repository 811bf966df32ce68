/** Drafts: what a sync would change, what became of each line, and the prices that were saved. */

import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import {
  type DraftFacts,
  type DraftLine,
  type PriceDraft,
  sourceKind,
  type SourceFault,
} from "@tollgate/contract/endpoints/price-sources.ts";
import type { BookedPrices } from "@tollgate/contract/endpoints/price-versions.ts";
import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { type Paged, readPaged } from "#db/paging.ts";
import type { PriceDraftTable } from "#db/tables/price-sources.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { dayOf } from "#modules/pricing/price-changes.ts";
import { findPrices, parsePrices, saveDerived } from "#modules/pricing/pricing.ts";
import { applyLines } from "./apply-lines.ts";
import { draftLines } from "./draft-lines.ts";
import { type AskedList, readList } from "./read-source.ts";
import { noSource, type ReadSource } from "./sources.repo.ts";

/** What a draft contains, as it is stored. */
type DraftContent = {
  readonly lines: readonly DraftLine[];
  readonly compared: number;
  readonly more: number;
  readonly fault_lines: readonly SourceFault[];
};

type MadeDraft =
  | { readonly ok: true; readonly content: DraftContent; readonly faults: number }
  | { readonly ok: false; readonly message: string };

/** Reads a list and compares it with the prices in force; nothing is saved. */
export async function makeDraft(
  db: Db,
  asked: Pick<AskedList, "catalogueFile" | "list"> & {
    readonly source: Pick<ReadSource, "kind" | "rules">;
    /** Unix milliseconds. */
    readonly nowMs: number;
  },
): Promise<MadeDraft> {
  const { source, list, catalogueFile, nowMs } = asked;
  const day = dayOf(nowMs);
  const read = await readList({ kind: source.kind, list, catalogueFile, day });
  if (!read.ok) return read;
  const present = await findPrices(db);
  const prices = present === undefined ? undefined : parsePrices(present);
  if (prices === undefined) throw new Error("no price version in force");
  const channels = await db.selectFrom("channels").select("models").execute();
  const offered = channels.flatMap(({ models }) => models.split(",").filter((of) => of !== ""));
  const { entries } = read;
  const compared = { list: prices.list, offered, entries, rules: source.rules, day };
  const { inexact, ...made } = draftLines(compared);
  const faults = [
    ...read.faults,
    ...inexact.map((place) => ({ place, message: "乘以系数后的价格无法精确表示" })),
  ];
  const content = { ...made, fault_lines: faults };
  return { ok: true, content, faults: read.faultCount + inexact.length };
}

type DraftSave = {
  readonly source: Pick<ReadSource, "id" | "kind" | "name">;
  readonly content: DraftContent;
  /** How many lines of the list were refused. */
  readonly faults: number;
  /** Whether lines that the rules allow are saved at once. */
  readonly isScheduled: boolean;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

type SavedDraft = {
  readonly id: number;
  /** Whether something waits that did not before. */
  readonly isNew: boolean;
  readonly waiting: number;
  readonly accepted: number;
};

/** How many drafts of a source are kept. */
const draftsKept = 20;

/**
 * Saves a draft in place of the one before. Lines that were refused there stay refused as long as
 * the list proposes the same; a draft in which nothing is new is not saved again.
 * @throws Refusal `not-found` if the source was removed.
 */
export async function saveDraft(tx: Db, save: DraftSave): Promise<SavedDraft> {
  const { source, isScheduled, actor, nowMs } = save;
  const present = tx.selectFrom("price_sources").select("id").where("id", "=", source.id);
  // Locked, so that two syncs of a source follow one another.
  if ((await lockRows(tx, present).executeTakeFirst()) === undefined) throw noSource();
  const before = await tx
    .selectFrom("price_drafts")
    .selectAll()
    .where("source_id", "=", source.id)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  const old = before === undefined ? [] : contentOf(before).lines;
  const refused = new Set(old.filter(({ state }) => state === "refused").map(keyOf));
  const lines = save.content.lines.map((line): DraftLine =>
    refused.has(keyOf(line)) ? { ...line, state: "refused" } : line,
  );
  const allowed = lines.filter(
    ({ state, waits }) => isScheduled && state === "open" && waits.length === 0,
  );
  const openBefore = old.filter(({ state }) => state === "open");
  const wasOpen = new Set(openBefore.map(keyOf));
  const reasons = new Set(openBefore.map((line) => line.waits.join() + keyOf(line)));
  const waiting = lines.filter((line) => line.state === "open" && !allowed.includes(line));
  const isNew = waiting.some((line) => !wasOpen.has(keyOf(line)));
  const isSame =
    before?.faults === save.faults &&
    (before.state === "open" || isScheduled) &&
    allowed.length === 0 &&
    waiting.every((line) => reasons.has(line.waits.join() + keyOf(line))) &&
    waiting.length === wasOpen.size;
  if (before !== undefined && isSame) {
    return { id: before.id, isNew: false, waiting: waiting.length, accepted: before.accepted };
  }
  await tx
    .updateTable("price_drafts")
    .set({ state: "replaced" })
    .where("source_id", "=", source.id)
    .where("state", "=", "open")
    .execute();
  const content = { ...save.content, lines };
  const { id } = await tx
    .insertInto("price_drafts")
    .values({
      source_id: source.id,
      source_name: source.name,
      kind: source.kind,
      created_at: unixSeconds(nowMs),
      created_by: actor.userId,
      faults: save.faults,
      ...columnsOf(content),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await forgetOld(tx, source.id);
  const target = `price-source:${source.id}`;
  const detail = { draft: id, lines: lines.length, faults: save.faults };
  await appendAudit(tx, { actor, action: "price-source.sync", target, detail, nowMs });
  if (allowed.length === 0) return { id, isNew, waiting: waiting.length, accepted: 0 };
  const accept = allowed.map(({ line }) => line);
  const decided = await decideDraft(tx, { id, accept, refuse: [], actor, nowMs });
  return { id, isNew, waiting: decided.waiting, accepted: decided.accepted };
}

/** What a line proposes: two lines with the same are one decision. */
function keyOf({ model, field, now, proposed }: DraftLine): string {
  return JSON.stringify([model, field, now, proposed]);
}

function columnsOf(content: DraftContent) {
  const count = (state: DraftLine["state"]) =>
    content.lines.filter((line) => line.state === state).length;
  const waiting = count("open");
  return {
    state: waiting > 0 ? "open" : "done",
    waiting,
    accepted: count("accepted"),
    refused: count("refused"),
    content: JSON.stringify(content),
  };
}

async function forgetOld(tx: Db, sourceId: number): Promise<void> {
  const kept = await tx
    .selectFrom("price_drafts")
    .select("id")
    .where("source_id", "=", sourceId)
    .orderBy("id", "desc")
    .limit(draftsKept)
    .execute();
  const oldest = kept.at(-1)?.id ?? 0;
  await tx
    .deleteFrom("price_drafts")
    .where("source_id", "=", sourceId)
    .where("id", "<", oldest)
    .execute();
}

type Decision = {
  readonly id: number;
  /** Numbers of lines. */
  readonly accept: readonly number[];
  readonly refuse: readonly number[];
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * Accepts and refuses lines that wait; what is accepted becomes one price version.
 * @throws Refusal `not-found`; `stale` if a newer draft has taken the place of this one.
 */
export async function decideDraft(tx: Db, decision: Decision): Promise<PriceDraft> {
  const { id, actor, nowMs } = decision;
  const row = await lockRows(tx, draftOf(tx, id)).executeTakeFirst();
  if (row === undefined) throw noDraft();
  if (row.state === "replaced") {
    throw new Refusal("stale", "已有更新的草稿取代此草稿，请打开最新的草稿");
  }
  const content = contentOf(row);
  const open = content.lines.filter(({ state }) => state === "open");
  const [accept, refuse] = [new Set(decision.accept), new Set(decision.refuse)];
  const accepted = open.filter(({ line }) => accept.has(line) && !refuse.has(line));
  const failed = await saveLines(tx, row, accepted, decision);
  const lines = content.lines.map((line): DraftLine => {
    if (line.state !== "open") return line;
    if (refuse.has(line.line)) return { ...line, state: "refused" };
    if (!accept.has(line.line)) return line;
    const message = failed.get(line.line);
    return message === undefined
      ? { ...line, state: "accepted", message: "" }
      : { ...line, message };
  });
  const columns = columnsOf({ ...content, lines });
  await tx.updateTable("price_drafts").set(columns).where("id", "=", id).execute();
  const detail = {
    accepted: accepted.length - failed.size,
    refused: open.filter(({ line }) => refuse.has(line)).length,
  };
  const target = `price-draft:${id}`;
  await appendAudit(tx, { actor, action: "price-draft.decide", target, detail, nowMs });
  return showDraft({ ...row, ...columns });
}

/** Saves accepted lines as a version. @returns why a line could not be saved, by its number. */
async function saveLines(
  tx: Db,
  row: Selectable<PriceDraftTable>,
  accepted: readonly DraftLine[],
  { actor, nowMs }: Decision,
): Promise<ReadonlyMap<number, string>> {
  if (accepted.length === 0) return new Map();
  let refused: ReadonlyMap<number, string> = new Map();
  await saveDerived(tx, {
    derive: (list) => {
      const applied = applyLines(list, accepted, actor.userId);
      refused = applied.refused;
      return applied.refused.size === accepted.length ? list : applied.list;
    },
    hasGroups: false,
    target: `price-source:${row.source_id}`,
    reason: row.source_name,
    actor,
    nowMs,
  });
  return refused;
}

/** Says what models would cost with some lines. @throws Refusal `not-found`. */
export async function priceLines(
  db: Db,
  { id, accept }: { readonly id: number; readonly accept: readonly number[] },
): Promise<{ books: BookedPrices; refused: { line: number; message: string }[] }> {
  const row = await draftOf(db, id).executeTakeFirst();
  const present = await findPrices(db);
  const prices = present === undefined ? undefined : parsePrices(present);
  if (row === undefined || prices === undefined) throw noDraft();
  const asked = new Set(accept);
  const lines = contentOf(row).lines.filter(({ line }) => asked.has(line));
  const { books, refused } = applyLines(prices.list, lines, 0);
  return {
    books: [...books].map(([model, of]) => ({ model, prices: of })),
    refused: [...refused].map(([line, message]) => ({ line, message })),
  };
}

/** @throws Refusal `not-found`. */
export async function readDraft(db: Db, id: number): Promise<PriceDraft> {
  const row = await draftOf(db, id).executeTakeFirst();
  if (row === undefined) throw noDraft();
  return showDraft(row);
}

/** Reads one page of the drafts, newest first. */
export async function pageDrafts(db: Db, window: PageWindow): Promise<Paged<DraftFacts>> {
  const { items, total } = await readPaged(
    db.selectFrom("price_drafts").selectAll().orderBy("id", "desc"),
    window,
  );
  return { items: items.map(factsOf), total };
}

function draftOf(db: Db, id: number) {
  return db.selectFrom("price_drafts").selectAll().where("id", "=", id);
}

function noDraft(): Refusal {
  return new Refusal("not-found", "价格草稿不存在，请刷新页面后重试");
}

function contentOf(row: Pick<Selectable<PriceDraftTable>, "content">): DraftContent {
  // Safe cast: only this file writes the column.
  return JSON.parse(row.content) as DraftContent;
}

const states = ["open", "done", "replaced"] as const;

function factsOf(row: Selectable<PriceDraftTable>): DraftFacts {
  const { content: _, kind, state, ...facts } = row;
  const shown = states.find((name) => name === state) ?? "replaced";
  return { ...facts, kind: sourceKind.parse(kind), state: shown };
}

function showDraft(row: Selectable<PriceDraftTable>): PriceDraft {
  const { lines, compared, more, fault_lines } = contentOf(row);
  return {
    ...factsOf(row),
    lines: [...lines],
    compared,
    more,
    fault_lines: [...fault_lines],
  };
}
