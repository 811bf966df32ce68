import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { Input } from "#ui/controls/Input.tsx";
import { DateField } from "./DateField.tsx";
import {
  dateText,
  dayText,
  parseDateText,
  rangeText,
  shortDateText,
  zoneText,
} from "./date-text.ts";
import { LazyCalendar } from "./LazyCalendar.tsx";
import { presetRange, type RangePreset, rangePresets, type TimeRange } from "./presets.ts";

/** A field for a range of time; both ends may be open. */
export function DateTimeRange(
  props: ControlProps & {
    value: TimeRange;
    onChange: (value: TimeRange) => void;
    /** The presets that are offered; absent: all, an empty list: none. */
    presets?: readonly RangePreset[] | undefined;
    placeholder?: string | undefined;
  },
) {
  const { value, onChange, presets = rangePresets, placeholder } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  const [now] = useState(() => new Date());
  return (
    <DateField
      control={props}
      name={t("ui.dateRange")}
      text={rangeText(value, t, shortDateText(now))}
      exact={rangeText(value, t, dateText)}
      placeholder={placeholder ?? t("ui.dateRangePlaceholder")}
      open={open}
      onOpenChange={setOpen}
      onClear={() => onChange({ start: null, end: null })}
      flush
    >
      <RangePicker
        value={value}
        presets={presets}
        onApply={(next) => {
          onChange(next);
          setOpen(false);
        }}
      />
    </DateField>
  );
}

function RangePicker(props: {
  value: TimeRange;
  presets: readonly RangePreset[];
  onApply: (value: TimeRange) => void;
}) {
  const { value, presets, onApply } = props;
  const t = useT();
  const [from, setFrom] = useState(value.start === null ? "" : dateText(value.start));
  const [to, setTo] = useState(value.end === null ? "" : dateText(value.end));
  const [now] = useState(() => new Date());
  const start = parseDateText(from);
  const end = parseDateText(to, true);
  const wrongOrder = typeof start === "number" && typeof end === "number" && start > end;
  const ready = start !== undefined && end !== undefined && !wrongOrder;
  return (
    <div className="flex max-md:flex-col">
      {presets.length > 0 && (
        <ul className="flex flex-col gap-0.5 border-line p-2 max-md:flex-row max-md:flex-wrap max-md:border-b md:border-r">
          {presets.map((preset) => (
            <li key={preset}>
              <Button
                variant="ghost"
                size="sm"
                onClick={() => onApply(presetRange(preset, new Date()))}
              >
                {presetText(preset, t)}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex w-70 flex-col gap-3 p-3 max-md:w-full"
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          if (ready) onApply({ start, end });
        }}
      >
        <LazyCalendar
          mode="range"
          selected={{ from: dateOf(start), to: dateOf(end) }}
          onSelect={(days) => {
            setFrom(days.from === undefined ? "" : `${dayText(days.from)} 00:00:00`);
            setTo(days.to === undefined ? "" : `${dayText(days.to)} 23:59:59`);
          }}
        />
        <div className="flex flex-col gap-2">
          <Input
            aria-label={t("ui.dateFrom")}
            placeholder={t("ui.dateFrom")}
            value={from}
            invalid={start === undefined || wrongOrder}
            onChange={(event) => setFrom(event.target.value)}
          />
          <Input
            aria-label={t("ui.dateTo")}
            placeholder={t("ui.dateTo")}
            value={to}
            invalid={end === undefined || wrongOrder}
            onChange={(event) => setTo(event.target.value)}
          />
          {wrongOrder && (
            <p role="alert" className="text-xs text-danger-ink">
              {t("ui.dateWrongOrder")}
            </p>
          )}
        </div>
        <div className="sticky bottom-0 -mx-3 -mb-3 flex items-center justify-between gap-2 border-t border-line bg-panel px-3 py-2">
          <span className="text-xs text-muted">
            {t("ui.dateZone", { zone: zoneText(dateOf(start) ?? now) })}
          </span>
          <Button type="submit" variant="primary" size="sm" disabled={!ready}>
            {t("ui.apply")}
          </Button>
        </div>
      </form>
    </div>
  );
}

function presetText(preset: RangePreset, t: T): string {
  const texts = {
    "15m": t("ui.dateLast15Minutes"),
    "1h": t("ui.dateLastHour"),
    today: t("ui.dateToday"),
    yesterday: t("ui.dateYesterday"),
    "7d": t("ui.dateLast7Days"),
    "30d": t("ui.dateLast30Days"),
  };
  return texts[preset];
}

function dateOf(seconds: number | null | undefined): Date | undefined {
  return typeof seconds === "number" ? new Date(seconds * 1000) : undefined;
}
