/** Reads money and calls from the console API, the only source these suites judge by. */

import type { Log } from "@tollgate/contract/endpoints/logs.ts";
import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import type { User } from "@tollgate/contract/endpoints/users.ts";
import type { ConsoleClient } from "#test/console.ts";

/** The most rows that a page of the log may have. */
const pageSize = 100;

export async function readSelf(client: ConsoleClient): Promise<User> {
  return await client.call<User>("GET", "/api/user/self");
}

export async function balanceOf(client: ConsoleClient): Promise<number> {
  return (await readSelf(client)).quota;
}

export async function readToken(client: ConsoleClient, tokenId: number): Promise<Token> {
  return await client.call<Token>("GET", `/api/token/${tokenId}`);
}

/** Reads all tokens of a user, at most 100, by id. */
export async function readTokens(client: ConsoleClient): Promise<Map<number, Token>> {
  const rows = await client.call<Token[]>("GET", `/api/token/?p=0&page_size=${pageSize}`);
  return new Map(rows.map((row) => [row.id, row]));
}

type LogFilter = {
  /** The type of the log rows: 2 are charged calls, 5 failed or interrupted ones. */
  readonly type?: number;
  readonly username?: string;
  readonly model?: string;
  /** Returns only rows with a higher id than this one. */
  readonly afterId?: number;
  /** Returns at most this many of the newest rows, rounded up to whole pages; absent: all. */
  readonly rowsMax?: number;
};

/** Reads the log rows of all users, newest first. */
export async function readLogs(root: ConsoleClient, filter: LogFilter = {}): Promise<Log[]> {
  const { type = 0, username = "", model = "", afterId = 0, rowsMax = Infinity } = filter;
  const query = `type=${type}&username=${username}&model_name=${encodeURIComponent(model)}`;
  const rows: Log[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/log/?p=${page}&page_size=${pageSize}&${query}`;
    const { items } = await root.call<{ items: Log[] }>("GET", path);
    const newer = items.filter((row) => row.id > afterId);
    rows.push(...newer);
    if (newer.length < pageSize || rows.length >= rowsMax) return rows;
  }
}

/** Sums what the rows cost their users, without charges that were given back. */
export function sumOf(rows: readonly Log[]): number {
  return rows.reduce((sum, row) => sum + (row.reversed ? 0 : row.quota), 0);
}

type ChannelRow = { readonly id: number; readonly used_quota: number };

export async function readChannel(root: ConsoleClient, id: number): Promise<ChannelRow> {
  return await root.call<ChannelRow>("GET", `/api/channel/${id}`);
}

/** Adds quota to a user, or takes some away, as an admin does, also while the user spends. */
export async function addQuota(
  root: ConsoleClient,
  userId: number,
  quotaDelta: number,
): Promise<void> {
  if (quotaDelta === 0) return;
  await root.call("PUT", "/api/user/", { id: userId, quota_delta: quotaDelta });
}

/** How long `eventually` waits, unless a test says otherwise. */
const settledMaxMs = 90_000;

/**
 * Shows that something does not happen: `isSo` must hold during the whole time. No event announces
 * an absence, so a fixed wait is right here. On a busy machine it proves less, but never fails
 * wrongly.
 */
export async function staysSo<Value>(
  read: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  { what, forMs }: { what: string; forMs: number },
): Promise<void> {
  const endMs = Date.now() + forMs;
  for (;;) {
    const value = await read();
    if (!isSo(value)) throw new Error(`${what}: ${JSON.stringify(value)}`);
    if (Date.now() > endMs) return;
    await Bun.sleep(50);
  }
}

/** Calls `read` until `isThere` accepts the value. @throws Error with the last value. */
export async function eventually<Value>(
  read: () => Promise<Value>,
  isThere: (value: Value) => boolean,
  { what, maxMs = settledMaxMs }: { what: string; maxMs?: number },
): Promise<Value> {
  const endMs = Date.now() + maxMs;
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    if (Date.now() > endMs) throw new Error(`${what}: ${JSON.stringify(value)} after ${maxMs} ms`);
    await Bun.sleep(50);
  }
}
