import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { classes } from "./classes.ts";
import { ariaOf, type ControlProps } from "./control.ts";
import type { Item } from "./item.ts";

/** A field to choose from a short list. For more choices than fit on a screen use `Combobox`. */
export function Select<Value extends string | number>(
  props: ControlProps & {
    items: readonly Item<Value>[];
    value: Value | null;
    onChange: (value: Value) => void;
    placeholder?: string | undefined;
    size?: "md" | "sm" | undefined;
    name?: string | undefined;
  },
) {
  const { items, value, onChange, placeholder, disabled, size = "md" } = props;
  const chosen = items.find((item) => item.value === value);
  return (
    <Base.Root
      items={items}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
      disabled={disabled}
      modal={false}
    >
      <Base.Trigger
        {...ariaOf(props)}
        onBlur={props.onBlur}
        className={classes(
          "control-box justify-between gap-2 pr-2 pl-2.25 text-left select-none",
          size === "sm" && "min-h-control-small text-sm",
        )}
      >
        <span
          className={classes(
            "flex min-w-0 items-center gap-2",
            chosen === undefined && "text-faint",
          )}
        >
          {chosen?.icon}
          <span className="truncate">
            <Base.Value>{() => chosen?.label ?? placeholder ?? ""}</Base.Value>
          </span>
        </span>
        <Base.Icon className="shrink-0 text-muted">
          <ChevronDown size={16} aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          alignItemWithTrigger={false}
          collisionPadding={8}
          className="z-10 outline-none"
        >
          <Base.Popup className="popup-box max-w-(--available-width) min-w-(--anchor-width)">
            <Base.List className="max-h-[min(20rem,var(--available-height))] overflow-y-auto overscroll-contain p-1">
              {items.map((item) => (
                <Base.Item
                  key={item.value}
                  value={item.value}
                  label={item.label}
                  disabled={item.disabled}
                  className="popup-item"
                >
                  <ItemLine item={item} />
                  <Base.ItemIndicator className="ml-auto shrink-0 text-accent-ink">
                    <Check size={14} aria-hidden />
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Shows the text of a choice, with its icon and hint. */
export function ItemLine(props: { item: Item<string | number> }) {
  const { item } = props;
  return (
    <>
      {item.icon}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{item.label}</span>
        {item.hint !== undefined && (
          <span className="block truncate text-xs text-muted">{item.hint}</span>
        )}
      </span>
    </>
  );
}
