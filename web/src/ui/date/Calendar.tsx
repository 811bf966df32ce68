import { ChevronLeft, ChevronRight } from "lucide-react";
import { DayPicker } from "react-day-picker";
import { enUS } from "react-day-picker/locale/en-US";
import { zhCN } from "react-day-picker/locale/zh-CN";
import { type Language, useLanguage } from "#i18n/t.ts";

type Days = { readonly from: Date | undefined; readonly to: Date | undefined };

/**
 * A calendar to choose a day or a range of days. Its code is loaded when a date field opens, see
 * `LazyCalendar`.
 */
export function Calendar(
  props:
    | { mode: "single"; selected: Date | undefined; onSelect: (day: Date) => void }
    | { mode: "range"; selected: Days; onSelect: (days: Days) => void },
) {
  const language = useLanguage();
  const common = {
    locale: language === "zh" ? zhCN : enUS,
    weekStartsOn: 1,
    showOutsideDays: true,
    components: { Chevron },
    // The labels read like the text on the button; the library's own English labels say "26th".
    labels: { labelDayButton: (day: Date) => dayName(day, language) },
  } as const;
  if (props.mode === "single") {
    const { selected, onSelect } = props;
    return (
      <DayPicker
        {...common}
        classNames={dayLooks}
        mode="single"
        required
        selected={selected}
        {...(selected === undefined ? {} : { defaultMonth: selected })}
        onSelect={onSelect}
      />
    );
  }
  const { selected, onSelect } = props;
  const month = selected.to ?? selected.from;
  return (
    <DayPicker
      {...common}
      classNames={rangeLooks}
      mode="range"
      selected={selected.from === undefined ? undefined : { from: selected.from, to: selected.to }}
      {...(month === undefined ? {} : { defaultMonth: month })}
      onSelect={(range) => onSelect({ from: range?.from, to: range?.to })}
    />
  );
}

function dayName(day: Date, language: Language): string {
  return day.toLocaleDateString(language === "zh" ? "zh-CN" : "en-US", { dateStyle: "full" });
}

function Chevron(props: { orientation?: "up" | "down" | "left" | "right" | undefined }) {
  const Icon = props.orientation === "left" ? ChevronLeft : ChevronRight;
  return <Icon size={16} aria-hidden />;
}

const step =
  "flex size-8 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink " +
  "max-md:size-10";

const looks = {
  root: "w-fit",
  months: "relative",
  month: "flex flex-col gap-2",
  month_caption: "flex h-8 items-center pl-2 text-base font-medium max-md:h-10",
  nav: "absolute top-0 right-0 flex gap-1",
  button_previous: step,
  button_next: step,
  month_grid: "border-collapse",
  weekday: "h-8 w-9 text-xs font-normal text-muted max-md:w-10",
  day: "p-0 text-center text-sm",
  day_button: "size-9 rounded tabular-nums hover:bg-hover focus-visible:relative max-md:size-10",
  today: "font-semibold text-accent-ink",
  outside: "text-faint",
  disabled: "text-faint",
  hidden: "invisible",
} as const;

const filled =
  "[&>button]:bg-accent-solid [&>button]:text-on-solid [&>button]:hover:bg-accent-hover";

const dayLooks = { ...looks, selected: filled } as const;

const rangeLooks = {
  ...looks,
  range_middle:
    "bg-accent-soft [&>button]:rounded-none [&>button]:text-accent-ink " +
    "[&>button]:hover:bg-accent-line",
  range_start: `rounded-l bg-accent-soft ${filled}`,
  range_end: `rounded-r bg-accent-soft ${filled}`,
} as const;
