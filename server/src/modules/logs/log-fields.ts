/**
 * The columns of a row of the usage log, one entry each: where its value comes from when a call has
 * ended, and which digest of the row's hash covers it. The batch to the writer, the row, its hash and
 * the audit read this list; the other half, `contract/src/logs/fields.ts`, says what a column holds
 * and who may see it.
 */

import type { LogOther } from "@tollgate/contract/logs/log-other.ts";
import { type AddedName, logFields, type StoredLog } from "@tollgate/contract/logs/fields.ts";
import type { Selectable } from "kysely";
import { type CallLog, type ChargedCallLog, lastChannelOf } from "#canonical/call-log.ts";
import type { RowTexts } from "#canonical/call-texts.ts";
import type { LogTable } from "#db/tables/logs.ts";

/** A row of the usage log as it is read. */
export type LogRow = Selectable<LogTable>;

/** What the writer knows of an ended call when it makes the call's row. */
type EndedCall = {
  readonly log: CallLog;
  readonly texts: RowTexts;
  readonly charge: RowCharge;
};

/** What was charged for an ended call, as its row says it. */
export type RowCharge = Pick<
  ChargedCallLog,
  "cost" | "costVersion" | "priceVersion" | "reportedCost" | "seenOutput"
> & {
  /** The log type: 2 charged, 5 failed. */
  readonly type: 2 | 5;
  readonly charged: number;
  readonly writeOff: number;
  readonly input: number;
  readonly output: number;
  /** JSON. */
  readonly usage: string;
  readonly usageSource: string;
  readonly salt: string;
};

/** The columns that no hash covers: they may change later, or follow from those that it covers. */
export type LaterColumn = "ending" | "refunded" | "rerated" | "reversed";

/** The columns that a row is inserted with. */
export type InsertedColumn = Exclude<keyof StoredLog, LaterColumn | "id">;

/**
 * Which digest covers a column: what the row's owner may see, or what root alone sees. Of `other`,
 * the root's covers `admin_info` and the owner's the rest; the salt is the beginning of the root's.
 */
type Digest = "both" | "owner" | "root" | "salt";

type Entry<Value> = {
  readonly digest: Digest;
  readonly from: (call: EndedCall) => Value;
};

/**
 * The order is that of the values in a digest. A column that was added comes at the end, and the
 * digest of what root alone sees covers it.
 */
export const logEntries = {
  request_id: { digest: "owner", from: ({ log }) => log.requestId },
  created_at: { digest: "owner", from: ({ log }) => log.createdAt },
  type: { digest: "owner", from: ({ charge }) => charge.type },
  user_id: { digest: "owner", from: ({ log }) => log.userId },
  username: { digest: "owner", from: ({ log }) => log.username },
  token_id: { digest: "owner", from: ({ log }) => log.tokenId },
  token_name: { digest: "owner", from: ({ log }) => log.tokenName },
  channel: { digest: "root", from: ({ log }) => lastChannelOf(log) },
  model_name: { digest: "owner", from: ({ log }) => log.modelName },
  group: { digest: "owner", from: ({ log }) => log.group },
  quota: { digest: "owner", from: ({ charge }) => charge.charged },
  write_off: { digest: "owner", from: ({ charge }) => charge.writeOff },
  prompt_tokens: { digest: "owner", from: ({ charge }) => charge.input },
  completion_tokens: { digest: "owner", from: ({ charge }) => charge.output },
  use_time: { digest: "owner", from: ({ log }) => log.useTimeSeconds },
  is_stream: { digest: "owner", from: ({ log }) => (log.isStream ? 1 : 0) },
  content: { digest: "owner", from: ({ texts }) => texts.content },
  other: { digest: "both", from: ({ texts }) => texts.other },
  client_ip: { digest: "owner", from: ({ log }) => log.clientIp },
  usage: { digest: "owner", from: ({ charge }) => charge.usage },
  usage_source: { digest: "owner", from: ({ charge }) => charge.usageSource },
  price_version: { digest: "owner", from: ({ charge }) => charge.priceVersion },
  losses: { digest: "owner", from: ({ log }) => listText(log.losses) },
  seen_output: { digest: "owner", from: ({ charge }) => charge.seenOutput },
  cost: { digest: "root", from: ({ charge }) => charge.cost },
  cost_version: { digest: "root", from: ({ charge }) => charge.costVersion },
  cost_reported: { digest: "root", from: ({ charge }) => charge.reportedCost },
  salt: { digest: "salt", from: ({ charge }) => charge.salt },
  upstream_request_id: { digest: "root", from: ({ log }) => log.upstream_request_id ?? "" },
  conversation_id: { digest: "root", from: ({ log }) => log.conversation_id ?? 0 },
  placement: { digest: "root", from: ({ log }) => log.placement ?? "" },
  candidates: { digest: "root", from: ({ log }) => log.candidates ?? "" },
  moved_quota: { digest: "root", from: ({ log }) => log.moved_quota ?? 0 },
  tool_names: { digest: "root", from: ({ log }) => log.tool_names ?? "" },
} as const satisfies {
  readonly [Name in InsertedColumn]: Entry<StoredLog[Name]> &
    (Name extends AddedName ? { readonly digest: "root" } : unknown);
};

