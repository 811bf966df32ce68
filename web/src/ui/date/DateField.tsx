import { CalendarDays, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { useT } from "#i18n/t.ts";
import { ariaOf, type ControlProps } from "#ui/controls/control.ts";
import { fieldButton } from "#ui/controls/field-look.ts";
import { Popover } from "#ui/overlays/Popover.tsx";

/** The closed state of a date field: a button that shows the value and opens a panel. */
export function DateField(props: {
  control: ControlProps;
  /** The name of the panel, and of the field if the field has no label. */
  name: string;
  /** The value as text; null: there is no value, and `placeholder` is shown. */
  text: string | null;
  /** The full text of the value if `text` is shortened. */
  exact?: string | null | undefined;
  placeholder: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Clears the value; absent: the value cannot be cleared. */
  onClear?: (() => void) | undefined;
  flush?: boolean | undefined;
  children: ReactNode;
}) {
  const { control, name, text, exact, placeholder, open, onOpenChange, onClear } = props;
  const t = useT();
  const valueId = useId();
  const disabled = control.disabled ?? false;
  const shown = text ?? placeholder;
  const labelled = control.id !== undefined || control["aria-labelledby"] !== undefined;
  const label = control["aria-label"] ?? (labelled ? undefined : name);
  // Screen readers do not read the content of a button that has a label, so the label includes the
  // value.
  const aria =
    label === undefined
      ? {
          "aria-describedby": [control["aria-describedby"], valueId].filter(Boolean).join(" "),
        }
      : { "aria-label": `${label}: ${shown}` };
  return (
    <div className="control-box" data-disabled={disabled || undefined}>
      <Popover
        open={open}
        onOpenChange={onOpenChange}
        title={name}
        flush={props.flush}
        trigger={
          <button
            {...ariaOf(control)}
            {...aria}
            type="button"
            disabled={disabled}
            title={exact ?? undefined}
            onBlur={control.onBlur}
            className="control-text flex items-center gap-2 text-left tabular-nums"
          >
            <CalendarDays size={16} aria-hidden className="shrink-0 text-muted" />
            <span id={valueId} className={text === null ? "truncate text-faint" : "truncate"}>
              {shown}
            </span>
          </button>
        }
      >
        {props.children}
      </Popover>
      {onClear !== undefined && text !== null && !disabled && (
        <button type="button" aria-label={t("ui.clear")} className={fieldButton} onClick={onClear}>
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}
