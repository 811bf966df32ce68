/**
 * Remembers which unsaved channels have answered a trial, so that a channel that is saved as it was
 * tried counts as tested. Each node remembers its own trials, and forgets them when it ends.
 */

import { createHash } from "node:crypto";
import type { OpenChannel } from "./channels.ts";

/** For how long a trial counts, in milliseconds. */
const keptMs = 900_000;

/** The largest number of remembered trials; the oldest goes first. */
const trialsMax = 1_000;

export type ChannelTrials = {
  /** Notes that a channel has answered. */
  note(channel: OpenChannel, seconds: number): void;
  /** The seconds in which the same channel has answered; null: it was not tried. */
  find(channel: OpenChannel): number | null;
};

/** `now` gives Unix milliseconds. */
export function openChannelTrials(now: () => number): ChannelTrials {
  const trials = new Map<string, { readonly seconds: number; readonly atMs: number }>();
  return {
    note(channel, seconds) {
      const name = nameOf(channel);
      // Deleted first, so that the map stays in the order of time.
      trials.delete(name);
      trials.set(name, { seconds, atMs: now() });
      const [oldest] = trials.keys();
      if (trials.size > trialsMax && oldest !== undefined) trials.delete(oldest);
    },
    find(channel) {
      const trial = trials.get(nameOf(channel));
      return trial === undefined || now() - trial.atMs > keptMs ? null : trial.seconds;
    },
  };
}

/** Names a channel by what its answer depends on. The keys do not stand in memory a second time. */
function nameOf({ provider, baseUrl, other, keys, proxy }: OpenChannel): string {
  const parts = [provider.type, baseUrl, other, proxy, ...keys];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}
