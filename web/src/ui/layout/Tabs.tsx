import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";

/**
 * Tabs for several views of one thing. `children` is the chosen view. The caller should keep
 * `value` in the address.
 */
export function Tabs<Value extends string>(props: {
  items: readonly Item<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  "aria-label"?: string | undefined;
  children?: ReactNode;
}) {
  const { items, value, onChange, children } = props;
  return (
    <Base.Root
      value={value}
      // Safe annotation: the tabs' values are those of `items`.
      onValueChange={(next: Value) => onChange(next)}
      className="flex min-w-0 flex-col gap-4"
    >
      <Base.List
        aria-label={props["aria-label"]}
        // The line below the tabs is drawn by `box-shadow`: tabs that overlap a border would make
        // the row scroll vertically.
        className="flex [scrollbar-width:none] gap-1 overflow-x-auto shadow-[inset_0_-1px_0_var(--color-line)]"
      >
        {items.map((item) => (
          <Base.Tab
            key={item.value}
            value={item.value}
            disabled={item.disabled}
            className={
              "inline-flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 " +
              "font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 " +
              "data-active:border-accent-solid data-active:text-ink data-disabled:text-faint max-md:h-10"
            }
          >
            {item.icon}
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value} className="min-w-0">
          {item.value === value && children}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
