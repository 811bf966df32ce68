import { noUsage } from "@tollgate/contract/charge.ts";
import { role } from "@tollgate/contract/users.ts";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import type { Filter } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { choiceFilter } from "#ui/table/tools/choice-filter.ts";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { useSession } from "#widgets/server/use-status.ts";
import {
  groupPrices,
  type ModelPrice,
  modelPrices,
  type Pricing,
} from "#widgets/money/model-prices.ts";
import { ExampleCall } from "./ExampleCall.tsx";
import { GroupPrices } from "./GroupPrices.tsx";
import { usePricing } from "./pricing.api.ts";
import { pricingColumns } from "./pricing.columns.tsx";
import { findPrices, pricingSearch, type PricingSearch } from "./pricing.search.ts";

/** The group whose prices visitors see who are not signed in. */
const visitorGroup = "default";

const noRatios: Pricing["groupRatios"] = {};

/**
 * `/pricing`, for everybody: the prices of all models in a group, computed by the function that
 * charges calls.
 */
export function PricingScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(pricingSearch);
  const { data: pricing, ...query } = usePricing();
  const { quotaPerUnit } = useQuotaDisplay();
  const session = useSession();
  const isAdmin = (session?.role ?? 0) >= role.enum.admin;
  const own = session?.group ?? visitorGroup;
  const group = groupOf(pricing, search.group, own);
  const { unit } = search;
  const ratios = pricing?.groupRatios ?? noRatios;
  const all = useMemo(
    () => (pricing === undefined ? undefined : modelPrices(pricing, group, quotaPerUnit)),
    [pricing, group, quotaPerUnit],
  );
  const found = all === undefined ? undefined : findPrices(all, search);
  const page = ({ page: number, size }: { readonly page: number; readonly size: number }) => ({
    items: (found ?? []).slice((number - 1) * size, number * size),
    total: found?.length ?? 0,
  });
  const { tokens_in, tokens_cached, tokens_out } = search;
  const usage = useMemo(
    () => ({ ...noUsage, input: tokens_in, cacheRead: tokens_cached, output: tokens_out }),
    [tokens_in, tokens_cached, tokens_out],
  );
  const columns = useMemo(() => pricingColumns(t, unit, ratios, usage), [t, unit, ratios, usage]);
  const unpriced = (all ?? []).filter(({ kind }) => kind === "unpriced").length;
  const example = (
    <ExampleCall usage={usage} onChange={(change) => setSearch(change, { replace: true })} />
  );

  return (
    <ListScreen<ModelPrice, PricingSearch>
      id="pricing"
      title={t("pricing.title")}
      description={t("pricing.description", { group, ratio: String(ratios[group] ?? "–") })}
      search={search}
      onSearch={setSearch}
      query={{ ...query, data: found === undefined ? undefined : page(search) }}
      fetchPage={async (window) => page(window)}
      columns={columns}
      rowId={rowId}
      rowName={rowId}
      rowTone={rowTone}
      controlsSet={Number(group !== own)}
      keyword={{ name: "keyword", placeholder: t("pricing.searchPlaceholder") }}
      filters={filtersOf(t)}
      controls={
        <>
          <div className="w-56 max-w-full">
            <Select
              aria-label={t("pricing.group")}
              items={groupItems(pricing, own, session !== null, t)}
              value={group}
              onChange={(chosen) => setSearch({ group: chosen === own ? "" : chosen })}
            />
          </div>
          <Segmented
            aria-label={t("pricing.unit")}
            items={[
              { value: "K", label: t("pricing.unitK") },
              { value: "M", label: t("pricing.unitM") },
            ]}
            value={unit}
            onChange={(chosen) => setSearch({ unit: chosen }, { replace: true })}
          />
          {/* On a phone the tokens of a call are among the folded controls. */}
          <div className="sm:hidden">{example}</div>
        </>
      }
      summary={
        <>
          {isAdmin && unpriced > 0 && (
            <Banner tone="warning" title={t("pricing.unpricedTitle", { count: unpriced })}>
              {t("pricing.unpricedBody")}
            </Banner>
          )}
          <div className="max-sm:hidden">{example}</div>
        </>
      }
      expand={({ model }) =>
        pricing !== undefined && (
          <GroupPrices
            model={model}
            unit={unit}
            usage={usage}
            prices={groupPrices(pricing, model, quotaPerUnit)}
          />
        )
      }
      empty={{
        title: t("pricing.emptyTitle"),
        description: t("pricing.emptyText"),
        action: isAdmin ? (
          <LinkButton to="/channel" variant="primary">
            {t("pricing.emptyAdmin")}
          </LinkButton>
        ) : (
          <LinkButton to="/">{t("app.home")}</LinkButton>
        ),
      }}
    />
  );
}

/**
 * Returns the group whose prices are shown: that in the address if the caller may use it, otherwise
 * the caller's own.
 */
function groupOf(pricing: Pricing | undefined, asked: string, own: string): string {
  if (pricing === undefined) return own;
  const known = Object.keys(pricing.groupRatios);
  return [asked, own].find((group) => known.includes(group)) ?? known[0] ?? own;
}

function groupItems(pricing: Pricing | undefined, own: string, isMarked: boolean, t: T) {
  const groups = Object.entries(pricing?.groupRatios ?? {});
  return groups
    .toSorted(([a], [b]) => Number(b === own) - Number(a === own) || a.localeCompare(b))
    .map(([value, ratio]) => {
      const label = t("pricing.groupItem", { group: value, ratio: String(ratio) });
      const hint = pricing?.groups[value] ?? "";
      return {
        value,
        label: isMarked && value === own ? t("pricing.ownGroup", { label }) : label,
        ...(hint === "" ? {} : { hint }),
      };
    });
}

function filtersOf(t: T): readonly Filter[] {
  return [
    choiceFilter("type", t("pricing.type"), {
      tokens: t("pricing.perTokens"),
      call: t("pricing.perCall"),
      unpriced: t("pricing.unpriced"),
    }),
    choiceFilter("only", t("pricing.only"), { group: t("pricing.onlyGroup") }),
  ];
}

function rowId({ model }: ModelPrice): string {
  return model;
}

function rowTone({ isCallable }: ModelPrice): "muted" | undefined {
  return isCallable ? undefined : "muted";
}
