import { X } from "lucide-react";
import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import type { BulkAction, BulkResult } from "./column.ts";

/** What is done to the selected rows, floating above the end of the page. */
export function BulkBar<Row>(props: {
  readonly selected: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly onResult: (action: BulkAction<Row>, result: BulkResult | undefined) => void;
  readonly onClear: () => void;
}) {
  const { selected, actions, onResult, onClear } = props;
  const t = useT();
  const [running, setRunning] = useState<string | null>(null);
  if (selected.length === 0) return null;

  const run = async (action: BulkAction<Row>) => {
    setRunning(action.key);
    try {
      const result = await action.onSelect(selected);
      if (result !== false) onResult(action, typeof result === "object" ? result : undefined);
    } catch (error) {
      toastError(error);
    } finally {
      setRunning(null);
    }
  };
  return (
    <div
      role="region"
      aria-label={t("ui.tableBulk")}
      className="pointer-events-none fixed inset-x-0 bottom-4 z-5 flex justify-center px-3 pb-[env(safe-area-inset-bottom)]"
    >
      <div className="pointer-events-auto flex max-w-full flex-wrap items-center gap-2 rounded border border-control bg-panel py-2 pr-2 pl-4">
        <span role="status" className="mr-2 text-sm font-medium tabular-nums">
          {t("ui.tableSelected", { count: selected.length })}
        </span>
        {actions.map((action) => (
          <Button
            key={action.key}
            size="sm"
            variant={action.tone === "danger" ? "danger" : "default"}
            icon={action.icon}
            loading={running === action.key}
            disabled={running !== null && running !== action.key}
            onClick={() => void run(action)}
          >
            {action.label}
          </Button>
        ))}
        <IconButton
          size="sm"
          label={t("ui.tableSelectNone")}
          icon={<X size={16} aria-hidden />}
          onClick={onClear}
        />
      </div>
    </div>
  );
}
