import { CalendarDays } from "lucide-react";
import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { dateText, onDay, parseDateText } from "#ui/date/date-text.ts";
import { LazyCalendar } from "#ui/date/LazyCalendar.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { CustomControl } from "#ui/form/field-types.ts";
import { Popover } from "#ui/overlays/Popover.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";

const hour = 3_600;
const day = 24 * hour;

/** Returns the suggested expiry times. `after` is in seconds from now; null: never. */
function presetsOf(t: T): readonly { readonly label: string; readonly after: number | null }[] {
  return [
    { label: t("tokens.expiryNever"), after: null },
    { label: t("tokens.expiryHour"), after: hour },
    { label: t("tokens.expiryDay"), after: day },
    { label: t("tokens.expiryMonth"), after: 30 * day },
  ];
}

/**
 * An input for the time at which a token expires: typed, picked from a calendar, or by a button
 * such as "1 hour". Empty: never. Also shows how far away the time is.
 */
export function ExpiryInput({ value, onChange, ...control }: CustomControl<string>) {
  const t = useT();
  const seconds = parseDateText(value);
  return (
    <div className="flex flex-col gap-2">
      <Input
        {...control}
        value={value}
        placeholder={t("tokens.expiryPlaceholder")}
        autoComplete="off"
        suffix={
          <>
            {typeof seconds === "number" && (
              <span className="text-xs">
                <TimeCell seconds={seconds} />
              </span>
            )}
            <DayPicker seconds={seconds ?? null} disabled={control.disabled} onChange={onChange} />
          </>
        }
        onChange={(event) => onChange(event.target.value)}
      />
      <div role="group" aria-label={t("tokens.expiryPresets")} className="flex flex-wrap gap-1.5">
        {presetsOf(t).map(({ label, after }) => (
          <Button
            key={label}
            size="sm"
            disabled={control.disabled}
            variant={after === null && value === "" ? "ghost" : "default"}
            aria-pressed={after === null ? value === "" : undefined}
            onClick={() => onChange(after === null ? "" : dateText(nowSeconds() + after))}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

function DayPicker(props: {
  seconds: number | null;
  disabled: boolean;
  onChange: (text: string) => void;
}) {
  const { seconds, onChange } = props;
  const t = useT();
  const [open, setOpen] = useState(false);
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      align="end"
      title={t("tokens.expiryCalendar")}
      trigger={
        <IconButton
          size="sm"
          disabled={props.disabled}
          label={t("tokens.expiryCalendar")}
          icon={<CalendarDays size={16} aria-hidden />}
        />
      }
    >
      <LazyCalendar
        mode="single"
        selected={seconds === null ? undefined : new Date(seconds * 1_000)}
        onSelect={(picked) => {
          // A picked day means the last second of the day, unless a time of day was typed before.
          onChange(dateText(seconds === null ? endOf(picked) : onDay(picked, seconds)));
          setOpen(false);
        }}
      />
      <p className="mt-2 text-xs">
        <Muted>{t("tokens.expiryHelp")}</Muted>
      </p>
    </Popover>
  );
}

function endOf(picked: Date): number {
  return Math.floor(new Date(picked).setHours(23, 59, 59, 0) / 1_000);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
