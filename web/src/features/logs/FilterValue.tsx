import { useT } from "#i18n/t.ts";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";

/** A value that is also a button: a click filters the list by it. */
export function FilterValue(props: {
  value: string;
  /** The text to show if it differs from the value to filter by. */
  label?: string;
  /** Where a text that is too long is cut; by default at its end. */
  at?: "middle";
  onSelect: () => void;
}) {
  const { value, label = value, at, onSelect } = props;
  const t = useT();
  return (
    <button
      type="button"
      dir="auto"
      className="block max-w-full cursor-pointer truncate text-left underline-offset-3 hover:underline max-md:min-h-8 max-md:min-w-8"
      title={t("logs.onlyThis", { value: label })}
      onClick={onSelect}
    >
      {at === "middle" ? <MiddleText>{label}</MiddleText> : label}
    </button>
  );
}
