import * as contract from "@tollgate/contract/endpoints/groups.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { groupsOpenTo, type OfferSources, visitorGroup } from "./groups.ts";

type GroupDeps = Omit<OfferSources, "modelsOf">;

/** Handles the requests of the console API for groups. */
export function groupHandlers({ prices, usableGroups, groupOf }: GroupDeps): Handler[] {
  const openTo = ({ userId }: Caller) => {
    const ratios = prices().GroupRatio;
    const own = groupOf(userId) ?? visitorGroup;
    const open = groupsOpenTo({ usable: usableGroups(), ratios, own });
    return Object.fromEntries(
      [...open].map(([name, desc]) => [
        name,
        { ratio: Number(ratios[name]), desc, description: desc },
      ]),
    );
  };
  return [
    handle(contract.listGroups, async () => Object.keys(prices().GroupRatio).toSorted(compareText)),
    handle(contract.listOwnGroups, async (_, caller) => openTo(caller)),
    handle(contract.listUsableGroups, async (_, caller) => openTo(caller)),
  ];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
