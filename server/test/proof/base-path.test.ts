/**
 * The gateway below a path of a host, behind nginx as the guide for reverse proxies sets it up, with
 * another program on the same host.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { addToken } from "#test/console.ts";
import { rootUser } from "#test/gateway.ts";
import { freePort, guideBlock, ownFiles, runNginx } from "#test/nginx.ts";
import { type Installation, openInstallation } from "./installation.ts";

const port = freePort();
const host = `http://127.0.0.1:${port}`;
const model = { name: "m", script: { promptTokens: 3, events: 4 }, ratio: 1 };
let one: Installation;
let other: ReturnType<typeof Bun.serve>;
let nginx: Awaited<ReturnType<typeof runNginx>>;

beforeAll(async () => {
  one = await openInstallation("sqlite", {
    models: [model],
    env: { TOLLGATE_BASE_PATH: "/gw", TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" },
  });
  other = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(`other ${new URL(url).pathname}`),
  });
  const program = process.env["TOLLGATE_TEST_NGINX"] ?? Bun.which("nginx") ?? "";
  nginx = await runNginx(program, `${host}/`, configuration);
});
afterAll(async () => {
  await nginx.stop();
  await other.stop(true);
  await one.close();
});

/** The blocks of the guide, and beside them a path that is taken off before the gateway sees it. */
function configuration(folder: string): string {
  const { main, http } = ownFiles(folder);
  const { host: address } = new URL(one.origin);
  return `${main}
events {}
http {
  ${http}
  ${guideBlock("upstream tollgate").replace("127.0.0.1:3000", address)}
  ${guideBlock(String.raw`map \S+ \S+`)}
  server {
    listen 127.0.0.1:${port};
    ${guideBlock("location = /gw")}
    ${guideBlock("location /gw/")}
    location /taken/off/ {
      proxy_pass http://tollgate/;
      proxy_set_header X-Forwarded-Prefix /taken/off;
    }
    location / { proxy_pass http://127.0.0.1:${other.port}; }
  }
}`;
}

const overTls = { "x-forwarded-proto": "https" };

const login = async (address: string, headers: Record<string, string> = {}) =>
  await fetch(`${address}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(rootUser),
  });

const cookieOf = (answer: Response) => answer.headers.getSetCookie()[0] ?? "";

test("the start tells the address with the path, and each program of the host gets its own", async () => {
  expect(one.gateway().output()).toMatch(/Tollgate is at http:\/\/127\.0\.0\.1:\d+\/gw /);
  expect(await (await fetch(`${host}/login`)).text()).toBe("other /login");
  expect(await (await fetch(`${host}/gwx/login`)).text()).toBe("other /gwx/login");
  const led = await fetch(`${host}/gw`, { redirect: "manual" });
  expect(led.headers.get("location")).toBe(`${host}/gw/`);
});

test("every address in the page is below the path and answers, whoever takes the path off", async () => {
  for (const base of ["/gw", "/taken/off"]) {
    const page = await (await fetch(`${host}${base}/channel`)).text();
    expect(page).toContain(`<html data-base="${base}"`);
    const addresses = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, at = ""]) => at);
    const preloaded = [
      ...page.matchAll(/data-(?:chinese|console|english|messages)="([^"]*)"/g),
    ].flatMap(([, list = ""]) => list.split(" "));
    expect(addresses.length).toBeGreaterThan(5);
    expect(preloaded.length).toBeGreaterThan(3);
    for (const address of [...addresses, ...preloaded]) {
      expect(address).toStartWith(`${base}/`);
      const answer = await fetch(host + address);
      expect([address, answer.status]).toEqual([address, 200]);
      expect(await answer.text()).not.toStartWith("other ");
    }
  }
});

test("a session belongs to its path: over HTTPS by a __Secure- cookie, and to no other path", async () => {
  const plain = cookieOf(await login(`${host}/gw`));
  expect(plain).toMatch(/^sid-gw=\w+; Max-Age=\d+; Path=\/gw; HttpOnly; SameSite=Lax$/);
  const secure = cookieOf(await login(one.origin, overTls));
  expect(secure).toMatch(/^__Secure-sid-gw=\w+; .*Path=\/gw; HttpOnly; SameSite=Lax; Secure$/);
  expect(cookieOf(await login(`${host}/taken/off`))).toMatch(
    /^sid-taken-off=.*; Path=\/taken\/off;/,
  );

  const read = async (address: string, cookie: string, headers = {}) =>
    (
      await fetch(`${address}/api/user/self`, {
        headers: { cookie, "new-api-user": "1", ...headers },
      })
    ).status;
  const pairOf = (cookie: string) => cookie.split(";")[0] ?? "";
  expect(await read(`${host}/gw`, pairOf(plain))).toBe(200);
  expect(await read(one.origin, pairOf(secure), overTls)).toBe(200);
  // A cookie of this word that another program has set for the whole host is not in the way.
  expect(await read(`${host}/gw`, `sid=other; ${pairOf(plain)}`)).toBe(200);
  expect(await read(`${host}/gw`, pairOf(plain).replace("sid-gw", "sid"))).toBe(401);
  expect(await read(`${host}/taken/off`, pairOf(plain))).toBe(401);
});

test("what a browser says about the path counts for nothing", async () => {
  // The guide's nginx takes the header away, as it must.
  const said = { "x-forwarded-prefix": "/evil" };
  expect(cookieOf(await login(`${host}/gw`, said))).toContain("Path=/gw;");
  const page = await fetch(`${host}/gw/login`, { headers: said });
  expect(await page.text()).not.toContain("/evil");
  // An address in the header would lead scripts and sign-ins to another host.
  const forged = await fetch(`${one.origin}/login`, {
    headers: { "x-forwarded-prefix": "//evil.example" },
  });
  expect(await forged.text()).toContain('data-base="/gw"');
});

test("calls, streams and their log work below the path, in the words of the API too", async () => {
  const { key } = await addToken(one.root, {});
  const call = async (body: object) =>
    await fetch(`${host}/gw/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...body }),
    });
  expect((await call({})).status).toBe(200);
  expect(await (await call({ stream: true })).text()).toEndWith("data: [DONE]\n\n");
  const rows = await one.root.call<{ items: unknown[] }>("GET", "/api/log/?type=2&p=1&page_size=5");
  expect(rows.items).toHaveLength(2);
  const wrong = await fetch(`${host}/gw/chat/completions`, { method: "POST", body: "{}" });
  expect([wrong.status, await wrong.text()]).toEqual([
    404,
    expect.stringContaining("Invalid URL (POST /chat/completions)"),
  ]);
});

test("addresses that leave the gateway contain the path, also where root has named the host alone", async () => {
  const told = async () =>
    (await one.root.call<{ server_address: string }>("GET", "/api/status")).server_address;
  const save = async (value: string) =>
    await one.root.call("PUT", "/api/option/", { key: "ServerAddress", value });
  await save("https://gateway.example");
  expect(await told()).toBe("https://gateway.example/gw");
  await save("https://gateway.example/gw/");
  expect(await told()).toBe("https://gateway.example/gw");
  await save("https://gateway.example/elsewhere");
  expect(await told()).toBe("https://gateway.example/elsewhere");
  await save("");
  expect(await told()).toBe("");
});
