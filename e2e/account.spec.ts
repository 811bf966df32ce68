import type { Locator, Page } from "@playwright/test";
import { type MailBox, openMailBox, type PlayedProvider, playProvider } from "./outside.ts";
import { type Account, type Api, rootAccount, signIn } from "./product.ts";
import { expect, signInByForm, type Site, storageOf, test, watchFaults } from "./support.ts";

test.use({ as: null, permissions: ["clipboard-read", "clipboard-write"] });

type Self = { readonly quota: number; readonly aff_quota: number; readonly email: string };

const part = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });

/** Finds the open dialog by its header. A toast has the same ARIA role, but no header. */
const dialogOf = (page: Page): Locator => page.locator("[role$=dialog]:has(header)");

/**
 * Registers an account with a password that its user chose: the console asks to change a password
 * that an admin has set before it shows anything else.
 */
async function register(site: Site, username: string, aff_code = ""): Promise<Account> {
  const account = { username, password: `password of ${username}` };
  const answer = await fetch(`${site.origin}/api/user/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...account, password2: account.password, aff_code }),
  });
  const { data, success } = (await answer.json()) as { data: { id: number }; success: boolean };
  expect(success).toBe(true);
  // Registering signs the new user in. That session is ended, so that a journey has only its own.
  const cookie = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
  const headers = { cookie: cookie.join("; "), "new-api-user": String(data.id) };
  await fetch(`${site.origin}/api/user/logout`, { headers });
  return account;
}

/** Opens a page of the site as a signed-in user. */
async function openAs(page: Page, site: Site, api: Api, path: string): Promise<void> {
  const { cookies, origins } = storageOf(site, api);
  await page.context().addCookies(cookies);
  const stored = JSON.stringify(origins[0]?.localStorage ?? []);
  await page.addInitScript((entries: string) => {
    if (sessionStorage.getItem("signed-in-once") !== null) return;
    sessionStorage.setItem("signed-in-once", "");
    for (const { name, value } of JSON.parse(entries) as { name: string; value: string }[]) {
      localStorage.setItem(name, value);
    }
  }, stored);
  await page.goto(path);
}

async function setOptions(site: Site, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    await site.api.root.call("PUT", "/api/option/", { key, value });
  }
}

test("A-018 A-035 A-036 A-122 A-124 A-129 A-132 A-133 A-395: a name, an e-mail address by its code, notices that reach it, an OAuth identity bound and unbound", async ({
  page,
  site,
}) => {
  const box = await openMailBox();
  const provider = await playProvider({ sub: "s-7", name: "Some One", email: "" });
  await setOptions(site, {
    ServerAddress: site.origin,
    SMTPServer: "127.0.0.1",
    SMTPPort: String(box.port),
    SMTPAccount: "gate@example.com",
    "oidc.client_id": "gate",
    "oidc.client_secret": "a secret",
    "oidc.authorization_endpoint": `${provider.origin}/authorize`,
    "oidc.token_endpoint": `${provider.origin}/token`,
    "oidc.user_info_endpoint": `${provider.origin}/user`,
    "oidc.enabled": "true",
  });
  try {
    const faults = watchFaults(page);
    const api = await signIn(site.origin, await register(site, "binder"));
    await openAs(page, site, api, "/setting");
    await rename(page, api);
    await bindMailbox(page, box, api);
    await chooseNotices(page, box, api);
    await bindIdentity(page, provider);
    expect(faults).toEqual([]);
  } finally {
    await setOptions(site, { "oidc.enabled": "false", SMTPServer: "", ServerAddress: "" });
    await Promise.all([box.stop(), provider.stop()]);
  }
});

async function rename(page: Page, api: Api): Promise<void> {
  const account = part(page, "账户");
  await account.getByLabel("显示名称").fill("阿宾");
  await account.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("账户信息已更新").first()).toBeVisible();
  // Saving the display name also changes it in the top bar.
  await expect(page.getByRole("button", { name: /阿宾/ })).toBeVisible();
  expect(await api.call("GET", "/api/user/self")).toMatchObject({ display_name: "阿宾" });
}

async function bindMailbox(page: Page, box: MailBox, api: Api): Promise<void> {
  const address = "binder@example.com";
  const codeOf = () => /\b\d{6}\b/.exec(box.newest(address))?.[0];
  await part(page, "账户绑定").getByRole("button", { name: "绑定 邮箱" }).click();
  await expect(page).toHaveURL(/open=mail/);
  const dialog = dialogOf(page);
  await dialog.getByLabel("邮箱地址").fill(address);
  await dialog.getByRole("button", { name: "获取验证码" }).click();
  await expect.poll(codeOf).toBeTruthy();
  // After a reload the dialog is still open, and the wait until the next code can be requested goes
  // on.
  await page.reload();
  await expect(dialog.getByRole("button", { name: /秒后重发$/ })).toBeDisabled();
  await dialog.getByLabel("邮箱地址").fill(address);
  await dialog.getByLabel("验证码").fill(codeOf() ?? "");
  await page.keyboard.press("Enter");
  await expect(part(page, "账户绑定").getByText(address)).toBeVisible();
  expect(await api.call("GET", "/api/user/self")).toMatchObject({ email: address });
}

async function chooseNotices(page: Page, box: MailBox, api: Api): Promise<void> {
  const notices = part(page, "通知");
  const testing = notices.getByRole("button", { name: "发送测试通知" });
  await notices.getByLabel("系统公告").check();
  await notices.getByLabel("提醒阈值", { exact: true }).fill("1");
  await expect(testing).toBeDisabled();
  await notices.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("设置已更新").first()).toBeVisible();
  const { setting } = (await api.call("GET", "/api/user/self")) as { setting: string };
  expect(JSON.parse(setting)).toMatchObject({ events: ["quota_low", "announcement"] });

  await testing.click();
  await expect(page.getByText("测试通知已发送，请查看是否收到").first()).toBeVisible();
  expect(box.newest("binder@example.com")).toContain("收到这条消息");
  await notices.getByRole("combobox", { name: "通知方式" }).click();
  await page.getByRole("option", { name: "企业微信群机器人" }).click();
  await notices.getByRole("button", { name: "保存" }).click();
  await expect(notices.getByText("请填写机器人密钥")).toBeVisible();
}

async function bindIdentity(page: Page, provider: PlayedProvider): Promise<void> {
  const bindings = part(page, "账户绑定");
  const row = bindings.getByRole("listitem").filter({ hasText: "OIDC" });
  provider.refuseNext();
  const go = async () => {
    await row.getByRole("button", { name: "绑定 OIDC" }).click();
    await dialogOf(page).getByLabel("当前密码").fill("password of binder");
    await dialogOf(page).getByRole("button", { name: "继续" }).click();
  };
  const [refused] = await Promise.all([page.context().waitForEvent("page"), go()]);
  await expect(refused).toHaveURL(/\/setting/);
  await expect(refused.getByText("Somebody said no").first()).toBeVisible();
  await refused.close();
  const [other] = await Promise.all([page.context().waitForEvent("page"), go()]);
  // The provider's window has bound the identity and closes itself, and this page shows the
  // identity.
  await expect.poll(() => other.isClosed()).toBe(true);

  await page.bringToFront();
  await page.reload();
  await row.getByRole("button", { name: "解绑 OIDC" }).click();
  await dialogOf(page).getByRole("button", { name: "解绑", exact: true }).click();
  await expect(row).toContainText("未绑定");
  // Unbinding ends every session and gives this browser a new one, so the page works after a
  // reload.
  await page.reload();
  await expect(row).toContainText("未绑定");
}

test("A-019 A-020 A-130 A-142 A-145 A-146 A-264: password, sessions, earnings, and the end of an account", async ({
  page,
  site,
}) => {
  await setOptions(site, { QuotaForInviter: "1250000" });
  try {
    const account = await register(site, "leaver");
    const here = await signIn(site.origin, account);
    const there = await signIn(site.origin, account);
    await register(site, "invited", String(await here.call("GET", "/api/user/aff")));
    await openAs(page, site, here, "/setting");
    await endOneSession(page, there);
    await changePassword(page, site, account);
    await makeAccessToken(page, site, here.user.id);
    await transferEarnings(page, site, { ...account, password: newPassword });
    await deleteAccount(page, site, { ...account, password: newPassword });
  } finally {
    await setOptions(site, { QuotaForInviter: "0" });
  }
});

const newPassword = "another long password";

async function endOneSession(page: Page, there: Api): Promise<void> {
  const rows = part(page, "登录设备").getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("当前");
  await rows.last().getByRole("button").click();
  await expect(rows).toHaveCount(1);
  await expectOut(there);
}

/**
 * Waits until the server refuses the session. The session's row disappears from the list before
 * that.
 */
async function expectOut(there: Api): Promise<void> {
  const look = async () =>
    await there.call("GET", "/api/user/self").then(
      () => "in",
      () => "out",
    );
  await expect.poll(look).toBe("out");
}

async function changePassword(page: Page, site: Site, account: Account): Promise<void> {
  const other = await signIn(site.origin, account);
  const form = part(page, "修改密码");
  await form.getByLabel("当前密码").fill("not this one");
  await form.getByLabel("新密码", { exact: false }).first().fill(newPassword);
  await form.getByLabel("再次输入新密码").fill(newPassword);
  await page.keyboard.press("Enter");
  await expect(form.getByText("当前密码不正确")).toBeVisible();
  await form.getByLabel("当前密码").fill(account.password);
  await page.keyboard.press("Enter");
  await expect(page.getByText("密码已修改").first()).toBeVisible();
  await expect(other.call("GET", "/api/user/self")).rejects.toThrow();
  await expect(signIn(site.origin, account)).rejects.toThrow();
}

async function makeAccessToken(page: Page, site: Site, userId: number): Promise<void> {
  await part(page, "系统访问令牌").getByRole("button", { name: "生成令牌" }).click();
  await dialogOf(page).getByRole("button", { name: "生成令牌" }).click();
  const shown = part(page, "系统访问令牌").locator("code").first();
  await expect(shown).toBeVisible();
  const token = await shown.innerText();
  const copied = () => page.evaluate(async () => await navigator.clipboard.readText());
  await expect.poll(copied).toBe(token);
  const answer = await fetch(`${site.origin}/api/user/self`, {
    headers: { authorization: token, "new-api-user": String(userId) },
  });
  expect(await answer.json()).toMatchObject({ success: true, data: { id: userId } });
}

async function transferEarnings(page: Page, site: Site, account: Account): Promise<void> {
  const api = await signIn(site.origin, account);
  // Safe cast: the contract of `readSelf`.
  const before = (await api.call("GET", "/api/user/self")) as Self;
  expect(before.aff_quota).toBe(1_250_000);
  await part(page, "邀请").getByRole("button", { name: "划转到余额" }).click();
  const dialog = dialogOf(page);
  const amount = dialog.getByLabel("划转金额");
  await amount.fill("0.999998");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("划转金额最低为$1.00")).toBeVisible();
  await amount.fill("1");
  await page.keyboard.press("Enter");
  await expect(part(page, "邀请").getByText("$1.50", { exact: true })).toBeVisible();
  await expect(part(page, "余额变动").getByText("收益划转")).toBeVisible();
  expect(await api.call("GET", "/api/user/self")).toMatchObject({
    quota: before.quota + 500_000,
    aff_quota: 750_000,
  });
}

async function deleteAccount(page: Page, site: Site, account: Account): Promise<void> {
  await part(page, "删除账户").getByRole("button", { name: "删除账户" }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("textbox").fill("leave");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("请输入你的账户名以确认删除！")).toBeVisible();
  await dialog.getByRole("textbox").fill(account.username);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/login\?deleted=true$/);
  await expect(page.getByText("账户已删除")).toBeVisible();
  await signInByForm(page, account);
  await expect(page.locator("form [role=alert]")).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
  const root = await signIn(site.origin, rootAccount);
  const found = await root.call("GET", `/api/user/search?keyword=${account.username}`);
  // Safe cast: the contract of `searchUsers`. The search still lists deleted users.
  expect((found as { items: { DeletedAt: string | null }[] }).items[0]?.DeletedAt).not.toBeNull();
}
