/** Which groups a user may use, and with it which channels and prices. */

import type { PriceList } from "@tollgate/contract/charge.ts";

/** The group of a visitor. */
export const visitorGroup = "default";

export type GroupFacts = {
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
