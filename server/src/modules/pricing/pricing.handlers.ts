import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import {
  listPricing,
  type PricingRow,
  showLongContext,
  showServiceTiers,
} from "@tollgate/contract/endpoints/prices.ts";
import {
  hoursOf,
  kindPricesOf,
  longContextOf,
  searchPricesOf,
  serviceTiersOf,
} from "@tollgate/contract/money/token-price.ts";
import { type Handler, handle, withExtras } from "#http/handler.ts";
import { groupsOpenTo, type OfferSources, visitorGroup } from "#modules/groups/groups.ts";

/** Handles requests for the price list, as far as the caller may see it. */
export function pricingHandlers(deps: OfferSources): Handler[] {
  return [
    handle(listPricing, async (_, { userId }) => {
      const list = deps.prices();
      const own = deps.groupOf(userId) ?? visitorGroup;
      const open = groupsOpenTo({ usable: deps.usableGroups(), ratios: list.GroupRatio, own });
      const groupsOf = new Map<string, string[]>();
      for (const group of Object.keys(list.GroupRatio)) {
        for (const model of deps.modelsOf(group)) {
          const shown = groupsOf.get(model) ?? [];
          // Groups that the caller may not use are left out.
          groupsOf.set(model, open.has(group) ? [...shown, group] : shown);
        }
      }
      const models = [...groupsOf].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return withExtras(
        models.flatMap(([model, groups]) => showPrice(list, model, groups) ?? []),
        {
          group_ratio: Object.fromEntries(
            [...open.keys()].map((group) => [group, Number(list.GroupRatio[group])]),
          ),
          usable_group: Object.fromEntries(open),
          unpriced: models
            .filter(([model, groups]) => groups.length > 0 && !hasPrice(list, model))
            .map(([model, groups]) => ({ model_name: model, enable_groups: groups })),
        },
      );
    }),
  ];
}

/**
 * Makes a model's row of the price list; undefined for a model without a price. Such a model cannot
 * be called and is listed as `unpriced`.
 */
function showPrice(list: PriceList, model: string, groups: string[]): PricingRow | undefined {
  const shared = { model_name: model, owner_by: "", enable_groups: groups };
  const fixed = own(list.ModelPrice, model);
  if (fixed !== undefined) {
    const model_price = Number(fixed);
    return { ...shared, quota_type: 1, model_price, model_ratio: 0, completion_ratio: 0 };
  }
  const ratio = own(list.ModelRatio, model);
  if (ratio === undefined) return undefined;
  const completion_ratio = Number(own(list.CompletionRatio, model) ?? "1");
  const long = longContextOf(list, model);
  const tiers = serviceTiersOf(list, model);
  const hours = hoursOf(list, model);
  const searching = searchPricesOf(list, model);
  const kinds = kindPricesOf(list, model);
  return {
    ...shared,
    quota_type: 0,
    model_price: 0,
    model_ratio: Number(ratio),
    completion_ratio,
    ...setRatios(list, model),
    ...(long === undefined ? {} : { long_context: showLongContext(long) }),
    ...(tiers === undefined ? {} : { service_tiers: showServiceTiers(tiers) }),
    ...(hours === undefined ? {} : { hour_prices: [...hours] }),
    ...(searching === undefined ? {} : { search_prices: searching }),
    ...(kinds === undefined ? {} : { kind_prices: kinds }),
  };
}

/** The maps of the price list for other kinds of tokens, by their fields in a row. */
const ratioMaps = {
  cache_ratio: "CacheRatio",
  create_cache_ratio: "CreateCacheRatio",
  create_cache_ratio_1h: "CreateCacheRatio1h",
  image_ratio: "ImageRatio",
  audio_ratio: "AudioRatio",
  audio_completion_ratio: "AudioCompletionRatio",
} as const;

/** Returns the ratios that the price list sets for a model; those without a value are left out. */
function setRatios(
  list: PriceList,
  model: string,
): Partial<Record<keyof typeof ratioMaps, number>> {
  return Object.fromEntries(
    Object.entries(ratioMaps).flatMap(([field, map]) => {
      const ratio = own(list[map], model);
      return ratio === undefined ? [] : [[field, Number(ratio)]];
    }),
  );
}

function own(map: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
