import { Menu } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";

export type MenuItem =
  | {
      readonly key: string;
      readonly label: string;
      readonly icon?: ReactNode;
      readonly tone?: "danger" | undefined;
      /**
       * The reason why the item is disabled, shown below its label; absent: the item is enabled.
       */
      readonly disabled?: string | undefined;
      readonly onSelect: () => void;
    }
  | "separator";

/** The CSS class of the popup around `MenuItems`. */
export const menuBox =
  "popup-box max-h-(--available-height) max-w-80 min-w-40 overflow-y-auto overscroll-contain p-1";

/** The entries of a menu, both for menus of buttons and for context menus. */
export function MenuItems(props: { items: readonly MenuItem[] }) {
  return props.items.map((item, index) =>
    item === "separator" ? (
      // Separators have no other identity than their index.
      // oxlint-disable-next-line react/no-array-index-key
      <Menu.Separator key={`separator ${index}`} className="mx-1 my-1 h-px bg-line" />
    ) : (
      <Menu.Item
        key={item.key}
        label={item.label}
        disabled={item.disabled !== undefined}
        onClick={item.onSelect}
        className={classes(
          "popup-item",
          item.tone === "danger" && item.disabled === undefined && "text-danger-ink",
        )}
      >
        {item.icon}
        <span className="min-w-0 flex-1">
          <span className="block truncate">{item.label}</span>
          {item.disabled !== undefined && (
            <span className="block text-xs whitespace-normal text-muted">{item.disabled}</span>
          )}
        </span>
      </Menu.Item>
    ),
  );
}
