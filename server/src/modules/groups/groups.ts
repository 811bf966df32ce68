/** Which groups a user may use, and with it which channels and prices. */

import type { PriceList } from "@tollgate/contract/charge.ts";
import type { ConfigView, Ports } from "#modules/module.ts";

/** What other modules may use of this one. */
export type Groups = {
  /** Whether a user of `ownGroup` may use `group`, and the group exists. */
  isOpenTo(ownGroup: string, group: string): boolean;
};

/** The group of a visitor. */
export const visitorGroup = "default";

type GroupFacts = {
  /** Option `UserUsableGroups`: group → description. */
  readonly usable: Readonly<Record<string, string>>;
  /** A group exists by its ratio. */
  readonly ratios: PriceList["GroupRatio"];
  /** The user's own; a visitor's is `visitorGroup`. */
  readonly own: string;
};

/** Group → description: those open to every user, and the own one, as far as they exist. */
export function groupsOpenTo({ usable, ratios, own }: GroupFacts): ReadonlyMap<string, string> {
  const open = new Map(Object.entries(usable));
  if (!open.has(own)) open.set(own, "用户分组");
  for (const name of open.keys()) {
    if (!Object.hasOwn(ratios, name)) open.delete(name);
  }
  return open;
}

/** What the lists of groups, models and prices that a user is offered are made from. */
export type OfferSources = {
  /** The price list in force. */
  readonly prices: () => PriceList;
  /** Option `UserUsableGroups` in force. */
  readonly usableGroups: () => Readonly<Record<string, string>>;
  /** The present group of a user; undefined: there is no such user. */
  readonly groupOf: (userId: number) => string | undefined;
  /** Names of models a group has an enabled channel for. */
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
