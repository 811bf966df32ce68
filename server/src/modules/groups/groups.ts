/** Which groups a user may use. The group of a call determines its channels and prices. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { ConfigView, Ports } from "#modules/module.ts";

/** What the groups module offers to other modules. */
export type Groups = {
  /** Whether `group` exists and a user of `ownGroup` may use it. */
  isOpenTo(ownGroup: string, group: string): boolean;
};

/** The group of a visitor, who is not signed in. */
export const visitorGroup = "default";

type GroupFacts = {
  /** Option `UserUsableGroups`: group → description. */
  readonly usable: Readonly<Record<string, string>>;
  /** Option `GroupRatio`: a group exists if it has a ratio here. */
  readonly ratios: PriceList["GroupRatio"];
  /** The user's own group; `visitorGroup` for a visitor. */
  readonly own: string;
};

/**
 * Returns the groups that a user may use, each with its description: the usable groups and the
 * user's own group, without groups that do not exist.
 */
export function groupsOpenTo({ usable, ratios, own }: GroupFacts): ReadonlyMap<string, string> {
  const open = new Map(Object.entries(usable));
  if (!open.has(own)) open.set(own, "用户分组");
  for (const name of open.keys()) {
    if (!Object.hasOwn(ratios, name)) open.delete(name);
  }
  return open;
}

/** Where the lists of groups, models and prices that a user sees come from. */
export type OfferSources = {
  /** The price list in force. */
  readonly prices: () => PriceList;
  /** The value in force of option `UserUsableGroups`: group → description. */
  readonly usableGroups: () => Readonly<Record<string, string>>;
  /** The current group of a user; undefined when there is no such user. */
  readonly groupOf: (userId: number) => string | undefined;
  /** The models for which a group has an enabled channel. */
  readonly modelsOf: ConfigView["modelsOf"];
};

export function offerSources({
  options,
  snapshot,
}: Pick<Ports, "options" | "snapshot">): OfferSources {
  return {
    prices: () => snapshot.prices.list,
    usableGroups: () => options.read("UserUsableGroups"),
    groupOf: (userId) => snapshot.findUser(userId)?.group,
    modelsOf: (group) => snapshot.modelsOf(group),
  };
}
