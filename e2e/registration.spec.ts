import { execFileSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import type { Page } from "@playwright/test";
import { type MailBox, openMailBox, playProvider } from "./outside.ts";
import {
  expect,
  expectAccessible,
  expectFitForAll,
  signInByForm,
  type Site,
  test,
  watchFaults,
} from "./support.ts";

test.use({ as: null, permissions: ["clipboard-read", "clipboard-write"] });

/** Sets options for one journey, and restores their previous values afterwards. */
async function withOptions(
  { api }: Site,
  values: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const save = async (key: string, value: string) =>
    await api.root.call("PUT", "/api/option/", { key, value });
  const listed = (await api.root.call("GET", "/api/option/")) as { key: string; value: string }[];
  const before = new Map(listed.map(({ key, value }) => [key, value]));
  for (const [key, value] of Object.entries(values)) await save(key, value);
  try {
    await run();
  } finally {
    // The values are restored in reverse order, because the server refuses to remove values that a
    // switch needs while it is on. Secrets are not restored.
    for (const key of Object.keys(values).toReversed()) {
      const value = before.get(key);
      if (value !== undefined) await save(key, value);
    }
  }
}

const mail = "newcomer@example.com";
const password = "seven brown otters";

test("A-005 A-007 A-103 A-114 A-391 A-392: an invited user registers by an e-mailed code and makes a first call; a password is reset", async ({
  page,
  site,
}) => {
  const box = await openMailBox();
  const options = {
    ServerAddress: site.origin,
    SMTPServer: "127.0.0.1",
    SMTPPort: String(box.port),
    SMTPAccount: "gate@example.com",
    QuotaForNewUser: "1000000",
    QuotaForInviter: "5",
    EmailVerificationEnabled: "true",
  };
  try {
    await withOptions(site, options, async () => {
      await register(page, site, box);
      await makeFirstCall(page);
      const inviter = await site.api.user.call("GET", "/api/user/self");
      expect(inviter).toMatchObject({ aff_count: 1, aff_quota: 5 });
      await resetPassword(page, box);
    });
  } finally {
    await box.stop();
  }
});

async function register(page: Page, site: Site, box: MailBox): Promise<void> {
  const invitation = String(await site.api.user.call("GET", "/api/user/aff"));
  await page.goto(`/register?aff=${invitation}`);
  await page.getByLabel("用户名", { exact: false }).fill("newcomer");
  const secrets = page.locator("input[autocomplete=new-password]");
  await secrets.first().fill(password);
  await secrets.last().fill(password);
  await page.locator("input[type=email]").fill(mail);
  await page.getByRole("button", { name: "获取验证码" }).click();
  await expect(page.getByRole("button", { name: /^重试/ })).toBeDisabled();
  await expect.poll(() => /\b\d{6}\b/.exec(box.newest(mail))?.[0]).toBeTruthy();
  const code = /\b\d{6}\b/.exec(box.newest(mail))?.[0] ?? "";
  await page.locator("input[autocomplete=one-time-code]").fill(code);
  await page.getByRole("button", { name: "注册", exact: true }).click();
  // The new user is signed in, and has made no call yet.
  await expect(page).toHaveURL(/\/start$/);
}

async function makeFirstCall(page: Page): Promise<void> {
  await page.getByRole("button", { name: "创建我的第一个令牌" }).click();
  await page.getByRole("button", { name: "复制示例" }).click();
  const command = await page.evaluate(async () => await navigator.clipboard.readText());
  // Runs the command as if it were pasted into a terminal.
  const output = execFileSync("bash", ["-c", command.replace(/^curl/, "curl -sS")], {
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toMatchObject({ choices: [{}] });
  // The page finds the call by itself.
  await expect(page.getByText("令牌可以使用了")).toBeVisible();
}

async function resetPassword(page: Page, box: MailBox): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate(() => localStorage.removeItem("user"));
  await page.goto("/reset");
  await page.locator("input[type=email]").fill(mail);
  // The request is repeated until the server sends the e-mail: an address gets at most one in half
  // a minute, and the one with the code was sent just now.
  await expect(async () => {
    await page.getByRole("button", { name: "发送重置邮件" }).click();
    await expect(page.getByText(/重置邮件已发送/)).toBeVisible({ timeout: 2_000 });
  }).toPass({ intervals: [5_000], timeout: 90_000 });
  const linkOf = () => /http:\S+\/user\/reset\?\S+/.exec(box.newest(mail))?.[0];
  await expect.poll(linkOf).toBeTruthy();
  await page.goto(linkOf() ?? "");
  await page.getByRole("button", { name: "确认重置密码" }).click();
  await expect(page.getByText("新密码已复制到剪贴板，只显示这一次")).toBeVisible();
  const made = await page.evaluate(async () => await navigator.clipboard.readText());
  await expect(page.getByText(made, { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "登录", exact: true }).last().click();
  await signInByForm(page, { username: mail, password: made });
  // Somebody else has set this password, so it must be changed before anything else.
  await expect(page.getByRole("heading", { level: 1, name: "请设置新密码" })).toBeVisible();
  const secrets = page.locator("input[autocomplete=new-password]");
  await secrets.first().fill(`${password} again`);
  await secrets.last().fill(`${password} again`);
  await page.locator("form button[type=submit]").click();
  await expect(page.getByRole("heading", { level: 1, name: "令牌" })).toBeVisible();
}

test("A-048 A-121 A-123 A-126 A-394: a provider refuses, is tried again, and leaves no window of its own", async ({
  page,
  context,
  site,
}) => {
  const provider = await playProvider({ sub: "s-1", name: "Some One", preferred_username: "sam" });
  const options = {
    ServerAddress: site.origin,
    "oidc.client_id": "gate",
    "oidc.client_secret": "a secret",
    "oidc.authorization_endpoint": `${provider.origin}/authorize`,
    "oidc.token_endpoint": `${provider.origin}/token`,
    "oidc.user_info_endpoint": `${provider.origin}/user`,
    "oidc.enabled": "true",
  };
  try {
    await withOptions(site, options, async () => {
      provider.refuseNext();
      await page.goto("/login");
      const opening = context.waitForEvent("page");
      await page.getByRole("button", { name: "OIDC" }).click();
      const other = await opening;
      await expect(other.getByText("Somebody said no")).toBeVisible();
      await expect(other).toHaveURL(/\/login$/);
      const again = context.waitForEvent("page");
      await other.getByRole("button", { name: "用 OIDC 重试" }).click();
      // The provider's window hands the session over and closes; the pages that waited for it
      // continue.
      await expect.poll(async () => (await again).isClosed()).toBe(true);
      await expect(page).toHaveURL(/\/token$/);
      await expect(other).toHaveURL(/\/token$/);
    });
  } finally {
    await provider.stop();
  }
});

const botToken = "123:a bot's token";

/**
 * A stand-in for Telegram's script: draws a frame, and opens the sign-in address once the user has
 * agreed in it.
 */
const widget = `
  const { authUrl, telegramLogin } = document.currentScript.dataset;
  const frame = document.createElement("iframe");
  frame.src = "https://oauth.telegram.org/embed/" + telegramLogin;
  frame.title = "Telegram";
  document.currentScript.before(frame);
  addEventListener("message", ({ data }) => { location.href = authUrl + "&" + data; });
`;

test("P-C3 A-086 A-399: the page's policy allows Telegram's widget while it is on, and the widget signs in", async ({
  page,
  site,
}) => {
  const { user } = site.api.user;
  await page.route("https://telegram.org/**", async (route) => {
    await route.fulfill({ contentType: "text/javascript", body: widget });
  });
  await page.route("https://oauth.telegram.org/**", async (route) => {
    const body = `<button onclick="parent.postMessage('${signed(42)}', '*')">Log in</button>`;
    await route.fulfill({ contentType: "text/html", body });
  });
  const faults = watchFaults(page);
  const options = {
    TelegramBotName: "gate_bot",
    TelegramBotToken: botToken,
    TelegramOAuthEnabled: "true",
  };
  await withOptions(site, options, async () => {
    const fields = Object.fromEntries(new URLSearchParams(signed(42, 1)));
    const { password } = site.accounts.user;
    await site.api.user.call("POST", "/api/oauth/telegram/bind", { ...fields, password });
    await page.goto("/login");
    await expect(page.getByTitle("Telegram")).toBeVisible();
    await expectAccessible(page);
    await page.frameLocator("iframe[title=Telegram]").getByRole("button").click();
    await expect(page).toHaveURL(/\/token$/);
    const kept = await page.evaluate(() => localStorage.getItem("user"));
    expect(JSON.parse(kept ?? "{}")).toMatchObject({ id: user.id });
  });
  expect(faults).toEqual([]);
  const policy = (await page.goto("/login"))?.headers()["content-security-policy"] ?? "";
  expect(policy).not.toContain("telegram");
});

test("A-085 A-440 @every: a visitor reads what to do in the window of WeChat", async ({
  page,
  site,
}) => {
  const options = {
    WeChatServerAddress: "https://wechat.example.com",
    WeChatServerToken: "a token",
    WeChatAuthEnabled: "true",
  };
  await withOptions(site, options, async () => {
    await page.goto("/login");
    await page.getByRole("button", { name: /微信|WeChat/ }).click();
    await expect(
      page.getByRole("dialog", { name: /微信扫码登录|Sign in with WeChat/ }),
    ).toBeVisible();
    await expectFitForAll(page);
  });
});

/** Makes the signed query that Telegram would have sent about a user `age` seconds ago. */
function signed(id: number, age = 0): string {
  const fields = { auth_date: String(Math.floor(Date.now() / 1_000) - age), id: String(id) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHash("sha256").update(botToken).digest();
  const hash = createHmac("sha256", key).update(lines.join("\n")).digest("hex");
  return new URLSearchParams({ ...fields, hash }).toString();
}
