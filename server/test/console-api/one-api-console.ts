/**
 * A console that behaves as one-api's does: one cookie, the stored user's id in a header of every
 * call (`-1` while nobody is signed in), JSON bodies, and no redirects followed.
 */

import { z } from "zod";
import type { Dialect } from "#db/dialect.ts";
import { type Gateway, makeStartedHome, rootUser, startGateway } from "#test/gateway.ts";

const anyBody = z.looseObject({
  success: z.boolean().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
});

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; `{}` if it is no JSON object. */
  readonly body: z.infer<typeof anyBody>;
  readonly text: string;
};

type Sent = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Page = {
  /** Id of the signed-in user; −1: not signed in. */
  readonly userId: number;
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Resolves to the `data` of a success; throws the message of a failure. */
  data<Data>(method: string, path: string, body?: unknown): Promise<Data>;
};

export type OneApiConsole = {
  readonly gateway: Gateway;
  readonly root: Page;
  /** Opens a page on which nobody is signed in. */
  visitor(): Page;
  signIn(username: string, password?: string): Promise<Page>;
  /** Creates an account, an ordinary one or an admin's, and signs it in. */
  user(username: string, role?: 1 | 10): Promise<Page>;
  close(): Promise<void>;
};

/** The password of all accounts except root. */
export const password = "a long enough password";

export async function openOneApiConsole(dialect: Dialect): Promise<OneApiConsole> {
  const home = await makeStartedHome(dialect);
  const gateway = await startGateway(home);
  const close = async (): Promise<void> => {
    await gateway.kill();
    await home.remove();
  };
  try {
    return { gateway, close, ...(await openPages(gateway.origin)) };
  } catch (error) {
    process.stderr.write(gateway.output());
    await close();
    throw error;
  }
}

/** Acts as one-api's console at a gateway that already runs and whose root account is `rootUser`. */
export async function openPages(origin: string): Promise<Omit<OneApiConsole, "close" | "gateway">> {
  const visitor = (): Page => openPage(origin, -1, "");
  const signIn = async (username: string, word = password): Promise<Page> => {
    const answer = await visitor().post("/api/user/login", { username, password: word });
    const { data } = z.looseObject({ data: z.looseObject({ id: z.int() }) }).parse(answer.body);
    return openPage(origin, data.id, cookieOf(answer.headers));
  };
  const root = await signIn(rootUser.username, rootUser.password);
  await root.put("/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
  return {
    root,
    visitor,
    signIn,
    async user(username, role = 1) {
      const given = "a password that root gives";
      await root.data("POST", "/api/user/", { username, password: given, display_name: "" });
      await (await signIn(username, given)).data("PUT", "/api/user/self", { password });
      const page = await signIn(username);
      if (role === 1) return page;
      await root.data("POST", "/api/user/manage", { id: page.userId, action: "promote" });
      return await signIn(username);
    },
  };
}

function openPage(origin: string, userId: number, signedInBy: string): Page {
  let cookie = signedInBy;
  const send = async (method: string, path: string, { body, headers }: Sent = {}) => {
    const response = await fetch(origin + path, {
      method,
      redirect: "manual",
      headers: {
        "new-api-user": String(userId),
        "cache-control": "no-store",
        ...(cookie === "" ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    cookie = cookieOf(response.headers) || cookie;
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
  return {
    userId,
    send,
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, { body }),
    put: (path, body) => send("PUT", path, { body }),
    delete: (path) => send("DELETE", path),
    async data<Data>(method: string, path: string, body?: unknown) {
      const answer = await send(method, path, { body });
      if (answer.body.success !== true) throw new Error(`${method} ${path}: ${answer.text}`);
      // Safe cast: callers name the data that they expect, and assert on it.
      return answer.body.data as Data;
    },
  };
}

function parse(text: string): Answer["body"] {
  try {
    return anyBody.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

function cookieOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
}
