import { Bookmark, Columns3, Download, FileJson, ListChecks } from "lucide-react";
import { type ComponentType, type ReactNode, Suspense, useState } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import type { Column } from "#ui/table/column.ts";
import {
  DisplayPopup,
  loadDisplay,
  loadExport,
  loadViews,
  ViewsPopup,
} from "#ui/table/lazy-parts.ts";
import type { SetListSearch } from "#ui/table/list-search.ts";
import type { FileFormat } from "./csv.ts";
import { type TableSettings, useTableSettings } from "#ui/table/views/table-settings.ts";

type Common = {
  /** The id of the table, under which its settings are stored. */
  readonly id: string;
  /** All columns of the screen, hidden ones as well. */
  readonly columns: readonly Pick<Column<never>, "card" | "hidden" | "id" | "title">[];
  /** The names of the list's values in the address; a saved view stores these values. */
  readonly names: readonly string[];
  readonly onSearch: SetListSearch;
  readonly onHelp: () => void;
};

/** The props of each tool's popup. */
export type ToolProps = Common & {
  readonly anchor: HTMLElement;
  readonly settings: TableSettings;
  readonly onClose: () => void;
};

export type ListToolsProps = Common & {
  /**
   * Starts the export to a CSV file; absent: the list has no export, because the screen cannot read
   * further pages.
   */
  readonly onExport?: ((format: FileFormat) => void) | undefined;
  /** Whether the rows can be exported as lines of JSON, too. */
  readonly hasLines?: boolean;
  readonly exporting: boolean;
  /** The popup of views that are kept elsewhere than in this browser; absent: they are kept here. */
  readonly viewsPopup?: ComponentType<ToolProps> | undefined;
  /** Whether the bar of bulk actions stands there before a row is selected. */
  readonly picking: boolean;
  /** Shows or hides that bar; absent: the list has no bulk actions. */
  readonly onPicking: (() => void) | undefined;
};

/** The tools of a list: buttons for bulk actions, views, columns and the CSV file, with popups. */
export function ListTools(props: ListToolsProps) {
  const { id, onExport, hasLines = false, exporting, picking, onPicking } = props;
  const { viewsPopup: Views = ViewsPopup } = props;
  const t = useT();
  const settings = useTableSettings(id);
  const [open, setOpen] = useState<{ tool: "views" | "display"; anchor: HTMLElement } | null>(null);
  const popup = open && { ...props, settings, anchor: open.anchor, onClose: () => setOpen(null) };

  const button = (
    tool: "views" | "display",
    label: string,
    icon: ReactNode,
    load: () => unknown,
  ) => (
    <IconButton
      label={label}
      icon={icon}
      aria-haspopup="dialog"
      aria-expanded={open?.tool === tool}
      onPointerEnter={() => void load()}
      onClick={({ currentTarget: anchor }) =>
        setOpen(open?.tool === tool ? null : { tool, anchor })
      }
    />
  );
  return (
    <>
      {onPicking !== undefined && (
        <IconButton
          label={t("ui.tableBulk")}
          icon={<ListChecks size={16} aria-hidden />}
          aria-pressed={picking}
          onClick={onPicking}
        />
      )}
      {button("views", t("ui.tableViews"), <Bookmark size={16} aria-hidden />, loadViews)}
      {button("display", t("ui.tableDisplay"), <Columns3 size={16} aria-hidden />, loadDisplay)}
      {onExport !== undefined && (
        <IconButton
          label={t("ui.tableExport")}
          icon={<Download size={16} aria-hidden />}
          loading={exporting}
          onPointerEnter={() => void loadExport()}
          onClick={() => onExport("csv")}
        />
      )}
      {onExport !== undefined && hasLines && (
        <IconButton
          label={t("ui.tableExportLines")}
          icon={<FileJson size={16} aria-hidden />}
          disabled={exporting}
          onPointerEnter={() => void loadExport()}
          onClick={() => onExport("ndjson")}
        />
      )}
      <Suspense>
        {popup !== null && open?.tool === "views" && <Views {...popup} />}
        {popup !== null && open?.tool === "display" && <DisplayPopup {...popup} />}
      </Suspense>
    </>
  );
}
