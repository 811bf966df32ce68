import { useT } from "#i18n/t.ts";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";

/** A value of a row that filters the list by itself when it is clicked. */
export function FilterValue(props: {
  value: string;
  /** The shown content, if it is not the value itself. */
  label?: string;
  /** Where the text is cut; at the end by default. */
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
