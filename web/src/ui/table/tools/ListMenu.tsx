import {
  Bookmark,
  Check,
  Columns3,
  Download,
  Ellipsis,
  FileJson,
  ListChecks,
  RotateCw,
} from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Menu } from "#ui/overlays/Menu.tsx";
import { DisplayPopup, ViewsPopup } from "#ui/table/lazy-parts.ts";
import {
  changeTableSettings,
  refreshIntervals,
  useTableSettings,
} from "#ui/table/views/table-settings.ts";
import type { ListToolsProps } from "./ListTools.tsx";
import { intervalLabel, type RefreshProps, useAutoRefresh } from "./RefreshControl.tsx";

/**
 * A menu on phones with everything about the list that is neither a filter nor an action on rows.
 */
export function ListMenu(props: ListToolsProps & RefreshProps) {
  const { id, isFetching, refetch, onExport, exporting, onPicking } = props;
  const { viewsPopup: Views = ViewsPopup, hasLines } = props;
  const t = useT();
  const settings = useTableSettings(id);
  useAutoRefresh(settings.refreshSeconds, isFetching, refetch);
  const place = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState<{ tool: "views" | "display"; anchor: HTMLElement } | null>(null);
  const popup = open && { ...props, settings, anchor: open.anchor, onClose: () => setOpen(null) };
  const show = (tool: "views" | "display") => () => {
    const anchor = place.current?.querySelector("button");
    if (anchor !== null && anchor !== undefined) setOpen({ tool, anchor });
  };
  return (
    <span ref={place} className="inline-flex">
      <Menu
        trigger={
          <IconButton
            variant="default"
            label={t("ui.tableTools")}
            icon={<Ellipsis size={16} aria-hidden className="rotate-90" />}
            loading={exporting}
          />
        }
        items={[
          {
            key: "refresh",
            label: t("ui.tableRefresh"),
            icon: <RotateCw size={16} aria-hidden />,
            onSelect: () => void refetch(),
          },
          ...refreshIntervals.map((seconds) => ({
            key: String(seconds),
            label: intervalLabel(seconds, t),
            icon: (
              <Check
                size={16}
                aria-hidden
                className={seconds === settings.refreshSeconds ? "" : "invisible"}
              />
            ),
            onSelect: () => changeTableSettings(id, { refreshSeconds: seconds }),
          })),
          "separator",
          ...(onPicking === undefined
            ? []
            : [
                {
                  key: "bulk",
                  label: t("ui.tableBulk"),
                  icon: <ListChecks size={16} aria-hidden />,
                  onSelect: onPicking,
                },
              ]),
          {
            key: "views",
            label: t("ui.tableViews"),
            icon: <Bookmark size={16} aria-hidden />,
            onSelect: show("views"),
          },
          {
            key: "display",
            label: t("ui.tableDisplay"),
            icon: <Columns3 size={16} aria-hidden />,
            onSelect: show("display"),
          },
          ...(onExport === undefined
            ? []
            : [
                {
                  key: "export",
                  label: t("ui.tableExport"),
                  icon: <Download size={16} aria-hidden />,
                  onSelect: () => onExport("csv"),
                },
              ]),
          ...(onExport === undefined || hasLines !== true
            ? []
            : [
                {
                  key: "export-lines",
                  label: t("ui.tableExportLines"),
                  icon: <FileJson size={16} aria-hidden />,
                  onSelect: () => onExport("ndjson"),
                },
              ]),
        ]}
      />
      <Suspense>
        {popup !== null && open?.tool === "views" && <Views {...popup} />}
        {popup !== null && open?.tool === "display" && <DisplayPopup {...popup} />}
      </Suspense>
    </span>
  );
}
