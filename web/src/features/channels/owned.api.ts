/** Which channels a configuration file owns. */

import { useQuery } from "@tanstack/react-query";
import { listOwned, type OwnedThing } from "@tollgate/contract/configuration.ts";
import { call } from "#api/call.ts";

/** Milliseconds for which the list counts as fresh. */
const ownedStaleMs = 60_000;

/** Reads which channels a configuration file owns, by their ids; undefined: not read yet. */
export function useOwnedChannels(): ReadonlyMap<number, OwnedThing> | undefined {
  const { data } = useQuery({
    queryKey: ["channels", "owned"],
    queryFn: async ({ signal }) => {
      const owned = await call(listOwned, {}, signal);
      const channels = owned.filter(({ kind }) => kind === "channel");
      return new Map(channels.map((thing) => [thing.id, thing]));
    },
    staleTime: ownedStaleMs,
  });
  return data;
}
