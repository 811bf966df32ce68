import { useState } from "react";
import type { QuotaDisplay } from "#display/quota.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import type { ControlProps } from "#ui/controls/control.ts";
import { Input } from "#ui/controls/Input.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { quotaAmount, readQuota } from "./quota-amount.ts";
import { useQuotaDisplay } from "./use-quota-display.ts";

/**
 * An input for quota, typed in dollars, or in quota units if the server shows those. The value is
 * in whole quota units; null: the input is empty, NaN: the text is not an amount.
 */
export function QuotaInput(
  props: Omit<ControlProps, "autoFocus"> & {
    value: number | null;
    onChange: (value: number | null) => void;
    /** Suggested amounts in quota units, shown as buttons below the input. */
    presets?: readonly number[] | undefined;
    placeholder?: string | undefined;
  },
) {
  const { value, onChange, presets = [], disabled = false, ...control } = props;
  const t = useT();
  const display = useQuotaDisplay();
  const [text, setText] = useState(() => textOf(value, display));
  const [seen, setSeen] = useState(value);
  // A value changed by the parent replaces the text, unless the text already means that value: then
  // it stays as the user typed it.
  if (!Object.is(seen, value)) {
    setSeen(value);
    if (!Object.is(readQuota(text, display), value)) setText(textOf(value, display));
  }

  const isAmount = value !== null && !Number.isNaN(value);
  return (
    <div className="flex flex-col gap-2">
      <Input
        {...control}
        disabled={disabled}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        prefix={display.inCurrency ? "$" : undefined}
        suffix={
          isAmount && display.inCurrency ? (
            <span className="text-xs tabular-nums">
              {t("widgets.quotaUnits", { units: value.toLocaleString("en-US") })}
            </span>
          ) : undefined
        }
        onChange={(event) => {
          const quota = readQuota(event.target.value, display);
          setText(event.target.value);
          setSeen(quota);
          onChange(quota);
        }}
      />
      {presets.length > 0 && (
        <div role="group" aria-label={t("widgets.quotaPresets")} className="flex flex-wrap gap-1.5">
          {presets.map((preset) => (
            <Button
              key={preset}
              size="sm"
              variant={preset === value ? "ghost" : "default"}
              aria-pressed={preset === value}
              disabled={disabled}
              onClick={() => onChange(preset)}
            >
              {display.inCurrency
                ? `$${quotaAmount(preset, display)}`
                : preset.toLocaleString("en-US")}
            </Button>
          ))}
        </div>
      )}
      {value !== null && Number.isNaN(value) && (
        <span className="text-xs">
          <Muted>{t("widgets.quotaUnreadable")}</Muted>
        </span>
      )}
    </div>
  );
}

function textOf(quota: number | null, display: QuotaDisplay): string {
  return quota === null ? "" : quotaAmount(quota, display);
}
