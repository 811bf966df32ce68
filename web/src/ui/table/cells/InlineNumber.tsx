import { type KeyboardEvent, useRef, useState } from "react";
import { useT } from "#i18n/t.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { readWhole } from "./read-whole.ts";
import { inlineNumberLook } from "./row-look.ts";

/**
 * A whole number that is edited in its table cell. Enter or leaving the field saves, Escape
 * restores the old number, and so does an empty field. While it is saved, the new number shows; a
 * refusal restores the old one and shows the reason.
 */
export function InlineNumber(props: {
  /** Null: there is no one number. The field is then empty, and shows `placeholder`. */
  readonly value: number | null;
  readonly placeholder?: string;
  readonly onSave: (value: number) => unknown;
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
  /** A smaller number becomes this one; `min` refuses it instead. */
  readonly floor?: number;
  readonly disabled?: boolean;
}) {
  const {
    value,
    placeholder,
    onSave,
    label,
    min,
    max,
    floor = -Infinity,
    disabled = false,
  } = props;
  const t = useT();
  const [draft, setDraft] = useState<string | null>(null);
  const [saving, setSaving] = useState<number | null>(null);
  // True after Escape, which moves the focus away: leaving the field must then not save the
  // discarded text.
  const cancelled = useRef(false);
  const isEmpty = draft?.trim() === "";
  const typed = draft === null || isEmpty ? value : readWhole(draft, min, max);
  const number = typed === null ? null : Math.max(typed, floor);
  const isInvalid = draft !== null && !isEmpty && number === null;

  const save = async () => {
    if (draft === null || saving !== null || cancelled.current) return;
    setDraft(null);
    if (isInvalid) toast({ tone: "danger", title: t("ui.tableNumberInvalid", { name: label }) });
    if (number === null || number === value) return;
    setSaving(number);
    try {
      await onSave(number);
    } catch (error) {
      toastError(error);
    } finally {
      setSaving(null);
    }
  };
  const key = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") event.currentTarget.blur();
    if (event.key !== "Escape" || draft === null) return;
    event.stopPropagation();
    cancelled.current = true;
    setDraft(null);
    event.currentTarget.blur();
    cancelled.current = false;
  };
  return (
    <input
      type="text"
      inputMode="numeric"
      autoComplete="off"
      className={inlineNumberLook}
      aria-label={label}
      aria-invalid={isInvalid || undefined}
      aria-busy={saving !== null || undefined}
      readOnly={saving !== null}
      disabled={disabled}
      placeholder={placeholder}
      value={draft ?? String(saving ?? value ?? "")}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={key}
      onBlur={() => void save()}
    />
  );
}
