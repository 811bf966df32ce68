import { useQuery } from "@tanstack/react-query";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { type ReactNode, useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import type { Filter } from "#ui/table/column.ts";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
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
import { pricingQuery } from "#widgets/money/pricing-query.ts";
import { ExampleCall } from "./ExampleCall.tsx";
import { GroupPrices } from "./GroupPrices.tsx";
import { CompareSheet } from "./CompareSheet.tsx";
import { useModelFacts } from "./pricing.api.ts";
import { pricingColumns } from "./pricing.columns.tsx";
import { PricingCards } from "./PricingCards.tsx";
import {
  comparedMax,
  comparedModels,
  compareOpen,
  findPrices,
  pricingSearch,
  type PricingSearch,
  toggledCompare,
} from "./pricing.search.ts";

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
  const { data: pricing, ...query } = useQuery(pricingQuery);
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
  const compared = comparedModels(search);
  const facts = useModelFacts(search.view === "cards" || search.open === compareOpen);
  const unpriced = (all ?? []).filter(({ kind }) => kind === "unpriced").length;
  const example = (
    <ExampleCall usage={usage} onChange={(change) => setSearch(change, { replace: true })} />
  );

  const description = t("pricing.description", { group, ratio: String(ratios[group] ?? "–") });
  const controls = (
    <Controls
      search={search}
      groups={groupItems(pricing, own, session !== null, t)}
      group={group}
      own={own}
      example={example}
      onSearch={setSearch}
    />
  );
  const summary = (
    <>
      {isAdmin && unpriced > 0 && (
        <Banner tone="warning" title={t("pricing.unpricedTitle", { count: unpriced })}>
          {t("pricing.unpricedBody")}
        </Banner>
      )}
      <div className="max-sm:hidden">{example}</div>
      {compared.length > 0 && <CompareBar models={compared} onSearch={setSearch} />}
    </>
  );
  const compare = search.open === compareOpen && all !== undefined && compared.length > 0 && (
    <CompareSheet
      rows={compared.flatMap((model) => all.filter((row) => row.model === model))}
      facts={facts}
      unit={unit}
      usage={usage}
      onClear={() => setSearch({ compare: "", open: "" })}
      onClose={() => setSearch({ open: "" })}
    />
  );
  const shared = {
    search,
    onSearch: setSearch,
    query: { ...query, data: found === undefined ? undefined : page(search) },
    description,
    filters: filtersOf(t),
    controls,
    controlsSet: Number(group !== own),
    summary,
    children: compare,
  };
  if (search.view === "cards") return <PricingCards {...shared} facts={facts} usage={usage} />;
  return (
    <ListScreen<ModelPrice, PricingSearch>
      {...shared}
      id="pricing"
      title={t("pricing.title")}
      fetchPage={async (window) => page(window)}
      columns={columns}
      rowId={rowId}
      rowName={rowId}
      rowTone={rowTone}
      keyword={{ name: "keyword", placeholder: t("pricing.searchPlaceholder") }}
      expand={({ model }) =>
        pricing !== undefined && (
          <div className="flex min-w-0 flex-col items-start gap-2">
            <GroupPrices
              model={model}
              unit={unit}
              usage={usage}
              prices={groupPrices(pricing, model, quotaPerUnit)}
            />
            <Checkbox
              label={t("pricing.compare")}
              checked={compared.includes(model)}
              disabled={compared.length >= comparedMax && !compared.includes(model)}
              onChange={() =>
                setSearch(
                  { compare: toggledCompare(search, model), page: search.page },
                  { replace: true },
                )
              }
            />
          </div>
        )
      }
      empty={emptyOf(isAdmin, t)}
    />
  );
}

/** What is said where no model is offered, and the next step. */
function emptyOf(isAdmin: boolean, t: T) {
  return {
    title: t("pricing.emptyTitle"),
    description: t("pricing.emptyText"),
    action: isAdmin ? (
      <LinkButton to="/channel" variant="primary">
        {t("pricing.emptyAdmin")}
      </LinkButton>
    ) : (
      <LinkButton to="/">{t("app.home")}</LinkButton>
    ),
  };
}

/** The view, the group whose prices are shown, and the unit. */
function Controls(props: {
  readonly search: PricingSearch;
  readonly groups: ReturnType<typeof groupItems>;
  readonly group: string;
  readonly own: string;
  readonly example: ReactNode;
  readonly onSearch: SetListSearch<PricingSearch>;
}) {
  const { search, group, own, onSearch } = props;
  const t = useT();
  return (
    <>
      <Segmented
        aria-label={t("pricing.view")}
        items={[
          { value: "table", label: t("pricing.viewTable") },
          { value: "cards", label: t("pricing.viewCards") },
        ]}
        value={search.view}
        onChange={(view) => onSearch({ view, page: 1 }, { replace: true })}
      />
      <div className="w-56 max-w-full">
        <Select
          aria-label={t("pricing.group")}
          items={props.groups}
          value={group}
          onChange={(chosen) => onSearch({ group: chosen === own ? "" : chosen })}
        />
      </div>
      <Segmented
        aria-label={t("pricing.unit")}
        items={[
          { value: "K", label: t("pricing.unitK") },
          { value: "M", label: t("pricing.unitM") },
        ]}
        value={search.unit}
        onChange={(chosen) => onSearch({ unit: chosen }, { replace: true })}
      />
      {/* On a phone the tokens of a call are among the folded controls. */}
      <div className="sm:hidden">{props.example}</div>
    </>
  );
}

/** The models that are chosen for a comparison, and the button that opens it; stays in view. */
function CompareBar(props: {
  readonly models: readonly string[];
  readonly onSearch: SetListSearch<PricingSearch>;
}) {
  const { models, onSearch } = props;
  const t = useT();
  return (
    <div className="sticky top-2 z-4">
      <Banner
        title={t("pricing.compareChosen", { models: models.join(", ") })}
        action={
          <span className="flex flex-wrap items-center gap-2">
            <Button size="sm" onClick={() => onSearch({ compare: "" }, { replace: true })}>
              {t("pricing.compareClear")}
            </Button>
            <Button
              size="sm"
              variant="primary"
              disabled={models.length < 2}
              onClick={() => onSearch({ open: compareOpen })}
            >
              {t("pricing.compareOpen", { count: models.length })}
            </Button>
          </span>
        }
      />
    </div>
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
