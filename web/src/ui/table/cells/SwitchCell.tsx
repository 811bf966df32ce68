import { useEffect, useRef, useState } from "react";
import { toastError } from "#ui/overlays/toast.ts";
import { switchLook } from "./row-look.ts";

/**
 * Milliseconds for which the switch shows a saved change although the record, which is read again
 * meanwhile, still has the old value.
 */
const settleMs = 5_000;

/**
 * A switch in a table cell. It turns immediately and turns back, showing the reason, if the promise
 * of `onChange` rejects, or quietly if it resolves to false. `label` names the row and the setting.
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
      if ((await onChange(next)) === false) setWanted(null);
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
