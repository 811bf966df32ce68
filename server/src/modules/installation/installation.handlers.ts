import * as setup from "contract/setup.ts";
import * as contract from "contract/status.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Dialect } from "#db/dialect.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import { type Actor, actorOf } from "#modules/audit/audit.ts";
import type { Options } from "#modules/options/options.ts";
import { type Bootstrap, createRoot, type RootDeps } from "./installation.ts";

/** Options the set-up page asks about. */
export type SetupFlags = {
  readonly SelfUseModeEnabled: boolean;
  readonly DemoSiteEnabled: boolean;
};

export type InstallationDeps = RootDeps & {
  readonly dialect: Dialect;
  readonly bootstrap: Bootstrap;
  readonly readOption: Options["read"];
  readonly saveFlags: (flags: Partial<SetupFlags>, actor: Actor) => Promise<void>;
  /** Quota units a dollar, from the price list in force. */
  readonly quotaPerUnit: () => string;
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
};

export function installationHandlers(deps: InstallationDeps): Handler[] {
  const { store, bootstrap, dialect, saveFlags } = deps;
  const isSetUp = openSetUpCheck(store);
  return [
    handle(setup.readSetup, async () =>
      (await isSetUp())
        ? { status: true, root_init: false, database_type: "" as const }
        : { status: false, root_init: false, database_type: dialect },
    ),

    handle(setup.setUp, async ({ token, ...input }, caller) => {
      if (await isSetUp()) throw new Refusal("already-set-up", "系统已经初始化完成");
      if (!bootstrap.matches(token)) {
        throw new Refusal("setup-refused", "初始化链接无效或已过期，请重启服务以获取新的链接");
      }
      const { username, password, confirmPassword, SelfUseModeEnabled, DemoSiteEnabled } = input;
      if (password !== confirmPassword) throw new Refusal("setup-refused", "两次输入的密码不一致");
      const userId = await createRoot(deps, { username, password }, actorOf(caller));
      await saveFlags(
        {
          ...(SelfUseModeEnabled === undefined ? {} : { SelfUseModeEnabled }),
          ...(DemoSiteEnabled === undefined ? {} : { DemoSiteEnabled }),
        },
        { ...actorOf(caller), userId, username: username.trim() },
      );
      return reply(undefined, { message: "系统初始化成功" });
    }),

    handle(contract.readStatus, async () => showStatus(deps, await isSetUp())),

    handle(contract.testStatus, async () => {
      await store.ping().catch(() => {
        throw new Refusal("unavailable", "数据库连接失败");
      });
      return reply(undefined, { message: "Server is running" });
    }),
  ];
}

/** What consoles of the family ask about and this server has nothing of. */
const notOffered = {
  email_verification: false,
  github_oauth: false,
  github_client_id: "",
  linuxdo_oauth: false,
  linuxdo_client_id: "",
  telegram_oauth: false,
  telegram_bot_name: "",
  wechat_login: false,
  wechat_qrcode: "",
  oidc_enabled: false,
  oidc_client_id: "",
  oidc_authorization_endpoint: "",
  turnstile_check: false,
  turnstile_site_key: "",
  docs_link: "",
  top_up_link: "",
  price: 0,
  min_topup: 0,
  enable_online_topup: false,
  enable_batch_update: false,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: false,
  data_export_default_time: "hour",
  default_collapse_sidebar: false,
  mj_notify_enabled: false,
  chats: [],
  chat_link: "",
  chat_link2: "",
} satisfies Partial<contract.Status>;

function showStatus(deps: InstallationDeps, isSetUp: boolean): contract.Status {
  const { readOption } = deps;
  return {
    ...notOffered,
    version: deps.version,
    start_time: unixSeconds(deps.startedAtMs),
    setup: isSetUp,
    system_name: readOption("SystemName"),
    logo: readOption("Logo"),
    footer_html: readOption("Footer"),
    server_address: readOption("ServerAddress"),
    quota_per_unit: Number(deps.quotaPerUnit()),
    display_in_currency: readOption("DisplayInCurrencyEnabled"),
    demo_site_enabled: readOption("DemoSiteEnabled"),
    self_use_mode_enabled: readOption("SelfUseModeEnabled"),
  };
}

/** Whether there is a root. Once there is one that never ends, so no answer waits for it again. */
function openSetUpCheck(store: InstallationDeps["store"]): () => Promise<boolean> {
  let isSetUp = false;
  return async () => {
    isSetUp ||= await store.isSetUp();
    return isSetUp;
  };
}
