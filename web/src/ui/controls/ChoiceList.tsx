import { Combobox } from "@base-ui/react/combobox";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Check, Plus } from "lucide-react";
import { type Ref, useCallback, useImperativeHandle, useRef } from "react";
import { useT } from "#i18n/t.ts";
import { Spinner } from "#ui/feedback/Spinner.tsx";
import type { Item } from "./item.ts";
import { ItemLine } from "./Select.tsx";

/**
 * A choice in the list. `create` marks the choice made of the typed text when the list does not
 * contain that text.
 */
export type Choice = Item<string | number> & { readonly create?: true };

/** Scrolls the virtual list to a choice; the combobox calls it for the highlighted one. */
export type ChoiceScroller = { readonly scrollTo: (index: number) => void };

/** The popup with the choices, for `Combobox` and `MultiCombobox`. */
export function ChoicePopup(props: {
  virtual: boolean;
  open: boolean;
  loading: boolean;
  count: number;
  scroller: Ref<ChoiceScroller>;
}) {
  const { virtual, open, loading, count, scroller } = props;
  const t = useT();
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} collisionPadding={8} className="z-10 outline-none">
        <Combobox.Popup
          aria-busy={loading || undefined}
          className="popup-box w-(--anchor-width) max-w-(--available-width) min-w-44"
        >
          <Combobox.Status className="text-sm text-muted">
            {loading && (
              <span className="flex items-center gap-2 px-3 py-2">
                <Spinner />
                {t("ui.loading")}
              </span>
            )}
          </Combobox.Status>
          <Combobox.Empty className="text-sm text-muted">
            {!loading && count === 0 && <span className="block px-3 py-2">{t("ui.noMatch")}</span>}
          </Combobox.Empty>
          {virtual ? (
            <VirtualChoices open={open} scroller={scroller} />
          ) : (
            <Combobox.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto overscroll-contain p-1 outline-none data-empty:p-0">
              {(item: Choice) => (
                <Combobox.Item
                  key={item.create === true ? "\n" : item.value}
                  value={item}
                  disabled={item.disabled}
                  className="popup-item"
                >
                  <ChoiceLine item={item} />
                </Combobox.Item>
              )}
            </Combobox.List>
          )}
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

function ChoiceLine(props: { item: Choice }) {
  const t = useT();
  const { item } = props;
  if (item.create === true) {
    return (
      <>
        <Plus size={14} aria-hidden className="shrink-0 text-muted" />
        <span className="truncate">{t("ui.useText", { text: item.label })}</span>
      </>
    );
  }
  return (
    <>
      <ItemLine item={item} />
      <Combobox.ItemIndicator className="ml-auto shrink-0 text-accent-ink">
        <Check size={14} aria-hidden />
      </Combobox.ItemIndicator>
    </>
  );
}

/** A list that draws only the visible choices: a gateway knows thousands of models. */
function VirtualChoices(props: { open: boolean; scroller: Ref<ChoiceScroller> }) {
  const choices = Combobox.useFilteredItems<Choice>();
  const scrolled = useRef<HTMLDivElement | null>(null);
  // The lint rule warns that the React Compiler cannot handle this hook; the console does not use
  // that compiler.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    enabled: props.open,
    count: choices.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => 32,
    overscan: 12,
    paddingStart: 4,
    paddingEnd: 4,
    scrollPaddingStart: 4,
    scrollPaddingEnd: 4,
  });
  useImperativeHandle(
    props.scroller,
    () => ({ scrollTo: (index) => virtualizer.scrollToIndex(index) }),
    [virtualizer],
  );
  const measure = useCallback(
    (element: HTMLDivElement | null) => {
      scrolled.current = element;
      if (element !== null) virtualizer.measure();
    },
    [virtualizer],
  );
  const height = virtualizer.getTotalSize();
  return (
    <Combobox.List
      ref={measure}
      style={{ height: `min(20rem, var(--available-height), ${height}px)` }}
      className="overflow-y-auto overscroll-contain px-1 outline-none data-empty:hidden"
    >
      <div role="presentation" className="relative w-full" style={{ height }}>
        {virtualizer.getVirtualItems().map((row) => {
          const item = choices[row.index];
          if (item === undefined) return null;
          return (
            <Combobox.Item
              key={row.key}
              index={row.index}
              data-index={row.index}
              ref={virtualizer.measureElement}
              value={item}
              disabled={item.disabled}
              aria-setsize={choices.length}
              aria-posinset={row.index + 1}
              className="popup-item absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <ChoiceLine item={item} />
            </Combobox.Item>
          );
        })}
      </div>
    </Combobox.List>
  );
}
