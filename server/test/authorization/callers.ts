/** The callers of the matrix: one of each kind, with the headers it calls with. */

import { rootUser } from "#test/gateway.ts";
import type { ConsoleClient } from "#test/console.ts";
import { dataOf, type Headers, type Send, send as sendTo } from "./send.ts";

/** Names of all callers, in the order of the matrix's columns. */
export const callerNames = [
  "visitor",
  "owner",
  "other user",
  "disabled user",
  "deleted user",
  "admin",
  "other admin",
  "root",
  "token",
  "disabled token",
  "deleted token",
  "expired token",
  "exhausted token",
  "token of another address",
  "token of the disabled user",
  "token of the deleted user",
  "owner's access token",
  "admin's access token",
  "root's access token",
  "session from before a demotion",
] as const;
export type CallerName = (typeof callerNames)[number];

export type Account = {
  readonly id: number;
  readonly username: string;
  /** The headers of a signed-in browser. */
  headers: Headers;
};

/**
 * The headers that each caller sends. They change when the caller's session or access token does.
 */
type Callers = Record<CallerName, Headers>;

/** The password of all accounts except root. */
export const password = "a long enough password";

/** The balance of each account, in quota units. */
const quota = 1_000_000;

/**
 * The names of the owner's token and channel. A test sees by them whether an answer shows the
 * owner's things.
 */
export const ownersNames = { token: "owners-token", channel: "marked-channel" } as const;

export type People = {
  readonly callers: Callers;
  readonly owner: Account;
  readonly admin: Account;
  readonly rootId: number;
  /** The owner's token, with which the owner makes calls. */
  readonly tokenId: number;
  readonly tokenKey: string;
};

export async function openPeople(origin: string, root: ConsoleClient): Promise<People> {
  const send: Send = async (headers, method, path, body) =>
    await sendTo(origin, headers, method, path, body);
  const rootHeaders = (await signInRoot(send)).headers;
  const make = async (role = 1): Promise<Account> => await addAccount(send, rootHeaders, role);
  const owner = await make();
  const [other, disabled, deleted] = [await make(), await make(), await make()];
  const [admin, otherAdmin, demoted] = [await make(10), await make(10), await make(10)];
  const good = await addKey(send, owner, { name: ownersNames.token });
  const bad = await addKey(send, owner, { name: "disabled" });
  await send(owner.headers, "PUT", "/api/token/?status_only=true", { id: bad.id, status: 2 });
  const gone = await addKey(send, owner, { name: "deleted" });
  await send(owner.headers, "DELETE", `/api/token/${gone.id}`);
  const key = async (account: Account, token: object = {}): Promise<Headers> =>
    (await addKey(send, account, token)).headers;
  const callers: Callers = {
    visitor: {},
    owner: owner.headers,
    "other user": other.headers,
    "disabled user": disabled.headers,
    "deleted user": deleted.headers,
    admin: admin.headers,
    "other admin": otherAdmin.headers,
    root: rootHeaders,
    token: good.headers,
    "disabled token": bad.headers,
    "deleted token": gone.headers,
    "expired token": await key(owner, { expired_time: 1 }),
    "exhausted token": await key(owner, { unlimited_quota: false, remain_quota: 0 }),
    "token of another address": await key(owner, { allow_ips: "198.51.100.7" }),
    "token of the disabled user": await key(disabled),
    "token of the deleted user": await key(deleted),
    "owner's access token": await addAccessToken(send, owner.headers),
    "admin's access token": await addAccessToken(send, admin.headers),
    "root's access token": await addAccessToken(send, rootHeaders),
    "session from before a demotion": demoted.headers,
  };
  await root.call("POST", "/api/user/manage", { id: disabled.id, action: "disable" });
  await root.call("POST", "/api/user/manage", { id: deleted.id, action: "delete" });
  await root.call("POST", "/api/user/manage", { id: demoted.id, action: "demote" });
  return { callers, owner, admin, rootId: root.userId, tokenId: good.id, tokenKey: good.key };
}

/** Creates an account of this role with quota to spend, and signs it in. */
export async function addAccount(send: Send, root: Headers, role: number): Promise<Account> {
  const { username } = await addUser(send, root, role);
  const first = await signIn(send, username, given);
  const changed = await send(first.headers, "PUT", "/api/user/self", { password });
  dataOf(changed);
  return { ...first, headers: { ...first.headers, cookie: changed.cookie } };
}

/** The password that root gives an account, which its owner replaces at the first sign-in. */
const given = "a password that root gives";

/** Creates an account of this role with quota to spend. A sign-in, which is slow, is left out. */
export async function addUser(
  send: Send,
  root: Headers,
  role: number,
): Promise<Pick<Account, "id" | "username">> {
  const username = `m${crypto.randomUUID().slice(0, 9)}`;
  dataOf(await send(root, "POST", "/api/user/", { username, password: given }));
  const found = dataOf<{ items: { id: number; username: string }[] }>(
    await send(root, "GET", `/api/user/search?keyword=${username}`),
  );
  const id = found.items.find((one) => one.username === username)?.id;
  if (id === undefined) throw new Error("the account was not made");
  dataOf(await send(root, "PUT", "/api/user/", { id, quota_delta: quota }));
  if (role === 10) {
    dataOf(await send(root, "POST", "/api/user/manage", { id, action: "promote" }));
  }
  return { id, username };
}

export async function signIn(send: Send, username: string, word = password): Promise<Account> {
  const answer = await send({}, "POST", "/api/user/login", { username, password: word });
  const { id } = dataOf<{ id: number }>(answer);
  return { id, username, headers: { cookie: answer.cookie, "new-api-user": String(id) } };
}

export async function signInRoot(send: Send): Promise<Account> {
  return await signIn(send, rootUser.username, rootUser.password);
}

/**
 * Makes a new access token of this account, which ends the old one. Returns the headers of a
 * program that uses the token.
 */
export async function addAccessToken(send: Send, session: Headers): Promise<Headers> {
  const token = dataOf<string>(await send(session, "POST", "/api/user/token"));
  return { authorization: token, "new-api-user": session["new-api-user"] ?? "" };
}

async function addKey(
  send: Send,
  { headers }: Account,
  token: object = {},
): Promise<{ readonly id: number; readonly key: string; readonly headers: Headers }> {
  const defaults = { name: "test", remain_quota: 0, expired_time: -1, unlimited_quota: true };
  const made = await send(headers, "POST", "/api/token/", { ...defaults, ...token });
  const { id, key } = dataOf<{ id: number; key: string }>(made);
  return { id, key, headers: { authorization: `Bearer sk-${key}` } };
}
