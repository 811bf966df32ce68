import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { Banner } from "#ui/feedback/Banner.tsx";
import { showMessage } from "#widgets/server/server-message.ts";
import { ModelTable } from "./ModelTable.tsx";
import { dollarsPerMillion, readPriceMaps } from "./price-table.ts";
import { priceOptionNames } from "#widgets/money/price-maps.ts";
import { OptionGrid, SectionCard } from "#widgets/option-form/SectionCard.tsx";
import { useResetModelRatio } from "./prices.api.ts";
import { pricesSearch } from "./prices.search.ts";
import { useDrafts } from "#widgets/option-form/drafts.ts";

type Mode = "visual" | "json";

/**
 * The settings section with the prices of models, shown as a table or as the JSON that is saved.
 */
export function PricesScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(pricesSearch);
  const { textOf, stored } = useDrafts();
  const [mode, setMode] = useState<Mode>("visual");
  const maps = readPriceMaps(textOf);
  const before = readPriceMaps((name) => stored[name] ?? "");
  const quotaPerUnit = stored.QuotaPerUnit ?? "0";
  return (
    <SectionCard
      // The anchor is the section's name in the contract, as in all sections of the settings.
      anchor="prices"
      title={t("settings.modelPrices")}
      help={t("settings.modelPricesHelp", {
        price: dollarsPerMillion(["1"], quotaPerUnit) ?? "$0.00",
      })}
      keys={priceOptionNames}
      actions={
        <>
          <ResetRatios />
          <Segmented<Mode>
            aria-label={t("settings.editorMode", { name: t("settings.modelPrices") })}
            items={[
              { value: "visual", label: t("settings.visual") },
              { value: "json", label: t("settings.json") },
            ]}
            value={mode}
            onChange={setMode}
          />
        </>
      }
    >
      {mode === "json" ? (
        <OptionGrid names={priceOptionNames} />
      ) : maps.ok ? (
        <ModelTable
          maps={maps.value}
          stored={before.ok ? before.value : maps.value}
          quotaPerUnit={quotaPerUnit}
          search={search}
          onSearch={setSearch}
        />
      ) : (
        <Banner
          tone="danger"
          title={t("settings.jsonBroken", { reason: showMessage(maps.message, t) })}
          action={
            <Button size="sm" onClick={() => setMode("json")}>
              {t("settings.json")}
            </Button>
          }
        />
      )}
    </SectionCard>
  );
}

function ResetRatios() {
  const t = useT();
  const confirm = useConfirm();
  const { revert } = useDrafts();
  const { mutateAsync: reset, isPending } = useResetModelRatio();

  async function start() {
    const agreed = await confirm({
      title: t("settings.resetRatiosTitle"),
      body: t("settings.resetRatiosBody"),
      confirmLabel: t("settings.resetRatios"),
      tone: "danger",
    });
    if (!agreed) return;
    try {
      await reset();
      revert(["ModelRatio"]);
      toast({ tone: "success", title: t("settings.resetRatiosDone") });
    } catch (error) {
      toastError(error);
    }
  }

  return (
    <Button
      size="sm"
      loading={isPending}
      icon={<RotateCcw size={14} aria-hidden />}
      onClick={() => void start()}
    >
      {t("settings.resetRatios")}
    </Button>
  );
}
