import type { ChargedUsage } from "@tollgate/contract/money/charge.ts";
import type { ModelFactsRow } from "@tollgate/contract/endpoints/model-facts.ts";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Empty } from "#ui/feedback/Empty.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { ListOutline } from "#ui/feedback/outlines.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import type { Filter, ListPage, ListQuery } from "#ui/table/column.ts";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { Pager } from "#ui/table/pages/Pager.tsx";
import { Toolbar } from "#ui/table/tools/Toolbar.tsx";
import { useWide } from "#ui/table/use-browser.ts";
import type { ModelPrice } from "#widgets/money/model-prices.ts";
import { ModelCard } from "./ModelCard.tsx";
import {
  comparedMax,
  comparedModels,
  type PricingSearch,
  toggledCompare,
} from "./pricing.search.ts";

/** The price list as cards, with the search, filters, controls and pages of the table. */
export function PricingCards(props: {
  readonly search: PricingSearch;
  readonly onSearch: SetListSearch<PricingSearch>;
  readonly query: ListQuery<ModelPrice>;
  readonly facts: ReadonlyMap<string, ModelFactsRow>;
  readonly usage: ChargedUsage;
  readonly description: ReactNode;
  readonly filters: readonly Filter[];
  readonly controls: ReactNode;
  readonly controlsSet: number;
  readonly summary: ReactNode;
  readonly children: ReactNode;
}) {
  const { search, query, facts, usage, filters, controls } = props;
  const t = useT();
  const wide = useWide();
  // Safe cast: the filters were made from the same search schema.
  const onSearch = props.onSearch as SetListSearch;
  const compared = comparedModels(search);
  const { data } = query;
  return (
    <Page>
      <div className="flex min-w-0 flex-col gap-3">
        <PageHeader
          title={t("pricing.title")}
          description={wide ? props.description : undefined}
          actions={wide ? controls : undefined}
        />
        {props.summary}
        <Toolbar
          keyword={{ name: "keyword", placeholder: t("pricing.searchPlaceholder") }}
          filters={filters}
          search={search}
          onSearch={onSearch}
          onClear={() => props.onSearch({ keyword: "", type: "", only: "" })}
          controls={controls}
          controlsSet={props.controlsSet}
          end={null}
        />
        {data === undefined && query.error === null && <ListOutline />}
        {query.error !== null && (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )}
        {data !== undefined && (
          <Cards data={data}>
            {data.items.map((row) => (
              <ModelCard
                key={row.model}
                row={row}
                facts={facts.get(row.model)}
                unit={search.unit}
                usage={usage}
                isCompared={compared.includes(row.model)}
                isFull={compared.length >= comparedMax}
                onCompare={() =>
                  props.onSearch(
                    { compare: toggledCompare(search, row.model), page: search.page },
                    { replace: true },
                  )
                }
              />
            ))}
          </Cards>
        )}
        {data !== undefined && data.items.length > 0 && (
          <Pager
            page={search.page}
            size={search.size}
            data={data}
            onChange={(patch) => props.onSearch(patch)}
          />
        )}
      </div>
      {props.children}
    </Page>
  );
}

function Cards(props: { readonly data: ListPage<ModelPrice>; readonly children: ReactNode }) {
  const t = useT();
  if (props.data.items.length === 0) {
    return <Empty title={t("pricing.noneFound")} description={t("pricing.noneFoundText")} />;
  }
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,17rem),1fr))] gap-3">
      {props.children}
    </div>
  );
}
