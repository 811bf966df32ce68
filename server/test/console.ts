/** Uses the console API as a program does: signed in, with the user-id header. */

import { rootUser } from "./gateway.ts";

/** The envelope of an answer. */
type Answer<Data> = {
  readonly success: boolean;
  readonly message: string;
  readonly data: Data;
};

export type ConsoleClient = {
  readonly userId: number;
  /** Resolves to the envelope of any answer, also of a refusal. */
  send<Data>(method: string, path: string, body?: object): Promise<Answer<Data>>;
  /** Resolves to the answer itself, whose body may go on. */
  open(path: string): Promise<Response>;
  /** Resolves to the `data` of a success. @throws Error with the message of any other answer. */
  call<Data>(method: string, path: string, body?: object): Promise<Data>;
};

/** @param more headers that every call after the sign-in has as well. */
export async function signIn(
  origin: string,
  user: { readonly username: string; readonly password: string } = rootUser,
  more: Readonly<Record<string, string>> = {},
): Promise<ConsoleClient> {
  const response = await fetch(`${origin}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  // Safe cast: the contract of `login`; `success` is checked before `data` is read.
  const answer = (await response.json()) as Answer<{ id: number }>;
  if (!answer.success) throw new Error(`sign-in of ${user.username}: ${answer.message}`);
  const headers = {
    "content-type": "application/json",
    cookie: cookieOf(response),
    "new-api-user": String(answer.data.id),
    ...more,
  };

  async function send<Data>(method: string, path: string, body?: object): Promise<Answer<Data>> {
    const sent = await fetch(origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A change of the password gives the session a new id and so a new cookie.
    headers.cookie = cookieOf(sent) || headers.cookie;
    // Safe cast: callers name the data that they expect, and assert on it.
    return (await sent.json()) as Answer<Data>;
  }

  return {
    userId: answer.data.id,
    send,
    open: async (path) => await fetch(origin + path, { headers }),
    async call<Data>(method: string, path: string, body?: object) {
      const result = await send<Data>(method, path, body);
      if (!result.success) throw new Error(`${method} ${path}: ${result.message}`);
      return result.data;
    },
  };
}

/** Returns the cookies a browser would send back; empty: the answer sets none. */
function cookieOf({ headers }: Response): string {
  const cookies = headers.getSetCookie().map((one) => one.split(";")[0]);
  return cookies.join("; ");
}

/** Adds the price of a model to the current ones. */
export async function setRatio(
  root: ConsoleClient,
  key: "CompletionRatio" | "GroupRatio" | "ModelPrice" | "ModelRatio",
  name: string,
  value: number,
): Promise<void> {
  const options = await root.call<{ key: string; value: string }[]>("GET", "/api/option/");
  const text = options.find((option) => option.key === key)?.value ?? "{}";
  // Safe cast: option values of this kind are JSON objects of numbers.
  const map = JSON.parse(text) as Record<string, number>;
  await root.call("PUT", "/api/option/", {
    key,
    value: JSON.stringify({ ...map, [name]: value }),
  });
}

/** Makes a channel of type 1 (OpenAI). @returns its id. */
export async function addChannel(
  root: ConsoleClient,
  channel: { readonly base_url: string; readonly models: string } & Record<string, unknown>,
): Promise<number> {
  const name = `channel-${crypto.randomUUID().slice(0, 8)}`;
  const row = { name, type: 1, key: "sk-upstream-0001", group: "default", ...channel };
  await root.call("POST", "/api/channel/", row);
  const rows = await root.call<{ id: number; name: string }[]>(
    "GET",
    `/api/channel/search?keyword=${row.name}`,
  );
  const found = rows.find((one) => one.name === row.name);
  if (found === undefined) throw new Error("the channel was not made");
  return found.id;
}

/** Makes a token of the caller. @returns its id and full key, with `sk-`. */
export async function addToken(
  client: ConsoleClient,
  token: Record<string, unknown> = {},
): Promise<{ readonly id: number; readonly key: string }> {
  const made = await client.call<{ id: number }>("POST", "/api/token/", {
    name: "test",
    remain_quota: 0,
    expired_time: -1,
    unlimited_quota: true,
    ...token,
  });
  const revealed = await client.call<{ key: string } | string>("POST", `/api/token/${made.id}/key`);
  const key = typeof revealed === "string" ? revealed : revealed.key;
  return { id: made.id, key: key.startsWith("sk-") ? key : `sk-${key}` };
}

/** Makes a user with this balance and signs it in. */
export async function addUser(
  root: ConsoleClient,
  origin: string,
  quota: number,
): Promise<ConsoleClient> {
  const username = `u${crypto.randomUUID().slice(0, 8)}`;
  const [given, password] = ["a password that root gives", "a long enough password"];
  await root.call("POST", "/api/user/", { username, password: given, display_name: username });
  const first = await signIn(origin, { username, password: given });
  // The present password is asked for where a build does not know the obligation to choose one yet.
  await first.call("PUT", "/api/user/self", { original_password: given, password });
  const found = await root.call<{ items: { id: number; username: string; quota: number }[] }>(
    "GET",
    `/api/user/search?keyword=${username}`,
  );
  const user = found.items.find((one) => one.username === username);
  if (user === undefined) throw new Error("the user was not made");
  if (quota !== user.quota) {
    await root.call("PUT", "/api/user/", {
      id: user.id,
      username,
      display_name: username,
      group: "default",
      quota_delta: quota - user.quota,
    });
  }
  return await signIn(origin, { username, password });
}
