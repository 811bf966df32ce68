import { useQuery } from "@tanstack/react-query";
import { History, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { toast } from "#ui/overlays/toast.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { priceOptionNames } from "#widgets/money/price-maps.ts";
import { useDrafts } from "#widgets/option-form/drafts.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { BulkSheet } from "./BulkSheet.tsx";
import { ModelList } from "./ModelList.tsx";
import { isShown, modelRows, type ModelRow } from "./models-list.ts";
import { modelShows, modelsSearch, type ModelShow } from "./models.search.ts";
import { ModelSheet } from "./ModelSheet.tsx";
import { CatalogueSheet } from "./CatalogueSheet.tsx";
import { ImportSheet } from "./ImportSheet.tsx";
import { PriceTools } from "./PriceTools.tsx";
import { enabledModelsQuery, pricesQuery, useSavePrices } from "./prices.api.ts";
import { SaveBar } from "./SaveBar.tsx";
import { newPrefix, sheetOf } from "./prices.search.ts";
import {
  changesOf,
  type PriceMaps,
  putPrices,
  readGroups,
  readPriceMaps,
  type PriceRow,
} from "./price-table.ts";

/** `/prices`, for root: all models that have a price or that channels offer, grouped by brand. */
export function ModelsScreen() {
  const t = useT();
  const { textOf, stored } = useDrafts();
  const maps = readPriceMaps(textOf);
  const before = useMemo(() => readPriceMaps((name) => stored[name] ?? ""), [stored]);
  if (maps.ok) {
    return <Models maps={maps.value} stored={before.ok ? before.value : maps.value} />;
  }
  return (
    <Page>
      <PageHeader title={t("prices.title")} />
      <Banner
        tone="danger"
        title={t("prices.broken", { reason: showMessage(maps.message, t) })}
        action={<SettingsLink />}
      />
    </Page>
  );
}

function Models({ maps, stored }: { readonly maps: PriceMaps; readonly stored: PriceMaps }) {
  const t = useT();
  const [search, setSearch] = useListSearch(modelsSearch);
  const drafts = useDrafts();
  const quotaPerUnit = drafts.stored.QuotaPerUnit ?? "0";
  const { data: offered, isPending } = useQuery(enabledModelsQuery);
  const { data: list } = useQuery(pricesQuery);
  const { mutateAsync: savePrices } = useSavePrices();
  const isClean = drafts.changedOf(priceOptionNames).length === 0;
  // The prices that unsaved changes began from: what others save meanwhile is none of them.
  const [base, setBase] = useState(stored);
  if (isClean && base !== stored) setBase(stored);
  const rows = useMemo(
    () => modelRows({ maps, stored: base, offered: offered ?? [], list }),
    [maps, base, offered, list],
  );
  const [bulk, setBulk] = useState<readonly string[]>([]);
  const [fromCatalogue, setCatalogue] = useState<readonly string[]>([]);
  const unpriced = rows.filter((row) => isShown(row, "unpriced")).map(({ model }) => model);
  const [isImporting, setImporting] = useState(false);
  const put = (changed: readonly PriceRow[]) => {
    for (const { name, text } of putPrices(maps, changed)) drafts.change(name, text);
  };
  /** Opens what saves at once, unless changes wait that it would not show. */
  const whenClean = (open: () => void) => () => {
    if (isClean) open();
    else toast({ tone: "warning", title: t("prices.saveFirst") });
  };
  const sheet = sheetOf(search.open, rows);
  return (
    <Page>
      <PageHeader
        title={t("prices.title")}
        description={
          <>
            {t("prices.description")} <SettingsLink />
          </>
        }
        actions={
          <>
            <span className="max-md:hidden">
              <LinkButton to="/prices/versions" icon={<History size={16} aria-hidden />}>
                {t("app.screenPriceVersions")}
              </LinkButton>
            </span>
            <PriceTools
              list={list}
              unpriced={unpriced.length}
              onCatalogue={whenClean(() => setCatalogue(unpriced))}
              onImport={whenClean(() => setImporting(true))}
            />
            <Button
              variant="primary"
              icon={<Plus size={16} aria-hidden />}
              onClick={() => setSearch({ open: newPrefix })}
            >
              {t("settings.modelAdd")}
            </Button>
          </>
        }
      />
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-64 max-w-full max-md:w-full">
          <SearchInput
            value={search.model}
            shortcut="/"
            placeholder={t("prices.search")}
            onChange={(model) => setSearch({ model }, { replace: true })}
          />
        </div>
        <Shows rows={rows} show={search.show} onChange={(show) => setSearch({ show })} />
      </div>
      <SaveBar rows={rows} base={base} />
      <ModelList
        // Which models are offered decides the order, so no row is drawn before that is known.
        rows={isPending ? undefined : rows}
        quotaPerUnit={quotaPerUnit}
        search={search}
        onSearch={setSearch}
        onBulk={(models) => whenClean(() => setBulk(models.map(({ model }) => model)))()}
        onCatalogue={(models) => whenClean(() => setCatalogue(models.map(({ model }) => model)))()}
        onRemove={(models) => put(models.map(({ model }) => ({ model, prices: {} })))}
      />
      {bulk.length > 0 && list !== undefined && (
        <BulkSheet models={bulk} list={list} onClose={() => setBulk([])} />
      )}
      {fromCatalogue.length > 0 && (
        <CatalogueSheet models={fromCatalogue} onClose={() => setCatalogue([])} />
      )}
      {isImporting && list !== undefined && (
        <ImportSheet list={list} onClose={() => setImporting(false)} />
      )}
      {sheet !== undefined && (
        <ModelSheet
          key={search.open}
          row={sheet.row}
          // For a model that is offered without a price, the name is already known and must not be
          // typed.
          isNew={sheet.isNew && search.open === newPrefix}
          taken={new Set(rows.filter(({ isPriced }) => isPriced).map(({ model }) => model))}
          quotaPerUnit={quotaPerUnit}
          groups={readGroups(drafts.textOf)}
          // While there are other unsaved changes, this one joins them, so that root can save all
          // of them together.
          savesAtOnce={isClean}
          changesOf={isClean ? (row) => changesOf(stored, [row]) : undefined}
          onApply={async (row) => {
            if (!isClean) put([row]);
            else await savePrices({ changes: changesOf(stored, [row]) });
          }}
          onClose={() => setSearch({ open: "" })}
        />
      )}
    </Page>
  );
}

/** A link to the settings, where groups and the prices' JSON can be edited. */
function SettingsLink() {
  const t = useT();
  return <Link href="/setting?tab=operation#groups">{t("prices.settingsLink")}</Link>;
}

function Shows(props: {
  readonly rows: readonly ModelRow[];
  readonly show: ModelShow;
  readonly onChange: (show: ModelShow) => void;
}) {
  const { rows, show, onChange } = props;
  const t = useT();
  const names: Readonly<Record<ModelShow, string>> = {
    all: t("prices.showAll"),
    offered: t("prices.showOffered"),
    unpriced: t("prices.showUnpriced"),
    changed: t("prices.showChanged"),
  };
  return (
    <Segmented<ModelShow>
      aria-label={t("prices.show")}
      items={modelShows.map((value) => ({
        value,
        label: `${names[value]} ${rows.filter((row) => isShown(row, value)).length}`,
      }))}
      value={show}
      onChange={onChange}
    />
  );
}
