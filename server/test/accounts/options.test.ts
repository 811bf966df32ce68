import { describe, expect, test } from "bun:test";
import type { OptionName } from "@tollgate/contract/options/options.ts";
import { openSecrets } from "#base/secrets.ts";
import { testDialects } from "#db/testing/database.ts";
import { contentHandlers } from "#modules/content/content.handlers.ts";
import { showStatus } from "#modules/installation/status.ts";
import { openOptions } from "#modules/options/options.ts";
import type { Caller, Handler } from "#http/handler.ts";
import { openTestConsole } from "./open-console.ts";

const guest: Caller = {
  userId: 0,
  role: 0,
  username: "",
  clientIp: "203.0.113.9",
  sessionId: null,
  requestId: "r",
};

/** Returns the status that visitors see with these options in force. */
async function shownWith(values: Partial<Record<OptionName, string>>) {
  const options = openOptions(openSecrets("0123456789abcdef0123456789abcdef"), (key, reason) => {
    throw new Error(`${key}: ${reason}`);
  });
  options.refresh(Object.entries(values).map(([key, value]) => ({ key, value })));
  const status = showStatus(
    {
      readOption: options.read,
      quotaPerUnit: () => "500000",
      demoCallsEnabled: () => false,
      demoTourEnabled: () => false,
      version: "1.0.0",
      commit: "",
      startedAtMs: 5_999,
    },
    { isSetUp: true, secure: true },
  );
  const handlers: readonly Handler[] = contentHandlers({ readOption: options.read });
  const texts: Record<string, unknown> = {};
  for (const { endpoint, run } of handlers) texts[endpoint.path] = await run({}, guest);
  return { status, texts };
}

test("A-345: notice, about and home page are the saved texts, and empty before a save", async () => {
  expect((await shownWith({})).texts).toEqual({
    "/api/notice": "",
    "/api/about": "",
    "/api/home_page_content": "",
  });
  const written = await shownWith({
    Notice: "# Down at 8\nBack at 9",
    About: "https://about.example/",
    HomePageContent: "<b>hi</b>",
  });
  expect(written.texts).toEqual({
    "/api/notice": "# Down at 8\nBack at 9",
    "/api/about": "https://about.example/",
    "/api/home_page_content": "<b>hi</b>",
  });
});

describe("the status", () => {
  test("A-170 A-171 A-192 A-193 A-355: a fresh installation reports the promised defaults", async () => {
    expect((await shownWith({})).status).toMatchObject({
      version: "1.0.0",
      start_time: 5,
      setup: true,
      price: 7.3,
      min_topup: 1,
      data_export_default_time: "hour",
      quota_per_unit: 500_000,
      enable_drawing: true,
      enable_task: true,
      enable_data_export: true,
      enable_online_topup: false,
      chats: [],
      chat_link: "",
      chat_link2: "",
    });
  });

  const changed: readonly [OptionName, string, object][] = [
    ["SystemName", "Gate", { system_name: "Gate" }],
    ["Logo", "/logo.svg", { logo: "/logo.svg" }],
    ["Footer", "<i>us</i>", { footer_html: "<i>us</i>" }],
    ["ServerAddress", "https://g.example", { server_address: "https://g.example" }],
    ["DisplayInCurrencyEnabled", "false", { display_in_currency: false }],
    ["DrawingEnabled", "false", { enable_drawing: false }],
    ["TaskEnabled", "false", { enable_task: false }],
    ["DataExportEnabled", "false", { enable_data_export: false }],
    ["DataExportDefaultTime", "week", { data_export_default_time: "week" }],
    ["DefaultCollapseSidebar", "true", { default_collapse_sidebar: true }],
    ["MjNotifyEnabled", "true", { mj_notify_enabled: true }],
    ["GitHubOAuthEnabled", "true", { github_oauth: true }],
    ["GitHubClientId", "gh", { github_client_id: "gh" }],
    ["LinuxDOOAuthEnabled", "true", { linuxdo_oauth: true }],
    ["LinuxDOClientId", "ld", { linuxdo_client_id: "ld" }],
    ["WeChatAuthEnabled", "true", { wechat_login: true }],
    ["WeChatAccountQRCodeImageURL", "/qr.png", { wechat_qrcode: "/qr.png" }],
    ["TelegramOAuthEnabled", "true", { telegram_oauth: true }],
    ["TelegramBotName", "bot", { telegram_bot_name: "bot" }],
    ["oidc.enabled", "true", { oidc_enabled: true }],
    ["oidc.client_id", "oi", { oidc_client_id: "oi" }],
    ["TurnstileCheckEnabled", "true", { turnstile_check: true }],
    ["TurnstileSiteKey", "site", { turnstile_site_key: "site" }],
    ["EmailVerificationEnabled", "true", { email_verification: true }],
    ["PasswordLoginEnabled", "false", { password_login_enabled: false }],
    ["PasswordRegisterEnabled", "false", { password_register_enabled: false }],
    ["RegisterEnabled", "false", { register_enabled: false }],
    ["Price", "6.95", { price: 6.95 }],
    ["MinTopUp", "5", { min_topup: 5 }],
    ["TopUpLink", "https://shop.example/", { top_up_link: "https://shop.example/" }],
    ["general_setting.docs_link", "https://d.example/", { docs_link: "https://d.example/" }],
    ["QuotaForInviter", "7", { quota_for_inviter: 7 }],
    ["QuotaForInvitee", "5", { quota_for_invitee: 5 }],
    ["DemoSiteEnabled", "true", { demo_site_enabled: true }],
    ["SelfUseModeEnabled", "true", { self_use_mode_enabled: true }],
  ];
  for (const [key, value, expected] of changed) {
    test(`A-341: follows ${key}`, async () => {
      expect((await shownWith({})).status).not.toMatchObject(expected);
      expect((await shownWith({ [key]: value })).status).toMatchObject(expected);
    });
  }

  test("A-364 A-365: the first two web chats have links of their own; app links do not count", async () => {
    const chats = [
      { App: "app://add?key={key}" },
      { One: "https://one.example/" },
      { Two: "https://two.example/" },
    ];
    expect((await shownWith({ Chats: JSON.stringify(chats) })).status).toMatchObject({
      chats,
      chat_link: "https://one.example/",
      chat_link2: "https://two.example/",
    });
    expect((await shownWith({ Chats: JSON.stringify(chats.slice(0, 2)) })).status).toMatchObject({
      chat_link: "https://one.example/",
      chat_link2: "https://one.example/",
    });
  });
});

for (const dialect of testDialects) {
  test(`A-350 on ${dialect}: a visitor gets the status, also with an expired cookie`, async () => {
    const { call, close } = await openTestConsole(dialect);
    const answer = await call("GET", "/api/status", {
      headers: { cookie: "__Host-sid=gone", authorization: "nobody's", "new-api-user": "7" },
    });

    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    await close();
  });
}
