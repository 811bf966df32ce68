import {
  listModelFacts,
  type ModelFactsRow,
  type ModelStatistics,
  statisticsDays,
} from "@tollgate/contract/endpoints/model-facts.ts";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { sourceOf } from "@tollgate/contract/money/price-book.ts";
import type { ModelFacts } from "@tollgate/contract/endpoints/price-catalogue.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { OfferSources } from "#modules/groups/groups.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ReadCatalogue } from "./catalogue/open-catalogue.ts";
import { dayOf } from "./price-changes.ts";
import type { pricingStore } from "./pricing.store.ts";

type FactDeps = Pick<OfferSources, "modelsOf" | "prices"> & {
  readonly catalogue: ReadCatalogue;
  readonly store: Pick<RemoteStore<typeof pricingStore>, "readModelStatistics">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** How long an answer is kept, in milliseconds: anybody may ask. */
const keptMs = 600_000;

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** A channel of no known provider: models are then found by their vendors. */
const anyChannel = { type: 0, baseUrl: "" };

/** Handles the request for what is known of models beside their prices. */
export function modelFactHandlers(deps: FactDeps): Handler[] {
  const { catalogue, store, prices, modelsOf, now } = deps;
  let kept: { readonly until: number; readonly rows: Promise<ModelFactsRow[]> } | null = null;

  async function read(): Promise<ModelFactsRow[]> {
    const seconds = Math.floor(now() / 1_000);
    const end = seconds - (seconds % hourSeconds) + hourSeconds;
    const statistics = new Map<string, ModelStatistics>(
      await store.readModelStatistics({ start: end - statisticsDays * daySeconds, end }),
    );
    const known = await catalogue();
    const day = dayOf(now());
    const list = prices();
    const models = new Set(Object.keys(list.GroupRatio).flatMap((group) => modelsOf(group)));
    return [...models].toSorted().flatMap((model) => {
      const facts = factsOf(known, list, model, day) ?? null;
      const own = statistics.get(model) ?? null;
      return facts === null && own === null ? [] : [{ model_name: model, facts, statistics: own }];
    });
  }

  return [
    handle(listModelFacts, async () => {
      if (kept === null || kept.until < now()) {
        const rows = read();
        kept = { until: now() + keptMs, rows };
        // A failure is not kept.
        rows.catch(() => (kept = null));
      }
      return await kept.rows;
    }),
  ];
}

/** Finds what the catalogue knows of a model: of the entry that its price is of, if it is of one. */
function factsOf(
  catalogue: Catalogue,
  list: PriceList,
  model: string,
  day: string,
): ModelFacts | undefined {
  const { provider, entry } = sourceOf(list, model) ?? {};
  const found =
    provider !== undefined && entry !== undefined
      ? catalogue.find(provider, entry, day)
      : undefined;
  const { facts = {} } = found ?? catalogue.match(anyChannel, model, day) ?? {};
  return Object.keys(facts).length === 0 ? undefined : facts;
}
