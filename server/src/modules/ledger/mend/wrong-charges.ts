/**
 * Finds calls that earlier versions have charged wrongly, by what their log rows still say, and what
 * is due at most. Such a row does not store how much of an answer was seen, what the upstream had
 * reported before the stream was left, or whether a picture came; nor what the prompt was. The calls
 * before it tell what the provider's cache held, but not whether it was this prompt.
 */

import {
  charge,
  type ChargedUsage,
  chargedUsage,
  type PriceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
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
  /**
   * What the call should have cost, in quota units; null: the row does not say. For `left-cached`
   * only if its prompt was the one in the cache.
   */
  readonly due: number | null;
  /** The call that tells what the cache held; null: none does. */
  readonly shownBy: string | null;
  /** How many calls of the minutes before tell otherwise. */
  readonly others: number;
};

/** Returns what of a charge was too much, at most; 0: nothing, or it is not known. */
export function wrongOf({ row, due }: WrongCharge): number {
  return due === null ? 0 : Math.max(0, row.quota - due);
}

/**
 * Walks the calls that earlier versions have charged from a time on, in Unix seconds, oldest first.
 */
export async function* findWrongCharges(db: Db, since: number): AsyncGenerator<WrongCharge> {
  const prices = await readPriceLists(db);
  const end = await readEarlierEnd(db);
  let last = { at: since, id: 0 };
  for (;;) {
    const rows: LogRow[] = await db
      .selectFrom("logs")
      .selectAll()
      .where("type", "=", 2)
      .where("id", "<=", end)
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
    const final = rows.at(-1);
    if (final === undefined || rows.length < pageSize) return;
    last = { at: final.created_at, id: final.id };
  }
}

/**
 * Finds a call that root names, with what is given back of it. `given back`: it was given back
 * before; null: it cannot be, because an earlier version has not charged it, or not too much.
 */
export async function findNamedCall(
  db: Db,
  requestId: string,
): Promise<WrongCharge | "given back" | null> {
  const row = await db
    .selectFrom("logs")
    .selectAll()
    .where("type", "=", 2)
    .where("request_id", "=", requestId)
    .where("id", "<=", await readEarlierEnd(db))
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.reversed !== 0 || row.refunded !== 0) return "given back";
  const found = await judge(db, row, await readPriceLists(db));
  const named = found?.kind === "no-picture" ? { ...found, due: 0 } : found;
  return named !== null && wrongOf(named) > 0 ? named : null;
}

/** Reads the id of the last log row of earlier versions, which the update has noted. */
async function readEarlierEnd(db: Db): Promise<number> {
  const noted = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", "earlier_logs_end")
    .executeTakeFirst();
  return Number(noted?.value ?? 0);
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
  if (usage === undefined || usage.task !== undefined) return null;
  // Versions that say what was seen charge these calls rightly.
  if (row.usage_source === "upstream+seen" || row.seen_output > 0) return null;
  const unknown = { row, due: null, shownBy: null, others: 0 };
  if (isOfPictures(row, usage)) return { ...unknown, kind: "no-picture" };
  if (row.is_stream === 0 || !isUnended(row)) return null;
  if (row.usage_source !== "upstream") return await judgeLeft(db, row, usage, prices);
  const isShort = row.completion_tokens <= fewTokens && row.use_time >= longSeconds;
  return isShort ? { ...unknown, kind: "cut-short" } : null;
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
 * Judges a stream that was counted here. Each call before it, of the same key, model and channel,
 * tells what the provider's cache held of one prompt when it began: what that call read from the
 * cache and wrote. Which of the prompts this stream had, if any, is not known: the one that makes it
 * the cheapest counts.
 */
async function judgeLeft(
  db: Db,
  row: LogRow,
  usage: ChargedUsage,
  prices: Prices,
): Promise<WrongCharge | null> {
  const list = prices.get(row.price_version);
  const price = list === undefined ? undefined : unitPrice(list, row.model_name, row.group);
  if (price === undefined) return null;
  const paid = row.quota + row.write_off;
  const all = (await findBefore(db, row)).map(({ request_id: shownBy, usage: text }) => {
    const seen = parseUsage(text);
    const cached = seen === undefined ? 0 : seen.cacheRead + seen.cacheWrite5m + seen.cacheWrite1h;
    const input = Math.max(0, usage.input - cached);
    const due = charge(price, { ...usage, input, cacheRead: usage.cacheRead + cached });
    return { shownBy, cached, due };
  });
  const wrong = all.filter(({ cached, due }) => cached > 0 && due !== paid);
  const [cheapest] = wrong.toSorted((one, other) => one.due - other.due);
  if (cheapest === undefined) return null;
  const { shownBy, cached, due } = cheapest;
  const others = all.filter((one) => one.cached !== cached).length;
  return { row, kind: "left-cached", due, shownBy, others };
}

/** Finds the calls that tell what the cache held when a call began, newest first. */
async function findBefore(
  db: Db,
  row: LogRow,
): Promise<readonly Pick<LogRow, "request_id" | "usage">[]> {
  const began = row.created_at - row.use_time;
  return await db
    .selectFrom("logs")
    .select(["request_id", "usage"])
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
    .execute();
}

function parseUsage(text: string): ChargedUsage | undefined {
  try {
    return chargedUsage.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
