/** The users, tokens, channels and models of a long log. */

import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import {
  openBalance,
  openTokenBalance,
  postEntry,
} from "@tollgate/server/src/modules/ledger/ledger.ts";
import { addChannel } from "@tollgate/server/test/console.ts";
import { addressOf } from "@tollgate/server/test/proof/database-after.ts";
import type { Product } from "#bench/product.ts";

export const userCount = 10_000;
export const tokensPerUser = 2;
export const modelCount = 50;
const channelCount = 30;

/** So many users have a token of the same name. */
const usersPerName = 4;

/** Quota units: more than all seeded calls of a user cost. */
const plenty = 10 ** 12;

/** Rows in one transaction. */
const batch = 500;

export type People = {
  readonly firstUser: number;
  readonly firstToken: number;
  readonly channelIds: readonly number[];
};

export function modelName(at: number): string {
  return `bench-model-${String(at).padStart(2, "0")}`;
}

export function userName(at: number): string {
  return `bench-${at}`;
}

/** Four users have a token of each name. */
export function tokenName(user: number, token: number): string {
  return `token-${Math.floor(user / usersPerName)}-${token}`;
}

/** Makes prices and channels through the console, while the product runs. */
export async function addOffers(product: Product, upstreamUrl: string): Promise<number[]> {
  const { root, channelIds } = product;
  const models = Array.from({ length: modelCount }, (_, at) => modelName(at));
  const options = await root.call<{ key: string; value: string }[]>("GET", "/api/option/");
  for (const key of ["ModelRatio", "CompletionRatio"]) {
    const text = options.find((option) => option.key === key)?.value ?? "{}";
    const added = Object.fromEntries(models.map((name) => [name, key === "ModelRatio" ? 1 : 2]));
    // Safe cast: the value of these options is a JSON object.
    const value = JSON.stringify({ ...(JSON.parse(text) as object), ...added });
    await root.call("PUT", "/api/option/", { key, value });
  }
  const ids = [...channelIds];
  while (ids.length < channelCount) {
    ids.push(
      await addChannel(root, { base_url: upstreamUrl, models: models.join(","), status: 2 }),
    );
  }
  return ids;
}

/** Adds users and tokens to the database of the stopped product. */
export async function addPeople(product: Product, channelIds: readonly number[]): Promise<People> {
  const opened = openDatabase(addressOf(product.home), "writer");
  try {
    let firstUser = 0;
    let firstToken = 0;
    for (let start = 0; start < userCount; start += batch) {
      await opened.db.transaction().execute(async (tx) => {
        for (let at = start; at < start + batch; at += 1) {
          const userId = await addUser(tx, at);
          firstUser ||= userId;
          for (let token = 0; token < tokensPerUser; token += 1) {
            const tokenId = await addToken(tx, userId, tokenName(at, token));
            firstToken ||= tokenId;
          }
        }
      });
    }
    return { firstUser, firstToken, channelIds };
  } finally {
    await opened.close();
  }
}

async function addUser(tx: Db, at: number): Promise<number> {
  const username = userName(at);
  const none = { password_hash: "", display_name: "", email: "", github_id: "", oidc_id: "" };
  const more = { wechat_id: "", telegram_id: "", linux_do_id: "", group: "default" };
  const numbers = { role: 1, status: 1, inviter_id: 0, create_time: 0 };
  const { id } = await tx
    .insertInto("users")
    .values({ ...none, ...more, ...numbers, username, username_key: username, aff_code: username })
    .returning("id")
    .executeTakeFirstOrThrow();
  await openBalance(tx, id);
  const entry = { cause: `bench:${id}`, kind: "admin_adjust", userId: id, amount: plenty } as const;
  await postEntry(tx, { ...entry, detail: "bench", nowMs: Date.now() });
  return id;
}

async function addToken(tx: Db, userId: number, name: string): Promise<number> {
  const texts = { sealed: "", hint: "", model_limits: "", allow_ips: "", group: "" };
  const numbers = { status: 1, created_time: 0, accessed_time: 0, expired_time: -1 };
  const flags = { unlimited_quota: 1, model_limits_enabled: 0 };
  const budgets = { budget_day: 0, budget_week: 0, budget_month: 0 };
  const limits = { deny_ips: "", rate_limit_count: 0, rate_limit_seconds: 60 };
  const drawing = { mj_mode: "", mj_proxy_method: "", mj_proxy_address: "", mj_backup_pool: 0 };
  const more = { ...budgets, ...limits, ...drawing, rate_limit_message: "", chat_links: "" };
  const lookup = `${userId} ${name}`;
  const { id } = await tx
    .insertInto("tokens")
    .values({ ...texts, ...numbers, ...flags, ...more, lookup, name, user_id: userId })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx.insertInto("token_names").values({ name, token_id: id, user_id: userId }).execute();
  await openTokenBalance(tx, id, 0);
  return id;
}
