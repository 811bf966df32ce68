import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { Input } from "#ui/controls/Input.tsx";
import { DateField } from "./DateField.tsx";
import { dateText, onDay, parseDateText, zoneText } from "./date-text.ts";
import { LazyCalendar } from "./LazyCalendar.tsx";

/** A field for a point in time, in Unix seconds; null: none. */
export function DateTimePicker(
  props: ControlProps & {
    value: number | null;
    onChange: (value: number | null) => void;
    clearable?: boolean | undefined;
    /** The text shown for null, such as "never" or "now". */
    placeholder?: string | undefined;
  },
) {
  const { value, onChange, clearable = false, placeholder } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <DateField
      control={props}
      name={t("ui.dateTime")}
      text={value === null ? null : dateText(value)}
      placeholder={placeholder ?? t("ui.dateTimeNever")}
      open={open}
      onOpenChange={setOpen}
      onClear={clearable ? () => onChange(null) : undefined}
    >
      <Picker
        value={value}
        onApply={(next) => {
          onChange(next);
          setOpen(false);
        }}
      />
    </DateField>
  );
}

/**
 * The panel's content. Mounted only while the panel is open, so that it starts with the current
 * value.
 */
function Picker(props: { value: number | null; onApply: (value: number | null) => void }) {
  const { value, onApply } = props;
  const t = useT();
  const [text, setText] = useState(value === null ? "" : dateText(value));
  const [now] = useState(() => new Date());
  const seconds = parseDateText(text);
  const chosen = typeof seconds === "number" ? seconds : null;
  return (
    <form
      className="flex w-63 flex-col gap-3 max-md:w-70"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (seconds !== undefined) onApply(seconds);
      }}
    >
      <LazyCalendar
        mode="single"
        selected={chosen === null ? undefined : new Date(chosen * 1000)}
        onSelect={(day) => setText(dateText(chosen === null ? midnight(day) : onDay(day, chosen)))}
      />
      <Input
        aria-label={t("ui.dateTime")}
        placeholder="YYYY-MM-DD HH:mm:ss"
        value={text}
        invalid={seconds === undefined}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-muted">
          {t("ui.dateZone", {
            zone: zoneText(chosen === null ? now : new Date(chosen * 1000)),
          })}
        </span>
        <Button type="submit" variant="primary" size="sm" disabled={seconds === undefined}>
          {t("ui.apply")}
        </Button>
      </div>
    </form>
  );
}

function midnight(day: Date): number {
  return Math.floor(new Date(day).setHours(0, 0, 0, 0) / 1000);
}
