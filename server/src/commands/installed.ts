/** Opens the installation that a command works on: its data folder, or a gateway by its API. */

import { openAddressPolicy } from "#base/address-policy.ts";
import { openLogger } from "#base/logger.ts";
import { lockDataDir } from "#db/owner-lock.ts";
import type { Installed } from "#modules/configuration/command/configuration-command.ts";
import { ApiFault, openOverApi } from "#modules/configuration/command/over-api.ts";
import { openNetwork } from "#network/network.ts";
import { commit, version } from "#startup/version.ts";
import { lookup } from "node:dns/promises";
import type { Config } from "#config.ts";
import { openContext } from "#context.ts";

type OpenInstalled = { readonly installed: Installed; close(): Promise<void> };

/** Opens the data folder, which must not be in use. */
export async function openFolder(config: Config): Promise<OpenInstalled> {
  const unlock = lockDataDir(config.dataDir);
  const context = await openContext({
    config,
    version,
    commit,
    // A command tells by itself what went wrong.
    log: openLogger("silent"),
    localAddress: () => `http://localhost:${config.port}`,
  });
  return {
    installed: context.configuration,
    async close() {
      await context.close();
      unlock();
    },
  };
}

/** Opens a gateway by its console API. @throws ApiFault if the environment names no access token. */
export function openRemote(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): OpenInstalled {
  const { TOLLGATE_ACCESS_TOKEN: token = "", TOLLGATE_USER_ID: userId = "1" } = env;
  if (token === "") {
    throw new ApiFault("Set TOLLGATE_ACCESS_TOKEN (or TOLLGATE_ACCESS_TOKEN_FILE) to one of root.");
  }
  const network = openNetwork({
    // The operator names the address.
    policy: openAddressPolicy({ privateRanges: ["0.0.0.0/0", "::/0"], loopback: true }),
    resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    nowMs: () => performance.now(),
  });
  return {
    installed: openOverApi(network.transport, { url, token, userId }),
    close: async () => {},
  };
}
