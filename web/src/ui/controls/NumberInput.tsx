import { NumberField } from "@base-ui/react/number-field";
import { Minus, Plus } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { ariaOf, type ControlProps } from "./control.ts";

/**
 * The format of the number: as many digits as a price needs, and no thousands separators, because
 * other programs refuse them when pasted.
 */
const format: Intl.NumberFormatOptions = { maximumFractionDigits: 12, useGrouping: false };

/**
 * A field for a number; null: empty. The arrow keys change the number by a step, with Shift by ten
 * steps.
 */
export function NumberInput(
  props: ControlProps & {
    value: number | null;
    onChange: (value: number | null) => void;
    min?: number | undefined;
    max?: number | undefined;
    step?: number | undefined;
    unit?: string | undefined;
    placeholder?: string | undefined;
    name?: string | undefined;
    /**
     * Whether a typed number out of range stays, for a form that says what is wrong with it;
     * otherwise it becomes the nearest number of the range.
     */
    keepsOutOfRange?: boolean | undefined;
  },
) {
  const { value, onChange, min, max, step = 1, unit, placeholder, name, disabled } = props;
  const { keepsOutOfRange = false } = props;
  const t = useT();
  const aria = ariaOf(props);
  return (
    <NumberField.Root
      {...(aria.id === undefined ? {} : { id: aria.id })}
      value={value}
      onValueChange={onChange}
      min={min}
      max={max}
      step={step}
      largeStep={step * 10}
      allowOutOfRange={keepsOutOfRange}
      format={format}
      locale="en-US"
      disabled={disabled}
      name={name}
      className="w-full"
    >
      <NumberField.Group className="control-box">
        <NumberField.Input
          {...aria}
          placeholder={placeholder}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the caller opens a form at this field
          autoFocus={props.autoFocus}
          onBlur={props.onBlur}
          className="control-text tabular-nums"
        />
        {unit !== undefined && <span className="shrink-0 px-2 text-muted">{unit}</span>}
        <NumberField.Decrement aria-label={t("ui.decrease")} className={stepper}>
          <Minus size={14} aria-hidden />
        </NumberField.Decrement>
        <NumberField.Increment aria-label={t("ui.increase")} className={stepper}>
          <Plus size={14} aria-hidden />
        </NumberField.Increment>
      </NumberField.Group>
    </NumberField.Root>
  );
}

const stepper =
  "flex w-7 shrink-0 items-center justify-center self-stretch border-l border-line text-muted " +
  "last:rounded-r hover:bg-hover hover:text-ink data-disabled:text-faint max-md:w-10";
