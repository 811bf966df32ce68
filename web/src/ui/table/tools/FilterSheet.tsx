import { ListFilter } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { DialogScope } from "#ui/overlays/DialogScope.tsx";
import { ModalFrame } from "#ui/overlays/ModalFrame.tsx";
import type { Filter } from "#ui/table/column.ts";
import { FilterField, type SearchValues, type SetValues } from "./FilterField.tsx";
import { isFiltering } from "#ui/table/list-state.ts";

/**
 * The filters on a phone: a button that shows how many are set, and the sheet from below that it
 * opens.
 */
export function FilterSheet(props: {
  readonly filters: readonly Filter[];
  readonly search: SearchValues;
  readonly onSearch: SetValues;
  readonly onClear: () => void;
  /** Further controls of the screen, shown above the filters; undefined: none. */
  readonly controls: ReactNode;
  readonly controlsSet: number;
}) {
  const { filters, search, onSearch, onClear, controls, controlsSet } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  const set = filters.filter((filter) => isFiltering(filter, search)).length;
  const count = set + controlsSet;
  const close = () => setOpen(false);
  return (
    <>
      <Button
        icon={<ListFilter size={16} aria-hidden />}
        aria-label={count === 0 ? t("ui.tableFilters") : t("ui.tableFiltersCount", { count })}
        onClick={() => setOpen(true)}
      >
        {count > 0 && String(count)}
      </Button>
      <ModalFrame
        open={open}
        onClose={close}
        place={fromBelow}
        title={t("ui.tableFilters")}
        footer={
          <>
            <Button onClick={onClear} disabled={set === 0}>
              {t("ui.tableClearFilters")}
            </Button>
            <Button variant="primary" onClick={close}>
              {t("ui.tableFiltersDone")}
            </Button>
          </>
        }
      >
        <DialogScope>
          <div className="flex flex-col gap-4">
            {controls}
            {filters.map((filter) => (
              <div key={filter.name} className="flex flex-col gap-1">
                <span aria-hidden className="text-sm font-medium">
                  {filter.label}
                </span>
                <FilterField filter={filter} search={search} onSearch={onSearch} />
              </div>
            ))}
          </div>
        </DialogScope>
      </ModalFrame>
    </>
  );
}

const fromBelow =
  "inset-x-0 bottom-0 max-h-[85dvh] rounded-t border-t data-ending-style:translate-y-4 " +
  "data-starting-style:translate-y-4";
