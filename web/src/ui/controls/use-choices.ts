import { useMemo, useRef, useState } from "react";
import type { Choice, ChoiceScroller } from "./ChoiceList.tsx";
import { filterItems, virtualAbove } from "./choices.ts";
import type { Item } from "./item.ts";

/**
 * Returns the state of a combobox: whether its list is open, the typed text, and the choices for
 * this text.
 */
export function useChoices(input: {
  items: readonly Item<string | number>[];
  /** Whether the server has already filtered the items. */
  filtered: boolean;
  creatable: boolean;
}) {
  const { items, filtered, creatable } = input;
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const scroller = useRef<ChoiceScroller>(null);
  /** Whether a choice is highlighted. Enter then takes this choice, otherwise the typed text. */
  const highlighted = useRef(false);
  const text = query.trim();
  const choices = useMemo((): readonly Choice[] => {
    const found = filtered ? items : filterItems(items, text);
    const known = items.some((item) => item.label === text || item.value === text);
    if (!creatable || text === "" || known) return found;
    return [...found, { value: text, label: text, create: true }];
  }, [items, filtered, creatable, text]);
  return {
    open,
    setOpen,
    query,
    setQuery,
    text,
    choices,
    scroller,
    highlighted,
    virtual: items.length > virtualAbove,
    onHighlight(
      item: Choice | undefined,
      details: { readonly reason: string; readonly index: number },
    ) {
      highlighted.current = item !== undefined;
      if (item === undefined || details.reason === "pointer") return;
      queueMicrotask(() => scroller.current?.scrollTo(details.index));
    },
  };
}
