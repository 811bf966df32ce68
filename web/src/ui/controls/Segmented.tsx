import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";
import type { Item } from "./item.ts";

/** A row of buttons to choose one of a few values, all of them visible. */
export function Segmented<Value extends string>(props: {
  items: readonly Item<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  "aria-label": string;
  disabled?: boolean | undefined;
}) {
  const { items, value, onChange, disabled } = props;
  return (
    <ToggleGroup
      aria-label={props["aria-label"]}
      disabled={disabled}
      value={[value]}
      // Pressing the chosen item again gives an empty list, which is ignored: one value stays
      // chosen.
      onValueChange={([chosen]) => chosen !== undefined && onChange(chosen)}
      className="inline-flex h-control w-fit max-w-full [scrollbar-width:none] overflow-x-auto rounded border border-control bg-sunken p-0.5"
    >
      {items.map((item) => (
        <Toggle
          key={item.value}
          value={item.value}
          disabled={item.disabled}
          className={
            "inline-flex items-center gap-1.5 rounded-inner border border-transparent px-2.5 max-sm:px-2 " +
            "text-sm font-medium whitespace-nowrap text-muted hover:text-ink data-disabled:text-faint " +
            "data-pressed:border-control data-pressed:bg-panel data-pressed:text-ink"
          }
        >
          {item.icon}
          {item.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
