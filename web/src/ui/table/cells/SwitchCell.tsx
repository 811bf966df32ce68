import { useEffect, useRef, useState } from "react";
import { toastError } from "#ui/overlays/toast.ts";
import { switchLook } from "./row-look.ts";

/** Milliseconds for which a saved change shows before the record itself has to show it. */
const settleMs = 5_000;

/**
 * A switch that turns at once and turns back, with the reason, if the change is refused: then the
 * promise of `onChange` rejects. `label` names the row and the setting.
 */
export function SwitchCell(props: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => unknown;
  readonly label: string;
  readonly pending?: boolean;
  readonly disabled?: boolean;
}) {
  const { checked, onChange, label, pending = false, disabled = false } = props;
  const [wanted, setWanted] = useState<boolean | null>(null);
  const [saving, setSaving] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  if (wanted !== null && wanted === checked && !saving) setWanted(null);

  const change = async (next: boolean) => {
    if (saving || pending) return;
    clearTimeout(timer.current);
    setWanted(next);
    setSaving(true);
    try {
      await onChange(next);
      timer.current = setTimeout(() => setWanted(null), settleMs);
    } catch (error) {
      setWanted(null);
      toastError(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <input
      type="checkbox"
      role="switch"
      className={switchLook}
      aria-label={label}
      aria-busy={saving || pending || undefined}
      checked={wanted ?? checked}
      disabled={disabled}
      onChange={(event) => void change(event.target.checked)}
    />
  );
}
