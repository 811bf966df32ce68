import { useState } from "react";
import { z } from "zod";
import { useT } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { type Check, EditorCheck } from "./EditorCheck.tsx";
import { JsonEditor } from "./JsonEditor.tsx";
import { KeyValueEditor } from "./KeyValueEditor.tsx";
import { objectOfPairs, type Pair, pairsOfObject } from "./pairs.ts";

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
  /** Checks the text while it is being typed. */
  check: (text: string) => Check;
  example: object;
  id: string;
  invalid: boolean;
}) {
  const { value, onChange, label, id, invalid, check, example } = props;
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
          aria-label={t("ui.mappingViewOf", { label })}
          value={view}
          onChange={setView}
          items={[
            { value: "rows", label: t("ui.mappingRows") },
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
          <Muted>{t("ui.notAMapping")}</Muted>
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
      <EditorCheck {...{ label, value, example, onChange }} check={check(value)} />
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
