/** The channels that this node routes calls by, and their repair: how far they are from the tables. */

import { isDeepStrictEqual } from "node:util";
import type { Secrets } from "#base/secrets.ts";
import type { RemoteStore } from "#db/store.ts";
import type { channelStore } from "./channels.store.ts";
import { type OpenChannel, openChannels } from "./channels.ts";

type RouteDeps = {
  readonly store: Pick<RemoteStore<typeof channelStore>, "loadChannels" | "markAllChanged">;
  readonly secrets: Secrets;
  /** Makes this node read what is recorded as changed. */
  readonly applyChanges: () => Promise<void>;
  /** Called for each channel that cannot be used. */
  readonly report: (channelId: number, reason: string) => void;
};

type RoutedChannels = {
  /**
   * Reads channels, which calls are routed by from then on.
   *
   * @param ids null: all.
   */
  readonly load: (ids: readonly number[] | null) => Promise<readonly OpenChannel[]>;
  /**
   * Makes every node route calls by what the database has now.
   * @returns how many channels this node routed by otherwise: changed, missing or too many.
   */
  readonly repair: () => Promise<number>;
};

export function openRoutedChannels(deps: RouteDeps): RoutedChannels {
  const { store, secrets, applyChanges, report } = deps;
  let routed: readonly OpenChannel[] = [];
  return {
    async load(ids) {
      const read = openChannels(await store.loadChannels(ids), secrets, report);
      const others = ids === null ? [] : routed.filter(({ id }) => !ids.includes(id));
      routed = [...others, ...read];
      return read;
    },
    async repair() {
      // A change that was recorded, and is only not applied yet, needs no repair.
      await applyChanges();
      const before = byId(routed);
      await store.markAllChanged();
      await applyChanges();
      const after = byId(routed);
      const ids = [...new Set([...before.keys(), ...after.keys()])];
      return ids.filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))).length;
    },
  };
}

/** A channel as it is compared: a version of its costs is never changed. */
type Compared = Omit<OpenChannel, "costs"> & { readonly costVersion: number };

function byId(channels: readonly OpenChannel[]): ReadonlyMap<number, Compared> {
  return new Map(
    channels.map(({ costs, ...channel }) => [
      channel.id,
      { ...channel, costVersion: costs?.version ?? 0 },
    ]),
  );
}
