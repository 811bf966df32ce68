import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { OptionName } from "@tollgate/contract/options/options.ts";
import { openTestConsole, type TestConsole, testPassword } from "./open-console.ts";

/** The requests that the stand-in for Cloudflare received. */
const asked: URLSearchParams[] = [];
const good = new Set<string>();
const secret = "the secret key";
const cloudflare = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const form = new URLSearchParams(await request.text());
    asked.push(form);
    if (form.get("secret") !== secret) {
      return Response.json({ success: false, "error-codes": ["invalid-input-secret"] });
    }
    const success = good.delete(form.get("response") ?? "");
    return Response.json({
      success,
      ...(success ? {} : { "error-codes": ["invalid-input-response"] }),
    });
  },
});

let gateway: TestConsole;
beforeAll(async () => {
  gateway = await openTestConsole("sqlite");
  await gateway.user("alice");
  gateway.providers.turnstile = cloudflare.url.href;
  gateway.setOptions({
    TurnstileCheckEnabled: "true",
    TurnstileSiteKey: "site",
    TurnstileSecretKey: secret,
    SMTPServer: "mail.example.org",
    EmailVerificationEnabled: "true",
  });
});
afterAll(async () => {
  await cloudflare.stop(true);
  await gateway.close();
});

const missing = { success: false, message: "Turnstile token 为空" };
const failed = { success: false, message: "Turnstile 校验失败，请刷新重试！" };
const login = async (turnstile: string, clientIp = "203.0.113.9") =>
  await gateway.call("POST", `/api/user/login?turnstile=${turnstile}`, {
    body: { username: "alice", password: testPassword },
    clientIp,
  });

test("A-185, A-387: each of the four calls needs a token that Cloudflare accepts", async () => {
  const account = { username: "newcomer", password: testPassword };
  const calls = async (turnstile: string) => [
    await login(turnstile),
    await gateway.visitor.get(`/api/verification?email=a@example.com&turnstile=${turnstile}`),
    await gateway.visitor.get(`/api/reset_password?email=a@example.com&turnstile=${turnstile}`),
    await gateway.visitor.post(`/api/user/register?turnstile=${turnstile}`, account),
  ];
  for (const { status, body } of await calls("")) expect([status, body]).toEqual([200, missing]);
  expect(asked).toEqual([]);
  for (const { status, body } of await calls("bad")) expect([status, body]).toEqual([200, failed]);
  expect(asked).toHaveLength(4);
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    secret,
    response: "bad",
    remoteip: "203.0.113.9",
  });
});

test("a token that passed serves the page's next calls, from the same client IP only", async () => {
  asked.length = 0;
  good.add("passes");
  const path = "/api/verification?email=b@example.com&turnstile=passes";
  expect((await gateway.visitor.get(path)).body.success).toBe(true);
  const digits = /\b\d{6}\b/.exec(gateway.mails.at(-1)?.text ?? "")?.[0];
  const account = { username: "newcomer", password: testPassword, turnstile: "passes" };
  const proof = { email: "b@example.com", verification_code: digits };
  const made = await gateway.visitor.post("/api/user/register", { ...account, ...proof });
  expect(made.body).toMatchObject({ success: true, message: "" });
  expect(asked).toHaveLength(1);
  expect((await login("passes", "198.51.100.1")).body).toEqual(failed);

  // Its time is the database's.
  await gateway.db.updateTable("bot_passes").set({ expires_at: 1 }).execute();
  expect((await login("passes")).body).toEqual(failed);
});

test("one token serves a limited number of calls", async () => {
  good.add("once");
  let done = 0;
  while ((await login("once")).body.success === true) done += 1;
  expect(done).toBe(11);
});

test("while Cloudflare cannot be reached, the check refuses everybody", async () => {
  gateway.providers.turnstile = "http://127.0.0.1:1/";
  const alone = await openTestConsole("sqlite");
  alone.providers.turnstile = "http://127.0.0.1:1/";
  alone.setOptions({ TurnstileCheckEnabled: "true", TurnstileSecretKey: "x" });
  const body = { username: "root", password: testPassword };
  const answer = await alone.call("POST", "/api/user/login?turnstile=any", { body });
  expect(answer.body).toEqual(failed);
  await alone.close();
});

