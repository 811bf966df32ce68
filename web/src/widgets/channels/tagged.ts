/** Reads all channels of a tag, and the names of some channels. */

import {
  type Channel,
  readChannel,
  searchChannels,
} from "@tollgate/contract/endpoints/channels.ts";
import { call } from "#api/call.ts";

export async function readTagged(tag: string, signal?: AbortSignal): Promise<readonly Channel[]> {
  const found = await call(searchChannels, { tag_mode: "true" }, signal);
  return found.filter((channel) => channel.tag === tag);
}

/** Counts all channels of a tag, also those that the list's filters leave out. */
export async function countTagged(tag: string): Promise<number> {
  return (await readTagged(tag)).length;
}

/** Reads the names of some channels; those that are gone are left out. */
export async function readNames(ids: readonly number[]): Promise<readonly string[]> {
  const read = async (id: number): Promise<string[]> => {
    try {
      return [(await call(readChannel, { id })).name];
    } catch {
      return [];
    }
  };
  return (await Promise.all(ids.map(read))).flat();
}
