/**
 * What calls of the same group, model and kind have in common: channels, price, and how each
 * channel's upstream is asked. It is looked up once and kept until the channels or prices of the
 * snapshot change, so that a call finds it by a few map lookups and makes none of it again.
 */

import type { PriceList, UnitPrice } from "@tollgate/contract/money/charge.ts";
import {
  hoursOf,
  kindPricesOf,
  longContextOf,
  searchPricesOf,
  serviceTiersOf,
} from "@tollgate/contract/money/token-price.ts";
import type { LogPrice } from "#canonical/call-log.ts";
import type { Modality } from "#canonical/modality.ts";
import type { ClientFormatId } from "#formats/registry.ts";
import type { ChannelView, PriceVersion, RelayOptions, Tier } from "#ports/snapshot.ts";
import { candidatesText } from "./routing/choice.ts";
import { orderedTiers } from "./routing/cheapest.ts";
import { openWay } from "./ways/open-way.ts";
import { serves } from "./ways/upstream-format.ts";
import type { Way } from "./ways/way.ts";

/** What a client asks for, as far as it decides which channels can answer and how they are asked. */
export type CallKind = {
  /** The client's wire format. */
  readonly formatId: ClientFormatId;
  readonly modality: Modality;
  readonly isStream: boolean;
};

export type Plan = CallKind & {
  readonly group: string;
  readonly model: string;
  /** The channels that can answer calls of this kind. */
  readonly tiers: readonly Tier[];
  /** The channels of the group and model that are not among them, and why. */
  readonly without: readonly LeftOut[];
  /** How many channels there are, with those. */
  readonly candidates: number;
  /** The same for a row of the log; empty: there is one at most. */
  readonly candidatesText: string;
  /** Whether attempts may go to several channels, or be made with several keys of one. */
  readonly hasChoice: boolean;
  /** Whether conversations are kept at one of them, where their prompts are cached. */
  readonly places: boolean;
  /** Whether an upstream among them reads files of its account that texts name. */
  readonly hasFilesByText: boolean;
  /** Whether the client's key names the channel, so that no other is tried. */
  readonly pinned: boolean;
  readonly prices: PriceVersion;
  readonly price: UnitPrice;
  /** The quota units of a US dollar. */
  readonly dollar: number;
  /** The price as log records contain it. */
  readonly logPrice: LogPrice;
  /** The ways that `wayTo` has opened so far. */
  readonly ways: Map<ChannelView, Way>;
};

/** A channel that a call cannot use. */
type LeftOut = {
  readonly channel: ChannelView;
  readonly why: "cannot-carry" | "issuer-elsewhere";
};

/** The plans of one revision of the snapshot, by group and model; one for each kind of call. */
export type Plans = {
  revision: number;
  count: number;
  byGroup: Map<string, Map<string, Plan[]>>;
};

/**
 * How many plans are kept; when there are more, all are dropped. Only models that a channel serves
 * and that have a price get plans.
 */
const plansMax = 10_000;

export function openPlans(): Plans {
  return { revision: -1, count: 0, byGroup: new Map() };
}

/** Finds a plan that was made from this revision of the snapshot. Undefined: there is none yet. */
export function findPlan(
  plans: Plans,
  revision: number,
  group: string,
  model: string,
  { formatId, modality, isStream }: CallKind,
): Plan | undefined {
  if (plans.revision !== revision) return undefined;
  const kinds = plans.byGroup.get(group)?.get(model);
  if (kinds === undefined) return undefined;
  for (const plan of kinds) {
    const isSame = plan.modality === modality && plan.isStream === isStream;
    if (isSame && plan.formatId === formatId) return plan;
  }
  return undefined;
}

/** Keeps a plan that was made from this revision of the snapshot. */
export function keepPlan(plans: Plans, revision: number, plan: Plan): void {
  if (plans.revision !== revision || plans.count >= plansMax) {
    plans.revision = revision;
    plans.count = 0;
    plans.byGroup = new Map();
  }
  const models = plans.byGroup.get(plan.group) ?? new Map<string, Plan[]>();
  plans.byGroup.set(plan.group, models);
  const kinds = models.get(plan.model) ?? [];
  models.set(plan.model, kinds);
  kinds.push(plan);
  plans.count += 1;
}

type Granted = Pick<Plan, "group" | "model" | "pinned" | "price" | "prices" | "tiers"> & {
  /** Absent: conversations are not placed. */
  readonly options?: Pick<
    RelayOptions,
    "cheapestByGroup" | "cheapestByModel" | "placesByGroup" | "placesByModel"
  >;
};

