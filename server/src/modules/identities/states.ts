/**
 * OAuth states: each proves that the browser that returns from a provider is the same that was sent
 * there. A state can be used only once, and only for a short time.
 */

import type { Db } from "#db/database.ts";

/** How long a state is valid. */
const stateLastsMs = 10 * 60_000;

/**
 * The largest number of stored states. Beyond it, a new state removes the one that expires first.
 */
const statesMax = 10_000;

type State = {
  /** Hash of the state that the browser brings back. */
  readonly id: string;
  /** The sign-in method that the state is valid for; `""` for any. */
  readonly method: string;
  readonly owner: string;
  /** The user who binds an identity; 0 for a sign-in. */
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
 * Uses up a state; it is used up even if another browser brings it back, or if it is brought back
 * for another purpose.
 * @returns the data stored with it; undefined if the state is not valid for this caller and method.
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

/**
 * Marks a proof of an identity, such as a code or a signature, as used. Returns false if it was
 * used before.
 *
 * @param id hash of the proof.
 * @param lastsMs how long the proof would otherwise stay valid.
 */
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
