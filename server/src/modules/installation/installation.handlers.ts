/** The console API of an installation: its set-up and its public status. */

import * as setup from "@tollgate/contract/endpoints/setup.ts";
import * as contract from "@tollgate/contract/endpoints/status.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import type { Dialect } from "#db/dialect.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { SaveFlags } from "#modules/options/options.ts";
import { createRoot, type RootDeps } from "./installation.ts";
import { showStatus, type StatusSources } from "./status.ts";

type InstallationDeps = RootDeps &
  StatusSources & {
    readonly dialect: Dialect;
    readonly saveFlags: SaveFlags;
  };

export function installationHandlers(deps: InstallationDeps): Handler[] {
  const { store, dialect, saveFlags } = deps;
  const isSetUp = openSetUpCheck(store);
  return [
    handle(setup.readSetup, async () =>
      (await isSetUp())
        ? { status: true, root_init: false, database_type: "" as const }
        : { status: false, root_init: false, database_type: dialect },
    ),

    handle(setup.setUp, async ({ token, ...input }, caller) => {
      if (await isSetUp()) throw alreadySetUp();
      if (!(await store.isSetupLink(hashText(token)))) {
        // The link may be gone because another call has created root since the check above:
        // creating root removes the links.
        if (await isSetUp()) throw alreadySetUp();
        throw new Refusal("setup-refused", "初始化链接无效或已过期，请重启服务以获取新的链接");
      }
      const { username, password, confirmPassword, SelfUseModeEnabled, DemoSiteEnabled } = input;
      if (password !== confirmPassword) throw new Refusal("setup-refused", "两次输入的密码不一致");
      const userId = await createRoot(
        deps,
        { username, password, language: caller.language },
        actorOf(caller),
      );
      await saveFlags(
        {
          ...(SelfUseModeEnabled === undefined ? {} : { SelfUseModeEnabled }),
          ...(DemoSiteEnabled === undefined ? {} : { DemoSiteEnabled }),
          // Who sets up in a language has programs whose errors are read in it.
          ...(caller.language === "" ? {} : { ApiErrorLanguage: caller.language }),
        },
        { ...actorOf(caller), userId, username: username.trim() },
      );
      return reply(undefined, { message: "系统初始化成功" });
    }),

    handle(contract.readStatus, async (_, { secure = false }) =>
      showStatus(deps, { isSetUp: await isSetUp(), secure }),
    ),

    handle(contract.testStatus, async () => {
      await store.ping().catch(() => {
        throw new Refusal("unavailable", "数据库连接失败");
      });
      return reply(undefined, { message: "Server is running" });
    }),
  ];
}

const alreadySetUp = (): Refusal => new Refusal("already-set-up", "系统已经初始化完成");

/**
 * Makes a function that returns whether root exists. Root can never be removed, so a true result is
 * cached.
 */
function openSetUpCheck(store: InstallationDeps["store"]): () => Promise<boolean> {
  let isSetUp = false;
  return async () => {
    isSetUp ||= await store.isSetUp();
    return isSetUp;
  };
}
