/** What runs beside the database for kept answers. */

import { dayOf, unixSeconds } from "#base/clock.ts";
import { sealText, unsealText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { listRemovedUsers } from "#db/removed-users.ts";
import { defineStore } from "#db/store.ts";
import {
  createTable,
  findRow,
  insertRows,
  removeOldest,
  removeRows,
  type Removal,
} from "./kept-answers.repo.ts";
import type { KeptAnswer, ToKeep } from "./kept-answers.ts";

export const keptAnswerStore = defineStore({
  reads: { listRemovedUsers, wereAnswersKept },
  writes: { noteAnswersKept },
  apart: { findKeptAnswer, keepAnswers, prepareAnswers, removeAnswers },
});

/** The row of the table `meta` that says that answers were kept at least once. */
const keptKey = "answers_kept";

/** Whether answers were ever kept. Until then nothing has to be removed. */
async function wereAnswersKept(db: Db): Promise<boolean> {
  const query = db.selectFrom("meta").select("key").where("key", "=", keptKey);
  return (await query.executeTakeFirst()) !== undefined;
}

async function noteAnswersKept(tx: Db): Promise<void> {
  await tx
    .insertInto("meta")
    .values({ key: keptKey, value: "1" })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
}

async function prepareAnswers(tx: Db): Promise<void> {
  await createTable(tx);
}

type Keeping = {
  readonly answers: readonly ToKeep[];
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** How many answers are kept of each user; the oldest go first. */
  readonly countMax: number;
  /** The key that seals them. */
  readonly key: Uint8Array;
};

async function keepAnswers(tx: Db, { answers, nowMs, countMax, key }: Keeping): Promise<void> {
  const rows = answers.map(({ id, userId, input, answer }) => ({
    id,
    user_id: userId,
    day: dayOf(unixSeconds(nowMs)),
    created_at: nowMs,
    input: sealText(key, contextOf("input", id, userId), textOf(input)),
    answer: sealText(key, contextOf("answer", id, userId), textOf(answer)),
  }));
  await insertRows(tx, rows);
  for (const userId of new Set(answers.map((each) => each.userId))) {
    await removeOldest(tx, userId, countMax);
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function contextOf(part: "answer" | "input", id: string, userId: number): string {
  return `${userId}|${id}|${part}`;
}

type Wanted = { readonly id: string; readonly userId: number; readonly key: Uint8Array };

async function findKeptAnswer(
  db: Db,
  { id, userId, key }: Wanted,
  firstDay: number,
): Promise<KeptAnswer | null> {
  const row = await findRow(db, id, userId);
  if (row === undefined || row.day < firstDay) return null;
  return {
    input: unsealText(key, contextOf("input", id, userId), row.input),
    answer: unsealText(key, contextOf("answer", id, userId), row.answer),
  };
}

async function removeAnswers(tx: Db, removal: Removal, limit: number): Promise<number> {
  return await removeRows(tx, removal, limit);
}
