import { useQuery } from "@tanstack/react-query";
import { ClipboardPaste, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Link } from "#ui/controls/Link.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Page } from "#ui/layout/Page.tsx";
import { PageHeader } from "#ui/layout/PageHeader.tsx";
import { useListSearch } from "#ui/table/list-search.ts";
import { priceOptionNames } from "#widgets/money/price-maps.ts";
import { useDrafts } from "#widgets/option-form/drafts.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { BulkSheet } from "./BulkSheet.tsx";
import { ModelList } from "./ModelList.tsx";
import { isShown, modelRows, type ModelRow } from "./models-list.ts";
import { modelShows, modelsSearch, type ModelShow } from "./models.search.ts";
import { ModelSheet } from "./ModelSheet.tsx";
import { PasteSheet } from "./PasteSheet.tsx";
import { enabledModelsQuery } from "./prices.api.ts";
import { newPrefix, sheetOf } from "./prices.search.ts";
import {
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
  const before = readPriceMaps((name) => stored[name] ?? "");
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
  const { data: offered } = useQuery(enabledModelsQuery);
  const rows = useMemo(
    () => modelRows({ maps, stored, offered: offered ?? [] }),
    [maps, stored, offered],
  );
  const [bulk, setBulk] = useState<readonly PriceRow[]>([]);
  const [isPasting, setPasting] = useState(false);
  const put = (changed: readonly PriceRow[]) => {
    for (const { name, text } of putPrices(maps, changed)) drafts.change(name, text);
  };
  const isClean = drafts.changedOf(priceOptionNames).length === 0;
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
            <Button
              icon={<ClipboardPaste size={16} aria-hidden />}
              onClick={() => setPasting(true)}
            >
              {t("prices.paste")}
            </Button>
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
        rows={rows}
        quotaPerUnit={quotaPerUnit}
        search={search}
        onSearch={setSearch}
        onBulk={setBulk}
        onRemove={(models) => put(models.map(({ model }) => ({ model, prices: {} })))}
      />
      {bulk.length > 0 && (
        <BulkSheet
          rows={bulk}
          priced={rows.filter(({ isPriced }) => isPriced)}
          quotaPerUnit={quotaPerUnit}
          onApply={put}
          onClose={() => setBulk([])}
        />
      )}
      {isPasting && (
        <PasteSheet
          maps={maps}
          quotaPerUnit={quotaPerUnit}
          onApply={put}
          onClose={() => setPasting(false)}
        />
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
          onApply={async (row) => {
            put([row]);
            if (isClean) await drafts.save(priceOptionNames);
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
