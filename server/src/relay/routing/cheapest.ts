/** Puts the cheapest of equal channels first, where a model or a group says so. */

import type { UnitPrice } from "@tollgate/contract/money/charge.ts";
import type { ChannelView, RelayOptions, Tier } from "#ports/snapshot.ts";

type Settings = {
  readonly group: string;
  readonly model: string;
  readonly options: Pick<RelayOptions, "cheapestByGroup" | "cheapestByModel">;
};

/** Returns the tiers in the order in which their channels are chosen. */
export function orderedTiers(
  tiers: readonly Tier[],
  { group, model, options }: Settings,
): readonly Tier[] {
  const { cheapestByGroup: byGroup, cheapestByModel: byModel } = options;
  const said = Object.hasOwn(byModel, model) ? byModel[model] : own(byGroup, group);
  if (said !== "on") return tiers;
  return tiers.flatMap((tier) => splitByCost(tier, model));
}

function own(settings: Readonly<Record<string, "off" | "on">>, name: string) {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

/** Divides channels of one priority by what they charge; those of unknown cost come last. */
function splitByCost({ channels, priority }: Tier, model: string): readonly Tier[] {
  const byCost = Map.groupBy(channels, (channel) => costOf(channel, model));
  const costs = [...byCost.keys()].toSorted((a, b) => a - b);
  return costs.map((cost) => ({ priority, channels: byCost.get(cost) ?? [] }));
}

/** How many tokens of input come with one of output, as agents have them. */
const inputPerOutput = 10n;

/** Returns a figure by which costs are compared; Infinity: it is not known. */
function costOf({ costs }: ChannelView, model: string): number {
  const price: UnitPrice | undefined = costs?.priceOf(model);
  if (price === undefined) return Infinity;
  if (price.kind === "call") return Number(price.perCall);
  const { input, output } = price.rates;
  return Number(input * inputPerOutput + output);
}
