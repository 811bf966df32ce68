import { dayOf } from "#base/clock.ts";
import { sealText, unsealText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { listRemovedUsers } from "#db/removed-users.ts";
import { defineStore } from "#db/store.ts";
import { cleanText } from "./clean-text.ts";
import {
  createTable,
  findRow,
  insertRows,
  type Removal,
  removeRows,
  type TranscriptTable,
} from "./transcripts.repo.ts";

export const transcriptStore = defineStore({
  reads: { listRemovedUsers, wereKept },
  writes: { noteKept },
  apart: { keep, prepareTranscripts, readTranscript, removeTranscripts },
});

/** The row of the table `meta` that says that texts were stored at least once. */
const keptKey = "transcripts_kept";

/** Whether texts were ever stored. Until then nothing has to be removed. */
async function wereKept(db: Db): Promise<boolean> {
  const query = db.selectFrom("meta").select("key").where("key", "=", keptKey);
  return (await query.executeTakeFirst()) !== undefined;
}

async function noteKept(tx: Db): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key: keptKey, value: "1" })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
}

/** The texts of an ended call. */
export type EndedCall = {
  readonly requestId: string;
  readonly userId: number;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The client's wire format, and whether it asked for a stream. */
  readonly formatId: string;
  readonly isStream: boolean;
  /**
   * The body of the request and what was sent to the client: bytes, which the worker turns into
   * texts before `keep` runs.
   */
  readonly prompt: Uint8Array | string;
  readonly completion: Uint8Array | string;
};

type Keeping = {
  readonly calls: readonly EndedCall[];
  /** The largest number of bytes of each text. */
  readonly bytesMax: number;
  /** The key that seals the texts. */
  readonly key: Uint8Array;
};

async function prepareTranscripts(tx: Db): Promise<void> {
  await createTable(tx);
}

/** @returns how many calls' texts could not be read; those of the others are stored. */
async function keep(tx: Db, { calls, bytesMax, key }: Keeping): Promise<number> {
  const rows: TranscriptTable[] = [];
  for (const call of calls) {
    try {
      rows.push(rowOf(call, bytesMax, key));
    } catch {
      // A text that stands against being read is lost alone, and counted.
    }
  }
  if (rows.length > 0) await insertRows(tx, rows);
  return calls.length - rows.length;
}

function rowOf(call: EndedCall, bytesMax: number, key: Uint8Array): TranscriptTable {
  const { requestId, createdAt } = call;
  const prompt = cleanText(textOf(call.prompt), bytesMax);
  const completion = cleanText(textOf(call.completion), bytesMax);
  return {
    day: dayOf(createdAt),
    request_id: requestId,
    user_id: call.userId,
    created_at: createdAt,
    prompt: sealText(key, `${requestId}|prompt`, prompt.text),
    completion: sealText(key, `${requestId}|completion`, completion.text),
    prompt_bytes: prompt.wholeBytes,
    completion_bytes: completion.wholeBytes,
  };
}

function textOf(text: Uint8Array | string): string {
  return typeof text === "string" ? text : new TextDecoder().decode(text);
}

/** The call whose texts are read; `createdAt` is the time of its log row, in Unix seconds. */
type Wanted = {
  readonly requestId: string;
  readonly createdAt: number;
  readonly key: Uint8Array;
};

export type Transcript = {
  readonly prompt: string;
  readonly completion: string;
  readonly promptBytes: number;
  readonly completionBytes: number;
};

async function readTranscript(
  db: Db,
  { requestId, createdAt, key }: Wanted,
): Promise<Transcript | null> {
  // A call's text may be stored under the day before or after that of its log row, because the
  // row's time is that of the charge.
  const day = dayOf(createdAt);
  const row = await findRow(db, { requestId, days: [day - 1, day, day + 1] });
  if (row === undefined) return null;
  return {
    prompt: unsealText(key, `${requestId}|prompt`, row.prompt),
    completion: unsealText(key, `${requestId}|completion`, row.completion),
    promptBytes: row.prompt_bytes,
    completionBytes: row.completion_bytes,
  };
}

async function removeTranscripts(tx: Db, removal: Removal, limit: number): Promise<number> {
  return await removeRows(tx, removal, limit);
}
