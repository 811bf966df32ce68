/**
 * Finds calls that earlier versions have charged wrongly, by what their log rows still say, and what
 * is due. Such a row does not store how much of an answer was seen, what the upstream had reported
 * before the stream was left, or whether a picture came. What can be known all the same: what the
 * provider's cache held of a prompt, from the call before it.
 */

import {
  charge,
  type ChargedUsage,
  chargedUsage,
  type PriceList,
  unitPrice,
} from "@tollgate/contract/charge.ts";
import type { Db } from "#db/database.ts";
import type { LogRow } from "#modules/logs/logs.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";

/** The number of rows that are read at a time. */
const pageSize = 1_000;

/** How long providers keep a prompt in their cache at least, in seconds. */
const cacheSeconds = 300;

/** A stream with at most this many tokens, and that long, may have been longer than it says. */
const fewTokens = 16;
const longSeconds = 2;

export type WrongCharge = {
  readonly row: LogRow;
  /**
   * `left-cached`: a stream that was left and counted here, although the provider had a part of its
   * prompt in its cache; `no-picture`: a call for pictures of which none may have come; `cut-short`:
   * a stream that did not end and was charged by the upstream's first report.
   */
  readonly kind: "cut-short" | "left-cached" | "no-picture";
  /** What the call should have cost, in quota units; null: the row does not say. */
  readonly due: number | null;
  /** The call that tells what the cache held; null: none does. */
  readonly shownBy: string | null;
};

/** Returns what of a charge is to be given back; 0: nothing, or it is not known. */
export function wrongOf({ row, due }: WrongCharge): number {
  return due === null ? 0 : Math.max(0, row.quota - due);
}

/** Walks the charged calls from a time on, in Unix seconds, oldest first. */
export async function* findWrongCharges(db: Db, since: number): AsyncGenerator<WrongCharge> {
  const prices = await readPriceLists(db);
  let last = { at: since, id: 0 };
  for (;;) {
    const rows: LogRow[] = await db
      .selectFrom("logs")
      .selectAll()
      .where("type", "=", 2)
      .where((eb) => eb(eb.refTuple("created_at", "id"), ">", eb.tuple(last.at, last.id)))
      .where("reversed", "=", 0)
      .where("refunded", "=", 0)
      .where("quota", ">", 0)
      .orderBy("created_at")
      .orderBy("id")
      .limit(pageSize)
      .execute();
    for (const row of rows) {
      const found = await judge(db, row, prices);
      if (found !== null) yield found;
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageSize) return;
    last = { at: end.created_at, id: end.id };
  }
}

/** Finds a call for pictures, which root names; null: there is none that can be given back. */
export async function findPictureCall(db: Db, requestId: string): Promise<WrongCharge | null> {
  const row = await db
    .selectFrom("logs")
    .selectAll()
    .where("type", "=", 2)
    .where("request_id", "=", requestId)
    .where("reversed", "=", 0)
    .where("refunded", "=", 0)
    .where("quota", ">", 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  const usage = parseUsage(row.usage);
  if (usage === undefined || !isOfPictures(row, usage)) return null;
  return { row, kind: "no-picture", due: 0, shownBy: null };
}

type Prices = ReadonlyMap<number, PriceList>;

async function readPriceLists(db: Db): Promise<Prices> {
  const rows = await db.selectFrom("price_versions").selectAll().execute();
  return new Map(
    rows.flatMap((row) => {
      const list = parsePrices(row)?.list;
      return list === undefined ? [] : [[row.id, list]];
    }),
  );
}

async function judge(db: Db, row: LogRow, prices: Prices): Promise<WrongCharge | null> {
  const usage = parseUsage(row.usage);
  if (usage === undefined || usage.task !== undefined || row.usage_source === "upstream+seen") {
    return null;
  }
  if (isOfPictures(row, usage)) return { row, kind: "no-picture", due: null, shownBy: null };
  if (row.is_stream === 0 || !isUnended(row)) return null;
  if (row.usage_source !== "upstream") return await judgeLeft(db, row, usage, prices);
  const isShort = row.completion_tokens <= fewTokens && row.use_time >= longSeconds;
  return isShort ? { row, kind: "cut-short", due: null, shownBy: null } : null;
}

/** Calls for pictures are charged by their number; an answer that has some mostly says its tokens. */
function isOfPictures(row: LogRow, usage: ChargedUsage): boolean {
  return (
    usage.callThousandths !== undefined &&
    usage.task === undefined &&
    row.usage_source !== "upstream" &&
    usage.output + usage.outputImage === 0
  );
}

/** The notes of rows of streams that did not end. */
const endNotes = [
  "上游中断",
  "客户端断开",
  "额度不足，输出中止",
  "服务重启，输出中止",
  "用户已被封禁，输出中止",
  "令牌已失效，输出中止",
];

function isUnended({ content }: LogRow): boolean {
  return endNotes.some((note) => content.endsWith(`，${note}`));
}

/**
 * Judges a stream that was counted here. The call before it, of the same key, model and channel,
 * tells what the provider's cache held when it began: what that call read from the cache and wrote.
 */
async function judgeLeft(
  db: Db,
  row: LogRow,
  usage: ChargedUsage,
  prices: Prices,
): Promise<WrongCharge | null> {
  const before = await findBefore(db, row);
  const list = prices.get(row.price_version);
  const price = list === undefined ? undefined : unitPrice(list, row.model_name, row.group);
  if (before === undefined || price === undefined) return null;
  const seen = parseUsage(before.usage);
  const cached = seen === undefined ? 0 : seen.cacheRead + seen.cacheWrite5m + seen.cacheWrite1h;
  if (cached === 0) return null;
  const input = Math.max(0, usage.input - cached);
  const due = charge(price, { ...usage, input, cacheRead: usage.cacheRead + cached });
  const paid = row.quota + row.write_off;
  return due === paid ? null : { row, kind: "left-cached", due, shownBy: before.request_id };
}

async function findBefore(db: Db, row: LogRow): Promise<LogRow | undefined> {
  const began = row.created_at - row.use_time;
  return await db
    .selectFrom("logs")
    .selectAll()
    .where("user_id", "=", row.user_id)
    .where("created_at", "<=", began)
    .where("created_at", ">=", began - cacheSeconds)
    .where("type", "=", 2)
    .where("token_id", "=", row.token_id)
    .where("model_name", "=", row.model_name)
    .where("channel", "=", row.channel)
    .where("usage_source", "=", "upstream")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .executeTakeFirst();
}

function parseUsage(text: string): ChargedUsage | undefined {
  try {
    return chargedUsage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
