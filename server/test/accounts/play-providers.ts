/** OAuth providers for tests, on this machine, with the endpoints that the gateway calls. */

import { type Answer, type TestConsole, testPassword } from "./open-console.ts";

export type Profile = Readonly<Record<string, unknown>>;

export type PlayedProvider = {
  readonly tokenUrl: string;
  readonly userUrl: string;
  /** The token requests that arrived, oldest first. */
  readonly asked: { readonly body: string; readonly authorization: string }[];
  /** Makes a code for this person, usable once. */
  newCode(profile: Profile): string;
  stop(): Promise<void>;
};

/**
 * Plays a provider that exchanges each code once for a token, and answers the profile of each
 * token.
 */
export function playProvider(): PlayedProvider {
  const codes = new Map<string, Profile>();
  const tokens = new Map<string, Profile>();
  const asked: PlayedProvider["asked"] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const authorization = request.headers.get("authorization") ?? "";
      if (request.method === "GET") {
        const profile = tokens.get(authorization.replace("Bearer ", ""));
        return profile ? Response.json(profile) : new Response("{}", { status: 401 });
      }
      const body = await request.text();
      asked.push({ body, authorization });
      const code = body.startsWith("{")
        ? String(JSON.parse(body).code)
        : (new URLSearchParams(body).get("code") ?? "");
      const profile = codes.get(code);
      codes.delete(code);
      if (profile === undefined) return Response.json({ error: "bad_verification_code" });
      const token = crypto.randomUUID();
      tokens.set(token, profile);
      return Response.json({ access_token: token, token_type: "bearer", scope: "user:email" });
    },
  });
  return {
    tokenUrl: `${server.url.href}token`,
    userUrl: `${server.url.href}user`,
    asked,
    newCode(profile) {
      const code = crypto.randomUUID();
      codes.set(code, profile);
      return code;
    },
    stop: async () => await server.stop(true),
  };
}

export type Browser = {
  readonly cookies: Map<string, string>;
  /** The headers besides the cookies: a console page sends the id of the signed-in user. */
  headers: Record<string, string>;
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

/** Opens a browser that keeps the cookies it receives. */
export function openBrowser({ call }: Pick<TestConsole, "call">, clientIp: string): Browser {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, body?: object): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...browser.headers, ...(cookie === "" ? {} : { cookie }) };
    const sent = body === undefined ? {} : { body };
    const answer = await call(method, path, { headers, clientIp, ...sent });
    for (const set of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const browser: Browser = {
    cookies,
    headers: {},
    get: (path) => send("GET", path),
    post: (path, body) => send("POST", path, body),
    delete: (path) => send("DELETE", path),
  };
  return browser;
}

/** Opens a browser that is signed in as a new user. */
export async function openBrowserOf(
  gateway: TestConsole,
  username: string,
  clientIp: string,
): Promise<Browser & { readonly id: number }> {
  const { id, headers } = await gateway.user(username);
  const browser = openBrowser(gateway, clientIp);
  const [name = "", value = ""] = (headers["cookie"] ?? "").split("=");
  browser.cookies.set(name, value);
  browser.headers = { "new-api-user": String(id) };
  return Object.assign(browser, { id });
}

/** Asks for a state. A signed-in user proves to own the account by the password. */
export async function stateOf(browser: Browser, query = ""): Promise<string> {
  const asked = Object.fromEntries(new URLSearchParams(query));
  const { body } = browser.cookies.has("__Host-sid")
    ? await browser.post("/api/oauth/state", { ...asked, password: testPassword })
    : await browser.get(`/api/oauth/state${query}`);
  if (typeof body.data !== "string") throw new Error(body.message);
  return body.data;
}