export function makePlan(granted: Granted, { formatId, modality, isStream }: CallKind): Plan {
  const { group, model, options, prices } = granted;
  const all =
    options === undefined ? granted.tiers : orderedTiers(granted.tiers, { group, model, options });
  const tiers = all.map(({ priority, channels }): Tier => {
    const serving = channels.filter((channel) => serves(channel, formatId, modality));
    return { priority, channels: serving };
  });
  const without = leftOutOf(all, tiers, "cannot-carry");
  return {
    formatId,
    modality,
    isStream,
    group,
    model,
    tiers,
    without,
    candidates: without.length + countChannels(tiers),
    candidatesText: candidatesText({ tiers, without }),
    hasChoice: hasChoice(tiers),
    places: modality === "chat" && hasChoice(tiers) && isPlaced(granted, tiers),
    hasFilesByText: tiers.some(({ channels }) => channels.some(readsFilesByText)),
    pinned: granted.pinned,
    prices,
    price: granted.price,
    dollar: Number(prices.list.QuotaPerUnit),
    logPrice: makeLogPrice(prices.list, model, group),
    ways: new Map(),
  };
}

/** Makes the plan of a call that only some of the channels may get; null: there are none of these. */
export function planWithin(plan: Plan, fits: (channel: ChannelView) => boolean): Plan | null {
  const tiers = plan.tiers
    .map(({ channels, priority }): Tier => ({ priority, channels: channels.filter(fits) }))
    .filter(({ channels }) => channels.length > 0);
  if (tiers.length === 0) return null;
  const without = [...plan.without, ...leftOutOf(plan.tiers, tiers, "issuer-elsewhere")];
  const isChoice = hasChoice(tiers);
  const text = candidatesText({ tiers, without });
  return {
    ...plan,
    tiers,
    without,
    candidatesText: text,
    hasChoice: isChoice,
    places: plan.places && isChoice,
  };
}

export function countChannels(tiers: readonly Tier[]): number {
  return tiers.reduce((count, { channels }) => count + channels.length, 0);
}

function leftOutOf(
  all: readonly Tier[],
  left: readonly Tier[],
  why: LeftOut["why"],
): readonly LeftOut[] {
  const kept = new Set(left.flatMap(({ channels }) => channels));
  return all.flatMap(({ channels }) =>
    channels.filter((channel) => !kept.has(channel)).map((channel) => ({ channel, why })),
  );
}

/** Whether a channel leads to Alibaba, whose files are not shared by all who use the channel. */
export function readsFilesByText({ baseUrl, provider, sharesIds }: ChannelView): boolean {
  return !sharesIds && (provider.id === "ali" || /dashscope|aliyuncs/i.test(baseUrl));
}

function hasChoice(tiers: readonly Tier[]): boolean {
  const channels = tiers.flatMap((tier) => tier.channels);
  return channels.length > 1 || channels.some(({ keys }) => keys.length > 1);
}

/**
 * Whether conversations keep their places: as a channel, or else the model or the group says, and
 * otherwise where tokens from the cache have a price of their own.
 */
function isPlaced({ group, model, options, price }: Granted, tiers: readonly Tier[]): boolean {
  if (options === undefined) return false;
  const channels = tiers.flatMap((tier) => tier.channels);
  if (channels.some(({ places }) => places === "on")) return true;
  if (channels.every(({ places }) => places === "off")) return false;
  const byModel = settingOf(options.placesByModel, model);
  const said = byModel ?? settingOf(options.placesByGroup, group);
  if (said !== undefined) return said === "on";
  return price.kind === "tokens" && price.rates.cacheRead !== price.rates.input;
}

function settingOf<Value>(settings: Readonly<Record<string, Value>>, name: string) {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

/** Returns how the upstream of one of the plan's channels is asked. */
export function wayTo(plan: Plan, channel: ChannelView): Way {
  const known = plan.ways.get(channel);
  if (known !== undefined) return known;
  const way = openWay(channel, plan);
  plan.ways.set(channel, way);
  return way;
}

/** Returns the price of a model as log records contain it. */
export function makeLogPrice(list: PriceList, model: string, group: string): LogPrice {
  const ratio = (map: Readonly<Record<string, string>>, absent: string): string =>
    (Object.hasOwn(map, model) ? map[model] : undefined) ?? absent;
  const long = longContextOf(list, model);
  const tiers = serviceTiersOf(list, model);
  const hours = hoursOf(list, model);
  const searching = searchPricesOf(list, model);
  const kinds = kindPricesOf(list, model);
  const groupRatio = Object.hasOwn(list.GroupRatio, group) ? list.GroupRatio[group] : undefined;
  return {
    fixed: ratio(list.ModelPrice, ""),
    model: ratio(list.ModelRatio, "0"),
    completion: ratio(list.CompletionRatio, "1"),
    group: groupRatio ?? "1",
    cache: ratio(list.CacheRatio, "1"),
    cacheCreation: ratio(list.CreateCacheRatio, "1.25"),
    cacheHour: ratio(list.CreateCacheRatio1h, "2"),
    audio: ratio(list.AudioRatio, "20"),
    audioCompletion: ratio(list.AudioCompletionRatio, "2"),
    ...(long === undefined ? {} : { long }),
    ...(tiers === undefined ? {} : { tiers }),
    ...(hours === undefined ? {} : { hours }),
    ...(searching === undefined ? {} : { searching }),
    ...(kinds === undefined ? {} : { kinds }),
  };
}
