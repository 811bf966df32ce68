/** Browsers that went to sign in elsewhere and are expected back: once, soon, and themselves. */

import type { Db } from "#db/database.ts";

/** How long a browser may be away. */
const stateLastsMs = 10 * 60_000;

/** Browsers away at a time; of more the one longest away is forgotten. */
const statesMax = 10_000;

type State = {
  /** Hash of what the browser brings back. */
  readonly id: string;
  /** Method it may be used for; `""`: any. */
  readonly method: string;
  readonly owner: string;
  /** 0: to sign in. */
  readonly userId: number;
  readonly affCode: string;
};

export async function saveState(tx: Db, state: State, nowMs: number): Promise<void> {
  await tx.deleteFrom("sign_in_states").where("expires_at", "<=", nowMs).execute();
  const { count } = await tx
    .selectFrom("sign_in_states")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count >= statesMax) {
    const oldest = tx.selectFrom("sign_in_states").select("id").orderBy("expires_at").limit(1);
    await tx.deleteFrom("sign_in_states").where("id", "=", oldest).execute();
  }
  await tx
    .insertInto("sign_in_states")
    .values({
      id: state.id,
      method: state.method,
      owner: state.owner,
      user_id: state.userId,
      aff_code: state.affCode,
      expires_at: nowMs + stateLastsMs,
    })
    .execute();
}

/**
 * Uses a state up, whether or not it was brought back by whom it was given to, for what it was
 * given for.
 *
 * @returns what was kept with it; undefined: it must not be believed.
 */
export async function takeState(
  tx: Db,
  brought: Omit<State, "affCode">,
  nowMs: number,
): Promise<{ readonly affCode: string } | undefined> {
  const row = await tx
    .deleteFrom("sign_in_states")
    .where("id", "=", brought.id)
    .returningAll()
    .executeTakeFirst();
  const isGood =
    row !== undefined &&
    row.expires_at > nowMs &&
    row.owner === brought.owner &&
    row.user_id === brought.userId &&
    (row.method === "" || row.method === brought.method);
  return isGood ? { affCode: row.aff_code } : undefined;
}

/** False: it was used before. `lastsMs`: for how long it would be believed otherwise. */
export async function spendProof(
  tx: Db,
  id: string,
  { nowMs, lastsMs }: { readonly nowMs: number; readonly lastsMs: number },
): Promise<boolean> {
  await tx.deleteFrom("spent_proofs").where("expires_at", "<=", nowMs).execute();
  const spent = await tx
    .insertInto("spent_proofs")
    .values({ id, expires_at: nowMs + lastsMs })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return spent !== undefined;
}
