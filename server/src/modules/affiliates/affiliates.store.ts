/** What runs beside the database for invitations. */

import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { transferEarnings } from "./affiliates.ts";

/** Reads a user's invite code; every user has one. */
async function readAffCode(db: Db, userId: number): Promise<string> {
  const { aff_code } = await db
    .selectFrom("users")
    .select("aff_code")
    .where("id", "=", userId)
    .executeTakeFirstOrThrow();
  return aff_code;
}

export const affiliateStore = defineStore({
  reads: { readAffCode },
  writes: { transferEarnings },
});

export type AffiliateStore = RemoteStore<typeof affiliateStore>;
