import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";
import { type MenuItem, MenuItems, menuBox } from "./MenuItems.tsx";

/**
 * A button that opens a menu of commands. Tables do not use it: `RowMenu` serves all rows of a
 * table.
 */
export function Menu(props: {
  /** The button that opens the menu; it must be a button of the kit. */
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly MenuItem[];
  align?: "start" | "end" | undefined;
  /**
   * Whether the menu is open when it is first drawn, because it replaces a button that the user has
   * pressed.
   */
  opensAtOnce?: boolean | undefined;
}) {
  return (
    <Base.Root modal={false} defaultOpen={props.opensAtOnce ?? false}>
      <Base.Trigger render={props.trigger} />
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          align={props.align ?? "end"}
          collisionPadding={8}
          className="z-10 outline-none"
        >
          <Base.Popup className={menuBox}>
            <MenuItems items={props.items} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
