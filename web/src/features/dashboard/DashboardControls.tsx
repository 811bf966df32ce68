import type { Dashboard, Granularity, NamedSpan } from "@tollgate/contract/endpoints/dashboard.ts";
import { X } from "lucide-react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Combobox } from "#ui/controls/Combobox.tsx";
import type { Item } from "#ui/controls/item.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { DateTimeRange } from "#ui/date/DateTimeRange.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import type { DashboardSearch } from "./dashboard.search.ts";

/** The filters, each with the share whose parts it offers. */
const filters = [
  { name: "model_name", share: "models", key: "name" },
  { name: "token_id", share: "tokens", key: "id" },
  { name: "username", share: "users", key: "name" },
  { name: "channel", share: "channels", key: "id" },
] as const;

/** The span, what a bar stands for, and the filters. */
export function DashboardControls(props: {
  readonly search: DashboardSearch;
  readonly onSearch: SetListSearch<DashboardSearch>;
  readonly granularity: Granularity;
  /** Whether the span is too long for bars of an hour. */
  readonly noHours: boolean;
  readonly data: Dashboard | undefined;
  readonly isAdmin: boolean;
}) {
  const { search, onSearch, granularity, noHours, data, isAdmin } = props;
  const t = useT();
  const isOwnSpan = search.start > 0;
  const shown = filters.filter(({ share }) => isAdmin || share === "models" || share === "tokens");
  const isFiltered = [...filters, { name: "group" } as const].some(
    ({ name }) => search[name] !== "",
  );
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented<NamedSpan | "own">
          aria-label={t("dashboard.span")}
          items={spanItems(t)}
          value={isOwnSpan ? "own" : search.span}
          onChange={(span) => span !== "own" && onSearch({ span, start: 0, end: 0 })}
        />
        <div className="w-full md:w-100">
          <DateTimeRange
            aria-label={t("dashboard.ownSpan")}
            placeholder={t("dashboard.ownSpan")}
            presets={[]}
            value={{ start: search.start || null, end: search.end || null }}
            onChange={({ start, end }) => onSearch({ start: start ?? 0, end: end ?? 0 })}
          />
        </div>
        <Segmented<Granularity>
          aria-label={t("dashboard.granularity")}
          items={[
            { value: "hour", label: t("dashboard.byHour"), disabled: noHours },
            { value: "day", label: t("dashboard.byDay") },
            { value: "week", label: t("dashboard.byWeek") },
          ]}
          value={granularity}
          onChange={(by) => onSearch({ by }, { replace: true })}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {shown.map(({ name, share, key }) => (
          <div key={name} className="w-48 max-md:w-[calc(50%-4px)]">
            <Combobox<string>
              aria-label={filterLabel(name, t)}
              placeholder={filterLabel(name, t)}
              items={itemsOf(data?.[share]?.top ?? [], key, search[name])}
              value={search[name] === "" ? null : search[name]}
              clearable
              creatable={key === "name"}
              onChange={(value) => onSearch({ [name]: value ?? "" })}
            />
          </div>
        ))}
        {isFiltered && (
          <Button
            variant="ghost"
            icon={<X size={14} aria-hidden />}
            onClick={() =>
              onSearch({ model_name: "", token_id: "", username: "", channel: "", group: "" })
            }
          >
            {t("dashboard.clearFilters")}
          </Button>
        )}
      </div>
    </div>
  );
}

function spanItems(t: T): readonly Item<NamedSpan>[] {
  return [
    { value: "today", label: t("dashboard.today") },
    { value: "yesterday", label: t("dashboard.yesterday") },
    { value: "3d", label: t("dashboard.days3") },
    { value: "7d", label: t("dashboard.days7") },
    { value: "30d", label: t("dashboard.days30") },
  ];
}

function filterLabel(name: (typeof filters)[number]["name"], t: T): string {
  switch (name) {
    case "model_name":
      return t("dashboard.anyModel");
    case "token_id":
      return t("dashboard.anyToken");
    case "username":
      return t("dashboard.anyUser");
    case "channel":
      return t("dashboard.anyChannel");
  }
}

/** The parts with the largest charges, and the chosen one even if it is not among them. */
function itemsOf(
  parts: readonly { readonly id: number; readonly name: string }[],
  key: "id" | "name",
  chosen: string,
): readonly Item<string>[] {
  const items = parts
    .filter(({ id, name }) => (key === "id" ? id > 0 : name !== ""))
    .map(({ id, name }) => ({
      value: key === "id" ? String(id) : name,
      label: name === "" ? `#${id}` : name,
    }));
  const isThere = chosen === "" || items.some(({ value }) => value === chosen);
  return isThere
    ? items
    : [...items, { value: chosen, label: key === "id" ? `#${chosen}` : chosen }];
}
