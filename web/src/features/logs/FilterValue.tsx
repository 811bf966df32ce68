import { useT } from "#i18n/t.ts";

/** A value of a row that filters the list by itself when it is clicked. */
export function FilterValue(props: {
  value: string;
  /** The shown content, if it is not the value itself. */
  label?: string;
  onSelect: () => void;
}) {
  const { value, label = value, onSelect } = props;
  const t = useT();
  return (
    <button
      type="button"
      className="max-w-full cursor-pointer truncate text-left underline-offset-3 hover:underline max-md:min-h-6"
      title={t("logs.onlyThis", { value: label })}
      onClick={onSelect}
    >
      {label}
    </button>
  );
}
