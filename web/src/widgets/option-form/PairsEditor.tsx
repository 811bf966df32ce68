import type { OptionName } from "@tollgate/contract/options/options.ts";
import { useState } from "react";
import { type TextKey, useT } from "#i18n/t.ts";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { KeyValueEditor } from "#ui/editor/KeyValueEditor.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { listOfPairs, mapOfPairs, type Pairs, pairsOfList, pairsOfMap } from "./map-pairs.ts";
import type { OptionControlProps } from "./OptionControl.tsx";
import { useDrafts } from "./drafts.ts";

type PairsKind = "decimalMap" | "textMap" | "list";
type Mode = "visual" | "json";

const columnTexts: Partial<Record<OptionName, readonly [TextKey, TextKey]>> = {
  Chats: ["settings.chatName", "settings.chatAddress"],
  GroupRatio: ["settings.group", "settings.ratio"],
  TopupGroupRatio: ["settings.group", "settings.ratio"],
  UserUsableGroups: ["settings.group", "settings.description"],
};

/** Edits a map or list either as two columns or as JSON. Both views edit the same text. */
export function PairsEditor(props: OptionControlProps & { readonly kind: PairsKind }) {
  const { name, id, label, disabled, invalid, kind } = props;
  const t = useT();
  const { textOf, change } = useDrafts();
  const text = textOf(name);
  const [mode, setMode] = useState<Mode>("visual");
  const { pairs, setPairs } = usePairs(text, kind);
  const shown = pairs === undefined || disabled ? "json" : mode;
  const [keyLabel, valueLabel] = columnTexts[name] ?? ["settings.mapName", "settings.mapValue"];

  return (
    <div className="flex flex-col items-stretch gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Segmented<Mode>
          aria-label={t("settings.editorMode", { name: label })}
          items={[
            { value: "visual", label: t("settings.visual"), disabled: pairs === undefined },
            { value: "json", label: t("settings.json") },
          ]}
          value={shown}
          onChange={setMode}
          disabled={disabled}
        />
      </div>
      {shown === "json" ? (
        <JsonEditor
          id={id}
          label={label}
          value={text}
          onChange={(next) => change(name, next)}
          height={160}
          invalid={invalid}
          disabled={disabled}
        />
      ) : (
        <KeyValueEditor
          id={id}
          value={pairs ?? []}
          keyLabel={t(keyLabel)}
          valueLabel={t(valueLabel)}
          invalid={invalid}
          onChange={(next) => change(name, setPairs(next))}
        />
      )}
      {pairs === undefined && (
        <span className="text-xs">
          <Muted>{t("settings.jsonOnly")}</Muted>
        </span>
      )}
    </div>
  );
}

/**
 * Keeps the rows as the user typed them, as long as the text is the one made from them: JSON cannot
 * hold two rows of the same name or one without a name, so rows read back from it would be lost.
 */
function usePairs(text: string, kind: PairsKind) {
  const [typed, setTyped] = useState<{ text: string; pairs: Pairs } | null>(null);
  const read = kind === "list" ? pairsOfList : pairsOfMap;
  const pairs = typed?.text === text ? typed.pairs : read(text);
  return {
    pairs,
    /** Stores the new rows and returns them as JSON text. */
    setPairs(next: Pairs): string {
      const made = kind === "list" ? listOfPairs(next) : mapOfPairs(next, kind);
      setTyped({ text: made, pairs: next });
      return made;
    },
  };
}
