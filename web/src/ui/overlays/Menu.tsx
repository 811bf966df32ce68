import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement } from "react";
import { type MenuItem, MenuItems, menuBox } from "./MenuItems.tsx";

/** Commands behind a button. Tables have their own menu: one for all rows. */
export function Menu(props: {
  /** A button of the kit. */
  trigger: ReactElement<Record<string, unknown>>;
  items: readonly MenuItem[];
  align?: "start" | "end" | undefined;
  /** Whether the menu is open when first drawn, because the user pressed the button it replaces. */
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
