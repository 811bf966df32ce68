import { processorNeeds } from "@tollgate/contract/kinds/payment-processors.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Options } from "#modules/options/options.ts";

export type StatusSources = {
  readonly readOption: Options["read"];
  /** How many quota units are one US dollar, as decimal text, by the price list in force. */
  readonly quotaPerUnit: () => string;
  /** Whether visitors can make calls of the demo account. */
  readonly demoCallsEnabled: () => boolean;
  readonly demoTourEnabled: () => boolean;
  readonly version: string;
  readonly commit: string;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
};

/** Returns the settings that a console needs before sign-in. Contains no secret options. */
export function showStatus(
  sources: StatusSources,
  { isSetUp, secure }: { readonly isSetUp: boolean; readonly secure: boolean },
): Status {
  const { readOption } = sources;
  return {
    version: sources.version,
    commit: sources.commit,
    start_time: unixSeconds(sources.startedAtMs),
    setup: isSetUp,
    secure_cookies: secure,
    ...signInStatus(readOption),
    ...chatStatus(readOption("Chats")),
    system_name: readOption("SystemName"),
    logo: readOption("Logo"),
    footer_html: readOption("Footer"),
    server_address: readOption("ServerAddress"),
    docs_link: readOption("general_setting.docs_link"),
    top_up_link: readOption("TopUpLink"),
    price: Number(readOption("Price")),
    min_topup: readOption("MinTopUp"),
    enable_online_topup: Object.values(processorNeeds).some((names) =>
      names.every((name) => readOption(name) !== ""),
    ),
    quota_per_unit: Number(sources.quotaPerUnit()),
    agents_enabled: readOption("AgentsEnabled"),
    quota_for_inviter: readOption("QuotaForInviter"),
    quota_for_invitee: readOption("QuotaForInvitee"),
    display_in_currency: readOption("DisplayInCurrencyEnabled"),
    // one-api's switch for writing balances in batches. Always false: this server never collects
    // changes of balances in memory before it writes them.
    enable_batch_update: false,
    enable_drawing: readOption("DrawingEnabled"),
    enable_task: readOption("TaskEnabled"),
    enable_data_export: readOption("DataExportEnabled"),
    data_export_default_time: readOption("DataExportDefaultTime"),
    default_collapse_sidebar: readOption("DefaultCollapseSidebar"),
    mj_notify_enabled: readOption("MjNotifyEnabled"),
    demo_site_enabled: readOption("DemoSiteEnabled"),
    demo_calls_enabled: sources.demoCallsEnabled(),
    demo_tour_enabled: sources.demoTourEnabled(),
    self_use_mode_enabled: readOption("SelfUseModeEnabled"),
  };
}

/** Returns the sign-in methods that are turned on, and the settings their buttons need. */
function signInStatus(readOption: Options["read"]) {
  return {
    email_verification: readOption("EmailVerificationEnabled"),
    password_login_enabled: readOption("PasswordLoginEnabled"),
    password_register_enabled: readOption("PasswordRegisterEnabled"),
    register_enabled: readOption("RegisterEnabled"),
    github_oauth: readOption("GitHubOAuthEnabled"),
    github_client_id: readOption("GitHubClientId"),
    linuxdo_oauth: readOption("LinuxDOOAuthEnabled"),
    linuxdo_client_id: readOption("LinuxDOClientId"),
    telegram_oauth: readOption("TelegramOAuthEnabled"),
    telegram_bot_name: readOption("TelegramBotName"),
    wechat_login: readOption("WeChatAuthEnabled"),
    wechat_qrcode: readOption("WeChatAccountQRCodeImageURL"),
    oidc_enabled: readOption("oidc.enabled"),
    oidc_client_id: readOption("oidc.client_id"),
    oidc_authorization_endpoint: readOption("oidc.authorization_endpoint"),
    turnstile_check: readOption("TurnstileCheckEnabled"),
    turnstile_site_key: readOption("TurnstileSiteKey"),
  };
}

/**
 * Returns the list of chat clients. Its first two web addresses are repeated in `chat_link` and
 * `chat_link2`, for consoles that do not know the list. A single address fills both fields.
 */
function chatStatus(chats: Status["chats"]) {
  const pages = chats.flatMap(Object.values).filter((address) => /^https?:/i.test(address));
  const [first = "", second = first] = pages;
  return { chats, chat_link: first, chat_link2: second };
}