function listText(names: readonly string[]): string {
  return names.length === 0 ? "" : JSON.stringify(names);
}

/**
 * The facts of a call's record that cross to the writer, and how: `shared` texts repeat among calls,
 * so they stand in a batch once. A fact without a column of its own is in the column `other`, by the
 * name that stands here (`canonical/call-texts.ts` writes it).
 */
export const callFacts = {
  requestId: { packed: "own" },
  createdAt: { packed: "own" },
  userId: { packed: "own" },
  username: { packed: "shared" },
  tokenId: { packed: "own" },
  tokenName: { packed: "shared" },
  tried: { packed: "own", other: "admin_info" },
  modelName: { packed: "shared" },
  upstreamModel: { packed: "shared", other: "upstream_model_name" },
  group: { packed: "shared" },
  useTimeSeconds: { packed: "own" },
  firstByteMs: { packed: "own", other: "frt" },
  isStream: { packed: "own" },
  clientIp: { packed: "shared" },
  effort: { packed: "shared", other: "reasoning_effort" },
  losses: { packed: "own" },
} as const satisfies Readonly<Record<Exclude<keyof CallLog, AddedName | "tags">, Fact>>;

type Fact = { readonly packed: "own" | "shared"; readonly other?: keyof LogOther };

// Safe cast: these are the names of the object.
export const insertedColumns = Object.keys(logEntries) as readonly InsertedColumn[];

type RowColumns = Pick<StoredLog, InsertedColumn>;

/** The row of a call before the database has assigned its id. */
export type CallLogRow = RowColumns & {
  /** What `answers/tags.repo.ts` stores in a table of its own; absent: the call has no tags. */
  readonly tags?: readonly string[];
};

/** A row of nothing: what is not said of a row has these values. */
export const blankRow = Object.fromEntries(
  insertedColumns.map((name) => [name, logFields[name].blank]),
  // Safe cast: each column has its blank value.
) as RowColumns;

const sources: readonly ((call: EndedCall) => number | string | null)[] = insertedColumns.map(
  (name) => logEntries[name].from,
);

/** Makes the row of an ended call. The copy of a row has its place for each column already. */
export function rowOf(call: EndedCall): CallLogRow {
  const row: Record<string, number | string | null> = { ...blankRow };
  for (const [at, from] of sources.entries()) row[insertedColumns[at] ?? ""] = from(call);
  // Safe cast: each column has the value of its entry.
  const made = row as RowColumns;
  const { tags } = call.log;
  return tags === undefined ? made : { ...made, tags };
}

/** Returns the values of a row in the order of `insertedColumns`. */
export function valuesOf(row: CallLogRow): (number | string | null)[] {
  return insertedColumns.map((name) => row[name]);
}

/** The columns whose values are texts, from clients and upstreams as well. */
export const textColumns = insertedColumns.filter(
  (name): name is TextColumn => typeof logFields[name].blank === "string",
);
type TextColumn = {
  [Name in InsertedColumn]: StoredLog[Name] extends string ? Name : never;
}[InsertedColumn];
