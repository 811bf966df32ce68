import { Plus, Trash2 } from "lucide-react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Combobox } from "#ui/controls/Combobox.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { Input } from "#ui/controls/Input.tsx";
import type { Item } from "#ui/controls/item.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { duplicateKeys, type Pair } from "./pairs.ts";

/** On a phone, a key that is chosen by its name has a line of its own. */
const stacked = "max-sm:grid-cols-[1fr_2rem]";

/**
 * An editor for rows of key and value. A repeated key stays with a warning, so that no typed text
 * disappears unnoticed.
 */
export function KeyValueEditor(props: {
  value: readonly Pair[];
  onChange: (value: [string, string][]) => void;
  keyLabel: string;
  valueLabel: string;
  keyItems?: readonly Item[] | undefined;
  valueItems?: readonly Item[] | undefined;
  id?: string;
  invalid?: boolean;
}) {
  const { value, keyLabel, valueLabel, keyItems, valueItems } = props;
  const t = useT();
  const duplicates = duplicateKeys(value);

  function change(row: number, pair: Pair | null) {
    const rows = value.flatMap((old, index) =>
      index === row ? (pair === null ? [] : [pair]) : [old],
    );
    props.onChange(rows.map(([key, text]) => [key, text]));
  }

  return (
    <div className="flex flex-col gap-2">
      {value.length === 0 ? (
        <span className="text-xs">
          <Muted>{t("ui.editorNoRows")}</Muted>
        </span>
      ) : (
        <div aria-hidden className="grid grid-cols-[1fr_1fr_2rem] gap-2 text-xs">
          <Muted>{keyLabel}</Muted>
          <Muted>{valueLabel}</Muted>
        </div>
      )}
      {value.map(([key, text], row) => (
        // Rows have no identity but their index; they are only added at the end.
        // oxlint-disable-next-line react/no-array-index-key
        <div
          key={row}
          className={`grid grid-cols-[1fr_1fr_2rem] items-center gap-x-2 gap-y-1 ${keyItems === undefined ? "" : stacked}`}
        >
          <Cell
            label={t("ui.editorRowLabel", { label: keyLabel, row: row + 1 })}
            value={key}
            items={keyItems}
            invalid={duplicates.has(row)}
            onChange={(next) => change(row, [next, text])}
          />
          <Cell
            label={t("ui.editorRowLabel", { label: valueLabel, row: row + 1 })}
            value={text}
            items={valueItems}
            invalid={false}
            onChange={(next) => change(row, [key, next])}
          />
          <span className={keyItems === undefined ? "" : "max-sm:col-start-2 max-sm:row-start-1"}>
            <IconButton
              label={t("ui.editorRemoveRow", { row: row + 1 })}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => change(row, null)}
            />
          </span>
          {duplicates.has(row) && (
            <p role="alert" className="col-span-3 text-xs text-warning-ink">
              {t("ui.editorDuplicate")}
            </p>
          )}
        </div>
      ))}
      <div>
        <Button
          id={props.id}
          size="sm"
          icon={<Plus size={14} aria-hidden />}
          onClick={() =>
            props.onChange([...value.map(([key, text]): [string, string] => [key, text]), ["", ""]])
          }
        >
          {t("ui.editorAddRow")}
        </Button>
      </div>
    </div>
  );
}

function Cell(props: {
  label: string;
  value: string;
  items: readonly Item[] | undefined;
  invalid: boolean;
  onChange: (value: string) => void;
}) {
  const { label, value, items, invalid, onChange } = props;
  if (items !== undefined) {
    return (
      <Combobox
        aria-label={label}
        items={items}
        value={value}
        onChange={onChange}
        creatable
        invalid={invalid}
      />
    );
  }
  return (
    <Input
      aria-label={label}
      value={value}
      invalid={invalid}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
