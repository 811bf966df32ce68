import { Combobox as Base } from "@base-ui/react/combobox";
import { ChevronDown, X } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { type Choice, ChoicePopup } from "./ChoiceList.tsx";
import { chip, chipRemove, fieldButton } from "./field-look.ts";
import { itemOf, splitValues, withValues } from "./choices.ts";
import { ariaOf, type ControlProps } from "./control.ts";
import type { Item } from "./item.ts";
import { useChoices } from "./use-choices.ts";

/**
 * A field for several choices of a list, shown as chips. With `creatable`, typed and pasted text is
 * accepted as well.
 */
export function MultiCombobox(
  props: ControlProps & {
    items: readonly Item[];
    value: readonly string[];
    onChange: (value: string[]) => void;
    placeholder?: string | undefined;
    creatable?: boolean | undefined;
    onSearch?: ((query: string) => void) | undefined;
    loading?: boolean | undefined;
  },
) {
  const { items, value, onChange, placeholder, creatable = false, onSearch, disabled } = props;
  const t = useT();
  const state = useChoices({ items, filtered: onSearch !== undefined, creatable });
  const chosen = useMemo((): Choice[] => value.map((each) => itemOf(items, each)), [items, value]);

  function search(text: string) {
    state.setQuery(text);
    onSearch?.(text);
  }

  function add(text: string): boolean {
    const added = splitValues(text);
    if (!creatable || added.length === 0) return false;
    onChange([...withValues(value, added)]);
    search("");
    return true;
  }

  return (
    <Base.Root
      multiple
      items={items}
      filteredItems={state.choices}
      value={chosen}
      onValueChange={(next) => {
        onChange(next.map((choice) => String(choice.value)));
        search("");
      }}
      isItemEqualToValue={(item, other) => item.value === other.value}
      itemToStringLabel={(item) => item.label}
      inputValue={state.query}
      onInputValueChange={(text, { reason }) => {
        // The typed text is kept when the list closes, whatever closed it. It is cleared only when
        // it has become a value.
        if (reason === "input-change") search(text);
      }}
      open={state.open}
      onOpenChange={state.setOpen}
      onItemHighlighted={state.onHighlight}
      virtualized={state.virtual}
      autoHighlight={!creatable}
      disabled={disabled}
    >
      <Base.InputGroup className="control-box h-auto">
        <Base.Chips className="flex max-h-48 min-w-0 flex-1 flex-wrap items-center gap-1 overflow-y-auto p-0.75">
          {chosen.map((item) => (
            <Base.Chip key={item.value} aria-label={item.label} className={chip}>
              <span className="truncate">{item.label}</span>
              <Base.ChipRemove
                aria-label={t("ui.removeThing", { name: item.label })}
                className={chipRemove}
              >
                <X size={12} aria-hidden />
              </Base.ChipRemove>
            </Base.Chip>
          ))}
          <Base.Input
            {...ariaOf(props)}
            placeholder={chosen.length === 0 ? placeholder : undefined}
            className="field-sizing-content min-h-6 max-md:min-h-8 min-w-10 flex-1 bg-transparent px-1.5 outline-none"
            onBlur={() => {
              add(state.query);
              props.onBlur?.();
            }}
            onPaste={(event) => {
              const text = event.clipboardData.getData("text");
              if (splitValues(text).length > 1 && add(text)) event.preventDefault();
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              // While the list is closed, Escape belongs to the sheet around the field. The library
              // would clear the field and stop the key event.
              if (event.key === "Escape" && !state.open) event.preventBaseUIHandler();
              const ends = event.key === "," || event.key === "，";
              const takes = ends || (event.key === "Enter" && !state.highlighted.current);
              if (!takes || !add(state.query)) return;
              event.preventDefault();
              event.preventBaseUIHandler();
            }}
          />
        </Base.Chips>
        <Base.Trigger aria-label={t("ui.showChoices")} className={fieldButton}>
          <ChevronDown size={16} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <ChoicePopup
        virtual={state.virtual}
        open={state.open}
        loading={props.loading ?? false}
        count={state.choices.length}
        scroller={state.scroller}
      />
    </Base.Root>
  );
}
