/** Reads the calls that a bill is about, and what channels call their models. */

import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";

/** A charged call, as it is laid beside a bill. */
export type LedgerCall = {
  readonly created_at: number;
  readonly use_time: number;
  readonly model_name: string;
  readonly channel: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly usage_source: string;
  /** Quota units; null: it is not known. */
  readonly cost: number | null;
  readonly request_id: string;
  readonly upstream_request_id: string;
};

type AskedCalls = {
  /** When calls ended, in Unix seconds; both inclusive. */
  readonly start: number;
  readonly end: number;
  /** Empty: all channels. */
  readonly channels: readonly number[];
};

/** The most calls that one bill is laid beside, and how many are read at a time. */
const callsMax = 500_000;
const stepRows = 5_000;

const columns = [
  "id",
  "created_at",
  "use_time",
  "model_name",
  "channel",
  "prompt_tokens",
  "completion_tokens",
  "usage_source",
  "cost",
  "request_id",
  "upstream_request_id",
] as const;

/**
 * Reads the calls of a time, in the order of their ends.
 * @throws Refusal `limit-reached` if there are too many.
 */
export async function readCalls(db: Db, asked: AskedCalls): Promise<LedgerCall[]> {
  const calls: LedgerCall[] = [];
  let place = { createdAt: asked.start, id: 0 };
  for (;;) {
    let query = db
      .selectFrom("logs")
      .select([...columns])
      .where((eb) => eb(eb.refTuple("created_at", "id"), ">", eb.tuple(place.createdAt, place.id)))
      .where("created_at", "<=", asked.end)
      .where("type", "=", 2)
      .orderBy("created_at")
      .orderBy("id")
      .limit(stepRows);
    if (asked.channels.length > 0) query = query.where("channel", "in", [...asked.channels]);
    const rows = await query.execute();
    for (const { id: _, ...call } of rows) calls.push(call);
    if (calls.length > callsMax) {
      throw new Refusal(
        "limit-reached",
        `账单涉及的调用过多（最多 ${callsMax} 个），请选择通道或缩短账单`,
      );
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < stepRows) return calls;
    place = { createdAt: last.created_at, id: last.id };
  }
}

export type BilledChannel = {
  readonly id: number;
  readonly name: string;
  /** Returns the name under which the upstream is asked for a model. */
  readonly nameOf: (model: string) => string;
};

/** Reads all channels, by their ids. */
export async function readChannels(db: Db): Promise<ReadonlyMap<number, BilledChannel>> {
  const rows = await db.selectFrom("channels").select(["id", "name", "model_mapping"]).execute();
  return new Map(
    rows.map(({ id, name, model_mapping }) => [id, { id, name, nameOf: mappingOf(model_mapping) }]),
  );
}

function mappingOf(text: string): (model: string) => string {
  const mapping: unknown = text === "" ? {} : JSON.parse(text);
  const entries = typeof mapping === "object" && mapping !== null ? Object.entries(mapping) : [];
  const names = new Map(entries.map(([from, to]) => [from, String(to)]));
  return (model) => names.get(model) ?? model;
}