test("signed-in users need no token, because they passed the check at sign-in", async () => {
  gateway.providers.turnstile = cloudflare.url.href;
  gateway.setOptions({ SMTPServer: "mail.example.org" });
  const bob = await gateway.user("bob");
  gateway.setOptions({
    TurnstileCheckEnabled: "true",
    TurnstileSecretKey: secret,
    SMTPServer: "mail.example.org",
  });
  asked.length = 0;
  const sent = await bob.get("/api/verification?email=bob@example.com");
  expect(sent.body).toMatchObject({ success: true });
  expect(asked).toEqual([]);
});

describe("a bot check that would lock everybody out", () => {
  const probe = async (key: OptionName, value: unknown, turnstileToken = "") => {
    asked.length = 0;
    return await gateway.modules.signIn.face.probeOption({ key, value, turnstileToken }).then(
      () => "taken",
      (error: Error) => error.message,
    );
  };
  /** Makes a token as Cloudflare's widget would issue it, usable once. */
  const pass = (): string => {
    good.add("passed");
    return "passed";
  };
  const off = { TurnstileSiteKey: "site", TurnstileSecretKey: secret };
  const on = { ...off, TurnstileCheckEnabled: "true" };
  beforeEach(() => {
    good.clear();
    gateway.providers.turnstile = cloudflare.url.href;
  });

  test("A-419: a program switches it on by the option alone, once both keys are right", async () => {
    const save = { key: "TurnstileCheckEnabled", value: "true" };
    gateway.setOptions({});
    const root = await gateway.root();
    expect((await root.put("/api/option/", save)).body.success).toBe(false);
    gateway.setOptions({ ...off, TurnstileSecretKey: "mistyped" });
    expect((await root.put("/api/option/", save)).body.message).toContain("Secret Key 不正确");
    gateway.setOptions(off);
    expect((await root.put("/api/option/", save)).body).toEqual({ success: true, message: "" });
    expect(asked.at(-1)?.get("secret")).toBe(secret);
  });

  test("is switched on by the console with a token of its own widget, so a wrong site key locks nobody out", async () => {
    gateway.setOptions(off);
    expect(await probe("TurnstileCheckEnabled", true, "of another site")).toContain("未通过");
    expect(await probe("TurnstileCheckEnabled", true, pass())).toBe("taken");
    expect(await probe("TurnstileCheckEnabled", true, "passed")).toContain("未通过");
  });

  test("is not switched on with a wrong secret, or while Cloudflare cannot be reached", async () => {
    gateway.setOptions({ ...off, TurnstileSecretKey: "mistyped" });
    expect(await probe("TurnstileCheckEnabled", true, pass())).toContain("Secret Key 不正确");
    gateway.providers.turnstile = "http://127.0.0.1:1/";
    expect(await probe("TurnstileCheckEnabled", true, pass())).toContain("无法连接 Turnstile");
  });

  test("accepts other keys freely while it is off, and only with a passed check while it is on", async () => {
    gateway.setOptions(off);
    expect(await probe("TurnstileSiteKey", "mistyped")).toBe("taken");
    expect(await probe("TurnstileSecretKey", "mistyped")).toBe("taken");
    gateway.setOptions(on);
    expect(await probe("TurnstileSiteKey", "mistyped")).toContain("需要先通过一次验证");
    expect(await probe("TurnstileSiteKey", "mistyped", "none")).toContain("未通过");
    expect(await probe("TurnstileSiteKey", "other", pass())).toBe("taken");
    expect(await probe("TurnstileSecretKey", secret)).toContain("需要先通过一次验证");
    expect(await probe("TurnstileSecretKey", "mistyped", pass())).toContain("Secret Key 不正确");
    expect(await probe("TurnstileSecretKey", secret, pass())).toBe("taken");
  });

  test("asks for nothing when a save changes nothing, and can always be switched off", async () => {
    gateway.setOptions(on);
    const calls = [
      await probe("TurnstileCheckEnabled", true),
      await probe("TurnstileCheckEnabled", false),
      await probe("TurnstileSiteKey", "site"),
      await probe("TurnstileSecretKey", ""),
      await probe("GitHubOAuthEnabled", true),
    ];
    expect(calls).toEqual(["taken", "taken", "taken", "taken", "taken"]);
    expect(asked).toEqual([]);
  });
});
