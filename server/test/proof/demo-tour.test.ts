/** A demo's thirty days of made-up calls, and visitors who look around in it as root. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { type Gateway, type Home, makeHome, runCommand, startGateway } from "#test/gateway.ts";
import { untilApplied } from "#test/applied.ts";
import { signIn } from "#test/console.ts";
import { eventually } from "./ledger.ts";

type Answer = { readonly success: boolean; readonly message: string; readonly data: unknown };

/** A visitor's or root's calls of the console API. */
type Caller = (method: string, path: string, body?: object) => Promise<Answer & { status: number }>;

/** The demo makes root itself, as it does for whoever just starts it. */
const withoutRoot = {
  TOLLGATE_ROOT_USERNAME: undefined,
  TOLLGATE_ROOT_PASSWORD: undefined,
  // Lets tests come from other addresses.
  TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8,::1/128",
};

for (const dialect of testDialects) {
  let home: Home;
  let gateway: Gateway;
  let count = 0;
  beforeAll(async () => {
    home = await makeHome(dialect);
    gateway = await startGateway(home, { args: ["--demo"], env: withoutRoot });
    const said = await eventually(
      async () => /has (\d+) made-up calls/.exec(gateway.output()),
      (found) => found !== null,
      { what: "the made-up calls" },
    );
    count = Number(said?.[1]);
    await untilApplied(gateway.origin);
    // A visitor who asks for everything at once would be asked to wait.
    const password = /Sign in as root with password (\w+)/.exec(gateway.output())?.[1] ?? "";
    const root = await signIn(gateway.origin, { username: "root", password });
    await root.call("PUT", "/api/option/", { key: "ConsoleRequestsPerMinute", value: "0" });
  });
  afterAll(async () => {
    await gateway.kill();
    await home.remove();
  });

  const callAs =
    (headers: Record<string, string>): Caller =>
    async (method, path, body) => {
      const sent = await fetch(gateway.origin + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await sent.text();
      // Safe cast: the envelope of every answer; others have no `success`.
      const answer = (text.startsWith("{") ? JSON.parse(text) : {}) as Answer;
      return { ...answer, status: sent.status };
    };

  async function lookAround(): Promise<Caller> {
    const begun = await fetch(`${gateway.origin}/api/demo/tour`, { method: "POST" });
    // Safe cast: the contract of `startDemoTour`.
    const { data } = (await begun.json()) as { data: { id: number; only_reads: boolean } };
    expect(data.only_reads).toBe(true);
    const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    return callAs({ cookie, "new-api-user": String(data.id) });
  }

  test(`on ${dialect} a demo has thirty days of calls, each in the books as a real one is`, async () => {
    const visitor = await lookAround();
    expect(count).toBeGreaterThan(2_000);
    const listed = await visitor("GET", "/api/log/?page_size=100&sort=-quota&username=demo-%25");
    const { total, items } = Object(listed.data);
    expect(total).toBeGreaterThan(count - 50);
    const days = new Set(items.map((row: { created_at: number }) => (row.created_at / 86_400) | 0));
    expect(days.size).toBeGreaterThan(8);
    const { code, output } = await runCommand(home, ["audit"], withoutRoot);
    expect(output).toContain("ok");
    expect(code).toBe(0);
  });

  test(`on ${dialect} a visitor reads all that root reads, and changes nothing`, async () => {
    const visitor = await lookAround();
    const document = await fetch(`${gateway.origin}/api/status`);
    expect(Object((await document.json()) as object).data.demo_tour_enabled).toBe(true);
    const { paths } = Object(await visitor("GET", "/api/openapi.json"));
    const before = await stateOf(visitor);
    const letThrough: string[] = [];
    const unread: string[] = [];
    for (const [path, operations] of Object.entries(paths as Record<string, object>)) {
      for (const method of Object.keys(operations)) {
        // A stream of events does not end by itself. A call of the demo is made by any visitor.
        if (path.endsWith("/stream") || ownCalls.has(path)) continue;
        const address = path.replaceAll(/\{\w+\}/g, "1");
        const sent = method.toUpperCase();
        const answer = await visitor(sent, address, sent === "GET" ? undefined : {});
        const isRefused = answer.message?.includes("tour") || answer.message?.includes("参观");
        const isRead = method === "get" && !changing.has(path);
        if (isRead && isRefused === true) unread.push(`${sent} ${path}`);
        const isVisitors = asVisitor.has(`${sent} ${path}`);
        if (!isRead && !isVisitors && isRefused !== true && answer.success === true) {
          letThrough.push(`${sent} ${path}`);
        }
      }
    }
    expect(unread).toEqual([]);
    expect(letThrough).toEqual([]);
    expect(await stateOf(visitor)).toEqual(before);
  }, 120_000);

  test(`on ${dialect} a visitor is not told who other visitors are and where they come from`, async () => {
    const person = { username: "zoe-real", password: "seven brown otters" };
    const address = "45.67.89.10";
    const from = { "content-type": "application/json", "x-forwarded-for": address };
    const send = async (path: string, body: object, more: Record<string, string> = {}) => {
      const init = { method: "POST", headers: { ...from, ...more }, body: JSON.stringify(body) };
      return await fetch(gateway.origin + path, init);
    };
    const joined = await send("/api/user/register", { ...person, password2: person.password });
    expect(Object(await joined.json())).toMatchObject({ success: true });
    const wrong = await send("/api/user/login", { ...person, password: "not that one" });
    expect(Object(await wrong.json()).success).toBe(false);
    const zoe = await signIn(gateway.origin, person, { "x-forwarded-for": address });
    await zoe.call("PUT", "/api/user/self", { display_name: "Zoe Real" });
    const key = await zoe.call<{ key: string }>("POST", "/api/token/", {
      name: "mine",
      remain_quota: 1_000,
      unlimited_quota: true,
      allow_ips: address,
    });
    const messages = [{ role: "user", content: "hi" }];
    for (const model of ["demo-chat", "demo-error"]) {
      const authorization = `Bearer sk-${key.key}`;
      await (await send("/v1/chat/completions", { model, messages }, { authorization })).text();
    }
    await untilApplied(gateway.origin);
    const visitor = await lookAround();
    const { items } = Object(
      (await visitor("GET", `/api/log/?username=${person.username}&page_size=10`)).data,
    );
    expect(items.length).toBeGreaterThan(1);
    expect(items[0].username).toMatch(/^visitor-[0-9a-f]{4}$/);
    const { paths } = Object(await visitor("GET", "/api/openapi.json"));
    const plain = Object.entries(paths as Record<string, object>)
      .filter(([path, operations]) => "get" in operations && !path.endsWith("/stream"))
      .map(([path]) => path)
      .filter((path) => !ownCalls.has(path));
    const addresses = [
      ...plain.map((path) => path.replaceAll(/\{\w+\}/g, String(items[0].id))),
      ...plain.map((path) => path.replaceAll(/\{\w+\}/g, String(zoe.userId))),
      "/api/log/chart?by=user",
      "/api/log/facet?facet=user",
      "/api/user/search?keyword=zoe",
    ];
    const telling: string[] = [];
    for (const path of new Set(addresses)) {
      const text = JSON.stringify(await visitor("GET", path));
      const told = [person.username, "Zoe Real", address].filter((word) => text.includes(word));
      if (told.length > 0) telling.push(`${path}: ${told.join(", ")}`);
    }
    expect(telling).toEqual([]);
    // Root reads the names and addresses, so that there was something to hide.
    const own = await zoe.call<{ username: string }>("GET", "/api/user/self");
    expect(own.username).toBe(person.username);
  }, 120_000);

  test(`on ${dialect} a visitor spends nothing of root's and gets no key`, async () => {
    const visitor = await lookAround();
    const messages = [{ role: "user", content: "hi" }];
    const played = await visitor("POST", "/pg/chat/completions", { model: "demo-chat", messages });
    expect(played.status).not.toBe(200);
    const tokens = await visitor("GET", "/api/token/?p=0&size=10");
    const [token] = Object(tokens.data).items ?? tokens.data;
    const revealed = await visitor("POST", `/api/token/${token.id}/key`);
    expect(revealed.success).toBe(false);
    expect((await visitor("GET", "/api/user/logout")).success).toBe(true);
  });

  test(`on ${dialect} a cookie that somebody made is no tour`, async () => {
    for (const id of [`demo-tour.${Date.now() + 3_600_000}.x.${"0".repeat(64)}`, "demo-tour..."]) {
      const forged = callAs({ cookie: `sid=${id}`, "new-api-user": "1" });
      expect((await forged("GET", "/api/user/self")).status).toBe(401);
    }
  });

  test(`on ${dialect} a second start adds no calls; where root is somebody's, nobody looks around`, async () => {
    const visitor = await lookAround();
    const { data } = await visitor("GET", "/api/log/?page_size=1&type=2&username=demo-ada");
    const before = Object(data).total;
    await gateway.stop("SIGINT");
    gateway = await startGateway(home, { args: ["--demo"], env: withoutRoot });
    const again = await (
      await lookAround()
    )("GET", "/api/log/?page_size=1&type=2&username=demo-ada");
    expect(Object(again.data).total).toBe(before);
    await gateway.stop("SIGINT");
    const own = { TOLLGATE_ROOT_USERNAME: "root", TOLLGATE_ROOT_PASSWORD: "seven brown otters" };
    gateway = await startGateway(home, { args: ["--demo"], env: own });
    const begun = await fetch(`${gateway.origin}/api/demo/tour`, { method: "POST" });
    expect(Object(await begun.json()).success).toBe(false);
  });
}

/** What is a visitor's own: calls of the demo, which also makes some while they are read, and the end of the tour. */
const ownCalls = new Set(["/api/demo/call", "/api/demo/calls", "/api/user/logout"]);

/** What begins a sign-in, for which who looks around counts as a visitor. */
const asVisitor = new Set(["POST /api/demo/tour", "POST /api/oauth/state"]);

/** GETs that change something, for the sake of other consoles. */
const changing = new Set([
  "/api/channel/test",
  "/api/channel/test/{id}",
  "/api/channel/update_balance",
  "/api/channel/update_balance/{id}",
  "/api/oauth/email/bind",
  "/api/oauth/telegram/bind",
  "/api/oauth/telegram/login",
  "/api/oauth/wechat",
  "/api/oauth/wechat/bind",
  "/api/reset_password",
  "/api/user/token",
  "/api/verification",
]);

/** What a change of anything would show in: users, keys, channels, options, the chain of notes. */
async function stateOf(visitor: Caller): Promise<unknown> {
  const read = async (path: string) => (await visitor("GET", path)).data;
  return {
    users: await read("/api/user/?p=0&page_size=100"),
    keys: await read("/api/token/new/?p=0&size=100"),
    channels: await read("/api/channel/?p=0&page_size=100"),
    options: await read("/api/option/"),
    notes: Object(await read("/api/audit/?p=1&page_size=1")).total,
  };
}
