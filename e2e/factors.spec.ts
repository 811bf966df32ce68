import type { CDPSession, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { addUser, expect, expectAccessible, signInByForm, test, watchFaults } from "./support.ts";

test.use({ as: null });

/**
 * Plays an authenticator app, which never gives a code twice, because the server accepts each code
 * only once.
 */
function openApp(secret: string) {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const stepMs = 30_000;
  let last = 0;
  return (): string => {
    // A second code within the same time step is computed for the step after it. The server accepts
    // a code that is one step early, so no test waits for the clock.
    last = Math.max(Math.floor(Date.now() / stepMs), last + 1);
    return totp.generate({ timestamp: last * stepMs });
  };
}

/**
 * Adds a virtual authenticator to the browser. It keeps passkeys and confirms every request
 * immediately.
 */
async function addDevice(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return devtools;
}

const dialogOf = (page: Page, title: string) => page.getByRole("dialog", { name: title });

test("promises 6.5: a second factor is set up, and asked for at sign-in and before dangerous actions", async ({
  page,
  site,
}) => {
  const faults = watchFaults(page);
  // A passkey needs a host name, not an IP address, so this journey uses `localhost`.
  const origin = site.origin.replace("127.0.0.1", "localhost");
  const setAddress = async (value: string) =>
    await site.api.root.call("PUT", "/api/option/", { key: "ServerAddress", value });
  await setAddress(origin);
  try {
    const account = await addUser(site.api.root, `fa${Date.now().toString(36).slice(-8)}`);
    await addDevice(page);
    await page.goto(`${origin}/login`);
    await signInByForm(page, account);
    await expect(page).toHaveURL(/\/token/);
    await page.goto(`${origin}/setting#security`);
    const security = page.getByRole("region", { name: "两步验证" });

    const nextCode = await test.step("an app, and the recovery codes it brings", async () => {
      await security.getByRole("button", { name: "设置验证器应用" }).click();
      const setUp = dialogOf(page, "设置验证器应用");
      await setUp.locator("input[type=password]").fill(account.password);
      await setUp.getByRole("button", { name: "下一步" }).click();
      await expect(setUp.getByRole("img", { name: "验证器应用的二维码" })).toBeVisible();
      await expectAccessible(page);
      const app = openApp((await setUp.locator("code").innerText()).replaceAll(" ", ""));
      await setUp.getByLabel("验证码").fill(app());
      await setUp.getByRole("button", { name: "启用" }).click();
      const codes = dialogOf(page, "请保存恢复码");
      await expect(codes.getByRole("listitem")).toHaveCount(10);
      await codes.getByRole("button", { name: "完成" }).click();
      await expect(codes.getByText("请先保存恢复码并勾选，再关闭。")).toBeVisible();
      await codes.getByRole("checkbox").check();
      await codes.getByRole("button", { name: "完成" }).click();
      await expect(security.getByText("剩余 10 个")).toBeVisible();
      return app;
    });

    await test.step("a passkey, without another question so soon", async () => {
      await security.getByRole("button", { name: "添加通行密钥" }).click();
      const adding = dialogOf(page, "添加通行密钥");
      await adding.getByLabel("名称").fill("笔记本");
      await adding.getByRole("button", { name: "继续" }).click();
      await expect(security.getByText("笔记本")).toBeVisible();
    });

    await test.step("a code at sign-in", async () => {
      await page.context().clearCookies();
      await page.goto(`${origin}/login?expired=true`);
      await signInByForm(page, account);
      await page.getByLabel("验证码").fill(nextCode());
      await page.getByRole("button", { name: "登录", exact: true }).click();
      await expect(page).toHaveURL(/\/token/);
    });

    await test.step("a new password starts a session without a proof", async () => {
      await page.goto(`${origin}/setting#security`);
      const password = page.getByRole("region", { name: "修改密码" });
      await password.locator("input[name=original_password]").fill(account.password);
      await password.locator("input[name=password]").fill("another password");
      await password.locator("input[name=repeated]").fill("another password");
      await password.getByRole("button", { name: "修改密码" }).click();
      await expect(page.getByText("密码已修改").first()).toBeVisible();
    });

    await test.step("a dangerous action asks again: cancelling changes nothing, a passkey goes on", async () => {
      const renew = async () => {
        await security.getByRole("button", { name: "重新生成" }).click();
        const question = page.getByRole("alertdialog");
        await question.getByRole("button", { name: "重新生成" }).click();
      };
      await renew();
      const stepUp = dialogOf(page, "请再次验证");
      await stepUp.getByLabel("验证码").fill("000000");
      await stepUp.getByRole("button", { name: "验证", exact: true }).click();
      await expect(stepUp.getByText("验证码错误或已被使用")).toBeVisible();
      await expectAccessible(page);
      await stepUp.getByRole("button", { name: "取消" }).click();
      await expect(page.getByText("未完成两步验证，操作没有执行。").first()).toBeVisible();
      await renew();
      await stepUp.getByRole("button", { name: "使用通行密钥" }).click();
      const codes = dialogOf(page, "请保存恢复码");
      await expect(codes.getByRole("listitem")).toHaveCount(10);
      await codes.getByRole("checkbox").check();
      await codes.getByRole("button", { name: "完成" }).click();
    });

    await test.step("a passkey alone signs in", async () => {
      await page.context().clearCookies();
      await page.goto(`${origin}/login?expired=true`);
      await page.getByRole("button", { name: "使用通行密钥" }).click();
      await expect(page).toHaveURL(/\/(token|setting)/);
    });
    expect(faults).toEqual([]);
  } finally {
    await setAddress("");
  }
});

test("promises 6.5: a password that somebody else has set must be changed first", async ({
  page,
  site,
}) => {
  const username = `np${Date.now().toString(36).slice(-8)}`;
  await addUser(site.api.root, username);
  const found = (await site.api.root.call("GET", `/api/user/search?keyword=${username}`)) as {
    readonly items: readonly { readonly id: number }[];
  }; // safe cast: the contract of `searchUsers`
  const given = "given by somebody";
  await site.api.root.call("PUT", "/api/user/", { id: found.items[0]?.id, password: given });
  await page.goto("/login");
  await signInByForm(page, { username, password: given });
  await expect(page.getByRole("heading", { name: "请设置新密码" })).toBeVisible();
  await expectAccessible(page);
  await page.locator("input[name=password]").fill("Password123");
  await page.locator("input[name=repeated]").fill("Password123");
  await page.getByRole("button", { name: "保存并继续" }).click();
  await expect(page.getByText("该密码过于常见，容易被猜到，请换一个")).toBeVisible();
  await page.locator("input[name=password]").fill("chosen by myself");
  await page.locator("input[name=repeated]").fill("chosen by myself");
  await page.getByRole("button", { name: "保存并继续" }).click();
  await expect(page.getByRole("heading", { name: "令牌", exact: true })).toBeVisible();
});
