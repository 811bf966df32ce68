import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { writePriceCsv } from "@tollgate/contract/money/price-csv.ts";
import { FileDown, FileUp, History, MoreHorizontal, Rss, Sparkles } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { saveFile } from "#ui/copy/save-file.ts";
import { Menu } from "#ui/overlays/Menu.tsx";
import { byteOrderMark } from "#ui/table/tools/csv.ts";

/** The menu beside the title: prices in and out as CSV, and the versions. */
export function PriceTools(props: {
  readonly list: PriceList | undefined;
  /** How many models that channels offer have no price. */
  readonly unpriced: number;
  readonly onCatalogue: () => void;
  readonly onImport: () => void;
}) {
  const { list, unpriced, onCatalogue, onImport } = props;
  const t = useT();
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <IconButton
          variant="default"
          label={t("prices.tools")}
          icon={<MoreHorizontal size={16} aria-hidden />}
        />
      }
      items={[
        {
          key: "catalogue",
          label: t("prices.catalogueUnpriced", { count: unpriced }),
          icon: <Sparkles size={14} aria-hidden />,
          ...(unpriced === 0 ? { disabled: t("prices.catalogueNone") } : {}),
          onSelect: onCatalogue,
        },
        {
          key: "import",
          label: t("prices.importTitle"),
          icon: <FileUp size={14} aria-hidden />,
          onSelect: onImport,
        },
        {
          key: "export",
          label: t("prices.export"),
          icon: <FileDown size={14} aria-hidden />,
          onSelect: () => list !== undefined && exportPrices(list),
        },
        {
          key: "sources",
          label: t("app.screenPriceSources"),
          icon: <Rss size={14} aria-hidden />,
          onSelect: () => void navigate({ to: "/prices/sources" }),
        },
        {
          key: "versions",
          label: t("app.screenPriceVersions"),
          icon: <History size={14} aria-hidden />,
          onSelect: () => void navigate({ to: "/prices/versions" }),
        },
      ]}
    />
  );
}

/** Downloads the prices in force. */
function exportPrices(list: PriceList): void {
  const type = "text/csv;charset=utf-8";
  saveFile(new Blob([byteOrderMark, writePriceCsv(list)], { type }), "prices.csv");
}
