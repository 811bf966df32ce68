import dayjs from "dayjs";
import { X } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { Filter } from "#ui/table/column.ts";
import { type SearchValues, type SetValues, secondsOf, textOf } from "./FilterField.tsx";
import { showPrefix } from "./SuggestFilter.tsx";
import { filterNames, isFiltering } from "#ui/table/list-state.ts";

/** The filters that are set, as chips. The user can remove them one by one or all together. */
export function FilterChips(props: {
  readonly filters: readonly Filter[];
  readonly search: SearchValues;
  readonly onSearch: SetValues;
  readonly onClear: () => void;
}) {
  const { filters, search, onSearch, onClear } = props;
  const t = useT();
  const active = filters.filter((filter) => isFiltering(filter, search));
  if (active.length === 0) return null;
  return (
    <ul aria-label={t("ui.tableActiveFilters")} className="flex flex-wrap items-center gap-2">
      {active.map((filter) => (
        <li
          key={filter.name}
          className="inline-flex max-w-full items-center rounded border border-line bg-sunken pl-2 text-sm"
        >
          <span className="truncate">
            <span className="text-muted">{filter.label} </span>
            {describeFilter(filter, search, t)}
          </span>
          <button
            type="button"
            aria-label={t("ui.tableRemoveFilter", { name: filter.label })}
            className="flex size-control-small shrink-0 items-center justify-center rounded text-muted hover:text-ink"
            onClick={() =>
              onSearch(Object.fromEntries(filterNames(filter).map((name) => [name, undefined])))
            }
          >
            <X size={14} aria-hidden />
          </button>
        </li>
      ))}
      <li>
        <Button variant="ghost" size="sm" onClick={onClear}>
          {t("ui.tableClearFilters")}
        </Button>
      </li>
    </ul>
  );
}

/** Writes the value of a filter in words. */
function describeFilter(filter: Filter, search: SearchValues, t: T): string {
  const value = textOf(search[filter.name]);
  switch (filter.kind) {
    case "text":
      return value;
    case "suggest":
      return (filter.say ?? showPrefix)(value);
    case "select":
    case "combobox":
      return filter.items.find((item) => String(item.value) === value)?.label ?? value;
    case "time": {
      const start = secondsOf(search[filter.name]);
      const end = secondsOf(search[filter.end]);
      if (end === null) return t("ui.tableSince", { time: showMinute(start ?? 0) });
      if (start === null) return t("ui.tableUntil", { time: showMinute(end) });
      return `${showMinute(start)} – ${showMinute(end)}`;
    }
  }
}

function showMinute(seconds: number): string {
  return dayjs.unix(seconds).format("YYYY-MM-DD HH:mm");
}
