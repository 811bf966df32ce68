import { useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { KeyValueEditor } from "#ui/editor/KeyValueEditor.tsx";
import { objectOfPairs, type Pair, pairsOfObject } from "#ui/editor/pairs.ts";
import { Muted } from "#ui/feedback/Muted.tsx";

/**
 * Edits a JSON mapping as two columns or as JSON. The value is the JSON text. Rows that JSON cannot
 * hold yet (without a key, or with a key twice) stay visible while they are being edited.
 */
export function MappingEditor(props: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  keyLabel: string;
  valueLabel: string;
  keyItems?: readonly Item[];
  valueItems?: readonly Item[];
  id: string;
  invalid: boolean;
}) {
  const { value, onChange, label, id, invalid } = props;
  const t = useT();
  const [view, setView] = useState<"rows" | "json">("rows");
  const [rows, setRows] = useState<{ text: string; pairs: readonly Pair[] } | null>(null);
  const pairs = rows?.text === value ? rows.pairs : pairsOfText(value);

  function change(next: readonly Pair[]): void {
    const object = objectOfPairs(next);
    const text = Object.keys(object).length === 0 ? "" : JSON.stringify(object, null, 2);
    setRows({ text, pairs: next });
    onChange(text);
  }

  return (
    <div className="flex flex-col gap-2">
      <span>
        <Segmented
          aria-label={t("channels.viewOf", { label })}
          value={view}
          onChange={setView}
          items={[
            { value: "rows", label: t("channels.viewRows") },
            { value: "json", label: "JSON" },
          ]}
        />
      </span>
      {view === "json" && (
        <JsonEditor
          id={id}
          label={label}
          value={value}
          invalid={invalid}
          height={140}
          onChange={onChange}
        />
      )}
      {view === "rows" && pairs === null && (
        <span className="text-sm">
          <Muted>{t("channels.notAMapping")}</Muted>
        </span>
      )}
      {view === "rows" && pairs !== null && (
        <KeyValueEditor
          id={id}
          invalid={invalid}
          keyLabel={props.keyLabel}
          valueLabel={props.valueLabel}
          keyItems={props.keyItems}
          valueItems={props.valueItems}
          value={pairs}
          onChange={change}
        />
      )}
    </div>
  );
}

/**
 * Reads the rows of a mapping's JSON text; null: the text is not a mapping, so it is shown as text.
 */
function pairsOfText(text: string): readonly Pair[] | null {
  if (text.trim() === "") return [];
  try {
    const object = z.record(z.string(), z.union([z.string(), z.number()]));
    const parsed = object.safeParse(JSON.parse(text));
    return parsed.success ? pairsOfObject(parsed.data) : null;
  } catch {
    return null;
  }
}
