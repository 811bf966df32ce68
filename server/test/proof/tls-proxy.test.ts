/**
 * Tests the gateway behind a TLS proxy on the same machine: it listens on loopback and gets plain
 * HTTP.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Gateway, type Home, makeStartedHome, rootUser, startGateway } from "#test/gateway.ts";
import { eventually } from "./ledger.ts";
import { signIn } from "#test/console.ts";

let home: Home;
let gateway: Gateway;
beforeAll(async () => {
  home = await makeStartedHome("sqlite");
  gateway = await startGateway(home, { env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" } });
});
afterAll(async () => {
  await gateway.kill();
  await home.remove();
});

const overTls = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" };

async function login(headers: Record<string, string>): Promise<Response> {
  return await fetch(`${gateway.origin}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(rootUser),
  });
}

async function readSelf(headers: Record<string, string>): Promise<number> {
  const answer = await fetch(`${gateway.origin}/api/user/self`, {
    headers: { "new-api-user": "1", ...headers },
  });
  return answer.status;
}

test("a sign-in through a trusted TLS proxy is bound to HTTPS", async () => {
  const entered = await login(overTls);
  const cookie = entered.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^__Host-sid=\w+;.*; Secure$/);
  expect(entered.headers.get("strict-transport-security")).toContain("max-age=");
  const [pair = ""] = cookie.split(";");
  expect(await readSelf({ ...overTls, cookie: pair })).toBe(200);
  // A cookie without the prefix `__Host-` may have been set by another host, so it is not accepted.
  expect(await readSelf({ ...overTls, cookie: pair.replace("__Host-", "") })).toBe(401);
  const page = await fetch(`${gateway.origin}/login`, { headers: overTls });
  expect(page.headers.get("strict-transport-security")).toContain("max-age=");
});

test("without the proxy the same gateway serves this machine over plain HTTP", async () => {
  const entered = await login({});
  expect(entered.headers.get("set-cookie")).toMatch(/^sid=\w+;.*SameSite=Lax$/);
  expect(entered.headers.get("strict-transport-security")).toBeNull();
});

test("the status says whether the browser's cookies are bound to HTTPS", async () => {
  const read = async (headers: Record<string, string>) => {
    const answer = await fetch(`${gateway.origin}/api/status`, { headers });
    // Safe cast: the contract of this call.
    return ((await answer.json()) as { data: { secure_cookies: boolean } }).data.secure_cookies;
  };
  expect([await read(overTls), await read({})]).toEqual([true, false]);
});

test("metrics are for this machine, not for those whom its proxy passes on", async () => {
  const statusWith = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.origin}/metrics`, { headers })).status;

  expect(await statusWith({})).toBe(200);
  const forwarded: Record<string, string>[] = [
    overTls,
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-proto": "http" },
    { forwarded: "for=127.0.0.1" },
    { "x-real-ip": "127.0.0.1" },
    { via: "1.1 proxy" },
  ];
  for (const headers of forwarded) {
    expect(await statusWith(headers), JSON.stringify(headers)).toBe(404);
  }
});

test("a start behind a TLS proxy that is not trusted is reported", async () => {
  expect(gateway.output()).not.toContain("WARNING");
  const other = await makeStartedHome("sqlite");
  const first = await startGateway(other);
  const root = await signIn(first.origin);
  await root.call("PUT", "/api/option/", { key: "ServerAddress", value: "https://gate.example" });
  await fetch(`${first.origin}/api/status`, { headers: overTls });
  const told = first.output();
  await first.kill();
  const second = await startGateway(other);
  try {
    const isTold = (text: string) =>
      text.includes("WARNING: ServerAddress is https://gate.example");
    await eventually(async () => second.output(), isTold, { what: "the warning" });
    expect(told).toContain("a TLS proxy that TOLLGATE_TRUSTED_PROXIES does not name");
  } finally {
    await second.kill();
    await other.remove();
  }
});
