/** Where the parts of the relay's snapshot are read: each module's store and its own view. */

import type { Logger } from "#base/logger.ts";
import type { Secrets } from "#base/secrets.ts";
import { openChannels } from "#modules/channels/channels.ts";
import { type Options, relayOptions } from "#modules/options/options.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";
import { loadedToken } from "#modules/tokens/tokens.ts";
import { userView } from "#modules/users/users.ts";
import type { RemoteStores } from "#workers/store-client.ts";
import type { SnapshotSources } from "./snapshot.ts";

export function snapshotSources(
  stores: RemoteStores,
  secrets: Secrets,
  options: Options,
  log: Logger,
): SnapshotSources {
  return {
    readClock: async () => await stores.changes.readClock(),
    listChanges: async (version) => await stores.changes.listChanges(version),

    async loadTokens(ids) {
      const rows = await stores.tokens.loadTokens(ids);
      return rows.map(loadedToken);
    },

    async loadUsers(ids) {
      const rows = await stores.users.loadUsers(ids);
      return rows.map(userView);
    },

    async loadChannels() {
      return openChannels(await stores.channels.loadChannels(null), secrets, (channelId, reason) =>
        log.error({ channelId, reason }, "a channel cannot be used"),
      );
    },

    async loadPrices() {
      const prices = parsePrices(await stores.pricing.loadPrices());
      if (prices === undefined) throw new Error("the price version in force cannot be read");
      return prices;
    },

    async loadOptions() {
      options.refresh(await stores.options.loadOptions());
      return relayOptions(options);
    },
  };
}
