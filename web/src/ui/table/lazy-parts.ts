/**
 * Parts of a list that are not visible at first. Each is loaded with its texts when it is first
 * used.
 */

import { lazy } from "react";
import { withTexts } from "#i18n/t.ts";
import type { CsvExport as WholeExport } from "./tools/CsvExport.tsx";
import type { PeekPanel as WholePanel } from "./peek/PeekPanel.tsx";
import type { VirtualRows as WholeRows } from "./rows/VirtualRows.tsx";

export const loadViews = () => withTexts("table", import("./views/ViewsPopup.tsx"));
export const loadDisplay = () => withTexts("table", import("./columns/DisplayPopup.tsx"));
export const loadExport = () => withTexts("table", import("./tools/CsvExport.tsx"));

export const ViewsPopup = lazy(async () => ({ default: (await loadViews()).ViewsPopup }));
export const DisplayPopup = lazy(async () => ({ default: (await loadDisplay()).DisplayPopup }));

export const ShortcutsDialog = lazy(async () => ({
  default: (await withTexts("table", import("./tools/ShortcutsDialog.tsx"))).ShortcutsDialog,
}));

// The cast restores the type parameters that `lazy` loses; the props stay the same.
export const CsvExport = lazy(async () => ({
  default: (await loadExport()).CsvExport,
})) as unknown as typeof WholeExport;

export const PeekPanel = lazy(async () => ({
  default: (await withTexts("table", import("./peek/PeekPanel.tsx"))).PeekPanel,
})) as unknown as typeof WholePanel;

export const VirtualRows = lazy(async () => ({
  default: (await import("./rows/VirtualRows.tsx")).VirtualRows,
})) as unknown as typeof WholeRows;
