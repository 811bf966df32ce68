import { Combobox as Base } from "@base-ui/react/combobox";
import { ChevronDown, X } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { type Choice, ChoicePopup } from "./ChoiceList.tsx";
import { fieldButton } from "./field-look.ts";
import { itemOf } from "./choices.ts";
import { ariaOf, type ControlProps } from "./control.ts";
import type { Item } from "./item.ts";
import { useChoices } from "./use-choices.ts";

type Common = ControlProps & {
  placeholder?: string | undefined;
  /**
   * Makes the server search: called with the typed text. The caller then gives the found items,
   * which are shown unfiltered.
   */
  onSearch?: ((query: string) => void) | undefined;
  loading?: boolean | undefined;
};

type Chosen<Value extends string | number> = {
  items: readonly Item<Value>[];
  value: Value | null;
} & (
  | { clearable: true; onChange: (value: Value | null) => void }
  | { clearable?: false | undefined; onChange: (value: Value) => void }
);

/**
 * A field that filters a list of choices while the user types. With `creatable`, any text is a
 * valid value: Enter or leaving the field accepts it.
 */
export function Combobox<Value extends string | number>(
  props: Common & Chosen<Value> & { creatable?: boolean | undefined },
) {
  const { items, value, placeholder, onSearch, loading = false, creatable = false } = props;
  const t = useT();
  const state = useChoices({ items, filtered: onSearch !== undefined, creatable });
  const chosen = useMemo(
    (): Choice | null => (value === null || value === "" ? null : itemOf(items, value)),
    [items, value],
  );

  function choose(choice: Choice | null) {
    state.setQuery("");
    // Safe cast: the chosen value is one of `items`, or any text if `creatable`.
    if (choice !== null) props.onChange(choice.value as Value);
    else if (props.clearable === true) props.onChange(null);
  }

  function takeText() {
    if (!creatable || state.text === "" || state.highlighted.current) return false;
    choose({ value: state.text, label: state.text });
    return true;
  }

  return (
    <Base.Root
      items={items}
      filteredItems={state.choices}
      value={chosen}
      onValueChange={choose}
      isItemEqualToValue={(item, other) => item.value === other.value}
      itemToStringLabel={(item) => item.label}
      onInputValueChange={(text, { reason }) => {
        const typed = reason === "input-change" || reason === "input-clear" ? text : "";
        state.setQuery(typed);
        if (reason === "input-change") onSearch?.(text);
      }}
      open={state.open}
      onOpenChange={(open) => {
        state.setOpen(open);
        if (open) onSearch?.("");
      }}
      onItemHighlighted={state.onHighlight}
      virtualized={state.virtual}
      autoHighlight={!creatable}
      disabled={props.disabled}
    >
      <Base.InputGroup className="control-box">
        {chosen?.icon !== undefined && !state.open && (
          <span className="flex shrink-0 pl-2.25">{chosen.icon}</span>
        )}
        <Base.Input
          {...ariaOf(props)}
          placeholder={placeholder}
          className="control-text truncate"
          onBlur={() => {
            takeText();
            props.onBlur?.();
          }}
          onKeyDown={(event) => {
            // While the list is closed, Escape belongs to the sheet around the field. The library
            // would clear the field and stop the key event.
            if (event.key === "Escape" && !state.open) event.preventBaseUIHandler();
            if (event.key !== "Enter" || event.nativeEvent.isComposing || !takeText()) return;
            event.preventDefault();
            event.preventBaseUIHandler();
            state.setOpen(false);
          }}
        />
        {props.clearable === true && chosen !== null && (
          <Base.Clear aria-label={t("ui.clear")} className={fieldButton}>
            <X size={14} aria-hidden />
          </Base.Clear>
        )}
        <Base.Trigger aria-label={t("ui.showChoices")} className={fieldButton}>
          <ChevronDown size={16} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <ChoicePopup
        virtual={state.virtual}
        open={state.open}
        loading={loading}
        count={state.choices.length}
        scroller={state.scroller}
      />
    </Base.Root>
  );
}
